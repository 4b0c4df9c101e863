// The filters of a page. On a narrow screen they are folded up behind a button.

const search = element('input', { type: 'search', placeholder: 'Search ids, texts, paths', 'aria-label': 'Search' });
let typing = 0;
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    typing = 0;
    applyFilter({ text: search.value });
  }, 120);
});

/** The number of cells that are shown. It stays in the document, so that screen readers announce its changes. */
const shownCount = element('span', { class: 'shown', role: 'status', 'aria-live': 'polite' });
const fields = element('div', { class: 'fields', id: 'fields' });
const filtersToggle = toggleButton('Filters', 'fields', document.getElementById('filters'));
/** The conditions of the filter as text, where the fields are folded up: a reader who follows a link sees what is shown. */
const foldedConditions = element('span', { class: 'conditions' });
document.getElementById('filters').append(search, filtersToggle, shownCount, foldedConditions, fields);

/** A button of narrow screens, which shows and hides the part of `host` with the id `part`. */
function toggleButton(text, part, host) {
  const button = element('button', {
    type: 'button',
    class: 'toggle',
    'aria-expanded': 'false',
    'aria-controls': part,
    onclick: () => button.setAttribute('aria-expanded', String(host.classList.toggle('unfolded'))),
  }, text);
  return button;
}

const selectable = ['suite', 'level', 'status', 'outcome', ...(data.comparison ? ['change'] : [])];
/** The key that the user chose for a new filter, until the user chooses a value. */
let adding = null;

/** Options of suites, grouped by folder. */
function suiteOptions() {
  return [...groupBy(valuesOf('suite'), folderOf)].map(([folder, suites]) => [folder, suites.map((suite) => [suite, suite])]);
}

/** The keys without a field, grouped: properties of cells, axes of several folders, and the axes of one folder. */
let keyGroups = null;
function groupedKeys(isLeft) {
  keyGroups ??= groupBy([...keys].filter(([key]) => key !== 'case'), ([key]) => {
    if (!key.startsWith('axis.')) return 'properties';
    const numbers = column(key);
    const folders = new Set(cells.filter((cell) => numbers[cell.index]).map((cell) => folderOf(cell.suite)));
    return folders.size > 1 ? 'axes of several folders' : `axes of ${[...folders][0]}/`;
  });
  return [...keyGroups].map(([group, inGroup]) => [group, inGroup.filter(([key]) => isLeft(key)).map(([key, { label }]) => [key, label])])
    .filter(([, options]) => options.length > 0);
}

function drawFilters(filtered) {
  const form = document.getElementById('filters');
  form.hidden = !filtered;
  if (!filtered) return;
  if (!typing) search.value = state.text;
  const extra = { status: [['failing', 'any failing']], outcome: [['silent', 'any silent']], change: [['any', 'any change']] };
  const others = [...state.conditions.keys(), adding].filter((key) => key && !selectable.includes(key) && key !== 'id');
  const options = (key) => (key === 'suite' ? suiteOptions() : valuesOf(key).map((value) => [value, value]));
  const selects = [...selectable, ...new Set(others)].map((key) => labelledSelect(keys.get(key).label,
    [['', 'all'], ...(extra[key] ?? []), ...options(key)], state.conditions.get(key) ?? '', (value) => setCondition(key, value)));
  const groups = groupedKeys((key) => !selectable.includes(key) && !others.includes(key));
  const more = groups.length > 0 && labelledSelect('', [['', 'more filters…'], ...groups], '', (key) => {
    adding = key;
    drawFilters(true);
  });
  const prefix = state.conditions.get('id');
  const ids = prefix !== undefined && element('span', { class: 'prefix' }, 'ids that begin with ', element('code', {}, prefix), ' ',
    element('button', { type: 'button', 'aria-label': 'All ids', onclick: () => setCondition('id', '') }, '×'));
  const any = state.text || state.conditions.size > 0;
  const clear = any && element('button', { type: 'button', onclick: () => { search.value = ''; applyFilter({ text: '', conditions: new Map() }); } }, 'Clear');
  fields.replaceChildren(...[ids, ...selects, more, clear].filter(Boolean));
  filtersToggle.textContent = state.conditions.size > 0 ? `Filters (${state.conditions.size})` : 'Filters';
  foldedConditions.textContent = [...state.conditions].map(([key, value]) => `${keys.get(key)?.label ?? key}: ${value}`).join('; ');
  const text = `${shown.length.toLocaleString('en')} of ${counted(cells.length, 'cell')}`;
  if (shownCount.textContent !== text) shownCount.textContent = text;
}
