// The state of the page. The address contains the state, so that a view can be linked to and returned to.

const pages = new Map([
  ['changes', { label: 'Changes', absent: !data.comparison }],
  ['summary', { label: 'Summary' }],
  ['matrix', { label: 'Matrix', filtered: true }],
  ['beside', { label: 'Side by side', filtered: true, absent: axisNames.length === 0 }],
  ['cells', { label: 'Cells', filtered: true, count: cells.length }],
  ['policies', { label: 'Policies', absent: !policiesTemplate }],
  ['laws', { label: 'Laws' }],
  ['errata', { label: 'Errata', count: errataCount }],
].filter(([, page]) => !page.absent));
const [firstPage] = pages.keys();

const state = {
  page: firstPage,
  text: '',
  conditions: new Map(),
  rows: axisNames.length > 1 ? `axis.${axisNames[0]}` : 'suite',
  columns: axisNames.length > 1 ? `axis.${axisNames[1]}` : 'outcome',
  group: 'suite',
  // For the view side by side: the axis whose values are compared, and whether points without a difference are shown.
  beside: axisNames.includes('policy') ? 'policy' : axisNames[0],
  all: false,
  cell: null,
  // The id of a cell that the address names, if the results don't contain this cell.
  missing: null,
};

let shown = cells;
const main = document.getElementById('main');
const list = new LongList('Cells', listRow, (cell) => openCell(cell));
const pane = element('div', { class: 'detail' });
const split = element('div', { class: 'cells' }, list.host, pane);

/** The part of the address that opens a cell. Characters such as slashes are not percent-encoded. */
function cellHash(cell) {
  const readable = { '%2F': '/', '%3D': '=', '%2C': ',' };
  return `cell-${encodeURIComponent(cell.id).replace(/%2F|%3D|%2C/g, (code) => readable[code])}`;
}

/** The address of a page with the current filters. */
function hashOf(page) {
  const query = new URLSearchParams();
  if (pages.get(page).filtered) {
    if (state.text) query.set('text', state.text);
    for (const [key, value] of state.conditions) query.set(key, value);
  }
  if (page === 'matrix') {
    query.set('rows', state.rows);
    query.set('columns', state.columns);
  }
  if (page === 'beside') {
    query.set('by', state.beside);
    if (state.all) query.set('points', 'all');
  }
  if (page === 'summary' && state.group !== 'suite') query.set('by', state.group);
  const text = query.toString();
  return text ? `${page}?${text}` : page;
}

/** Reads the state from the address. */
function readHash() {
  const hash = location.hash.slice(1);
  if (hash.startsWith('cell-')) {
    let id = hash.slice('cell-'.length);
    try {
      id = decodeURIComponent(id);
    } catch {
      // A text with an invalid percent-encoding is taken literally.
    }
    state.page = 'cells';
    state.cell = cellOf(id);
    state.missing = state.cell ? null : id;
    return;
  }
  const [page, query] = hash.split('?', 2);
  state.page = pages.has(page) ? page : firstPage;
  state.cell = null;
  state.missing = null;
  if (!pages.get(state.page).filtered && !query) return;
  const asked = new URLSearchParams(query ?? '');
  if (pages.get(state.page).filtered) {
    state.text = asked.get('text') ?? '';
    state.conditions = new Map([...asked].filter(([key]) => keys.has(key)));
  }
  if (keys.has(asked.get('rows'))) state.rows = asked.get('rows');
  if (keys.has(asked.get('columns'))) state.columns = asked.get('columns');
  if (state.page === 'summary') state.group = asked.get('by') ?? 'suite';
  if (state.page === 'beside') {
    if (axisNames.includes(asked.get('by'))) state.beside = asked.get('by');
    state.all = asked.get('points') === 'all';
  }
}

/** Goes to a page, with changes to the state. The back button of the browser returns to the previous state. */
function goTo(page, changes) {
  Object.assign(state, { page, cell: null, missing: null }, changes);
  history.pushState(null, '', `#${hashOf(state.page)}`);
  draw();
}

function openCell(cell) {
  Object.assign(state, { page: 'cells', cell, missing: null });
  history.pushState(null, '', `#${cellHash(cell)}`);
  draw();
  pane.querySelector('.title').focus({ preventScroll: true });
}

function closeCell() {
  goTo('cells', {});
  list.host.focus();
}

/** Changes a filter without a new entry in the history, so that each typed letter does not add one. */
function applyFilter(changes) {
  Object.assign(state, { cell: null, missing: null }, changes);
  history.replaceState(null, '', `#${hashOf(state.page)}`);
  draw();
}

function setCondition(key, value) {
  adding = null;
  const conditions = new Map(state.conditions);
  if (value === '') conditions.delete(key);
  else conditions.set(key, value);
  applyFilter({ conditions });
}

function draw() {
  const filtered = pages.get(state.page).filtered;
  shown = filtered ? selectCells(state.text, state.conditions) : cells;
  drawPages();
  drawFilters(filtered);
  if (state.page === 'cells') drawCells();
  else {
    const views = {
      changes: changesView, summary: summaryView, matrix: matrixView, beside: sideBySideView, policies: policiesView, laws: lawsView, errata: errataView,
    };
    main.replaceChildren(views[state.page](state, shown));
    main.scrollTop = 0;
  }
}

function drawCells() {
  if (split.parentNode !== main) main.replaceChildren(split);
  split.classList.toggle('open', state.cell !== null || state.missing !== null);
  list.show(shown, state.cell);
  if (state.cell) {
    list.choose(state.cell);
    pane.replaceChildren(...cellDetail(state.cell, closeCell));
  } else {
    const missing = state.missing === null ? '' : `There is no cell ${state.missing}. `;
    if (missing) announce(missing);
    const hint = 'Choose a cell: with the mouse, or with the arrow keys and Enter. / goes to the search, Escape back.';
    pane.replaceChildren(element('p', { class: 'nothing' }, missing, hint));
  }
  pane.scrollTop = 0;
}

function drawPages() {
  document.getElementById('views').replaceChildren(...[...pages].map(([page, { label, count }]) => element('a', {
    href: `#${hashOf(page)}`,
    'aria-current': state.page === page ? 'page' : null,
  }, label, count !== undefined && element('span', { class: 'count' }, ` ${count.toLocaleString('en')}`))));
}

const search = element('input', { type: 'search', placeholder: 'Search ids, texts, paths', 'aria-label': 'Search' });
let typing = 0;
search.addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    typing = 0;
    applyFilter({ text: search.value });
  }, 120);
});

const selectable = ['suite', 'level', 'status', 'outcome', ...(data.comparison ? ['change'] : [])];
/** The key that the user chose for a new filter, until the user chooses a value. */
let adding = null;

function drawFilters(filtered) {
  const form = document.getElementById('filters');
  form.hidden = !filtered;
  if (!filtered) return;
  if (!typing) search.value = state.text;
  const extra = { status: [['failing', 'any failing']], outcome: [['silent', 'any silent']], change: [['any', 'any change']] };
  const others = [...state.conditions.keys(), adding].filter((key) => key && !selectable.includes(key));
  const selects = [...selectable, ...new Set(others)].map((key) => labelledSelect(keys.get(key).label, [
    ['', 'all'], ...(extra[key] ?? []), ...valuesOf(key).map((value) => [value, value]),
  ], state.conditions.get(key) ?? '', (value) => setCondition(key, value)));
  const left = [...keys].filter(([key]) => !selectable.includes(key) && !others.includes(key) && key !== 'case');
  const more = left.length > 0 && labelledSelect('', [['', 'more filters…'], ...left.map(([key, { label }]) => [key, label])], '', (key) => {
    adding = key;
    drawFilters(true);
  });
  const any = state.text || state.conditions.size > 0;
  const clear = any && element('button', { type: 'button', onclick: () => { search.value = ''; applyFilter({ text: '', conditions: new Map() }); } }, 'Clear');
  const count = element('span', { class: 'shown' }, `${shown.length.toLocaleString('en')} of ${counted(cells.length, 'cell')}`);
  // The search field stays in the document, because a moved field would lose the focus at every letter.
  if (search.parentNode !== form) form.prepend(search);
  while (search.nextSibling) search.nextSibling.remove();
  form.append(...[...selects, more, clear, count].filter(Boolean));
}

function targetText({ name, version, language }) {
  return [name, version, language && `(${language})`].filter(Boolean).join(' ');
}

function drawRun() {
  const { run, partial } = data;
  const target = targetText(run.target);
  const { patterns = [], exact, skip = [], axes = [], levels = [], issues = [], kep, shard } = run.selection ?? {};
  const asked = [
    ...patterns, ...(exact ? ['exactly'] : []), ...skip.map((pattern) => `without ${pattern}`), ...axes, ...levels,
    ...issues.map((issue) => `issue ${issue}`), ...(kep ? ['rows of the KEP'] : []),
    ...(shard ? [`shard ${shard.index}/${shard.count}`] : []),
  ];
  const parts = [`target ${target}`, `corpus ${run.corpus_hash}`, `skewer ${run.tool_version}`];
  if (asked.length > 0) parts.push(`selected: ${asked.join(' ')}`);
  const place = document.getElementById('run');
  place.append(parts.join(' · '));
  if (partial) {
    const of = run.selected === undefined ? '' : ` of ${run.selected.toLocaleString('en')}`;
    place.append(' · ', element('span', { class: 'warning' }, `partial: the run ended after ${data.summaries[0].total.cells.toLocaleString('en')}${of} cells`));
  }
  document.title = data.comparison ? `Skewer: ${targetText(data.comparison.old.target)} and ${target}` : `Skewer: ${target}`;
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}

function startTheme() {
  let kept = null;
  try {
    kept = localStorage.getItem('skewer-theme');
  } catch {
    // A page that was opened from a file may have no storage. Light or dark then follows the system at each visit.
  }
  const dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(dark ? 'dark' : 'light');
  document.getElementById('theme').addEventListener('click', () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    setTheme(theme);
    try {
      localStorage.setItem('skewer-theme', theme);
    } catch {
      // Without storage, the choice of light or dark is not kept.
    }
  });
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const writing = event.target.matches?.('input, select, textarea');
  if (event.key === '/' && !writing) {
    if (!pages.get(state.page).filtered) goTo('cells', {});
    search.focus();
    event.preventDefault();
  } else if (event.key === 'Escape') {
    if (state.cell) closeCell();
    else if (event.target === search) list.host.focus();
  }
});
document.getElementById('filters').addEventListener('submit', (event) => event.preventDefault());
document.getElementById('jump').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener('popstate', () => {
  readHash();
  draw();
});
addEventListener('beforeprint', () => list.print(true));
addEventListener('afterprint', () => list.print(false));

startTheme();
drawRun();
readHash();
draw();
