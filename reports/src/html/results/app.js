// The state of the page. The address contains the state, so that a view can be linked to and returned to.

const pages = new Map([
  ['changes', { label: 'Changes', absent: !data.comparison }],
  ['summary', { label: 'Summary' }],
  ['matrix', { label: 'Matrix', filtered: true }],
  ['beside', { label: 'Side by side', filtered: true, absent: axisNames.length === 0 }],
  ['cells', { label: 'Cells', filtered: true, count: cells.length }],
  ['policies', { label: 'Policies', absent: !policiesTemplate }],
  ['runs', { label: 'Runs', absent: data.earlier_runs.length === 0, count: runs.length }],
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
  // For the matrix: the pair of families of values whose table is shown. By default, all are shown.
  family: '',
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
// While a cell is open, the keys of the list open the cell that they reach.
list.moved = (cell) => {
  if (state.cell && cell && cell !== state.cell) openCell(cell, true);
};
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
    if (state.family) query.set('values', state.family);
  }
  if (page === 'beside') {
    query.set('by', state.beside);
    if (state.all) query.set('points', 'all');
  }
  if (page === 'summary' && state.group !== 'suite') query.set('by', state.group);
  const text = query.toString();
  return text ? `${page}?${text}` : page;
}

/** Opens the cell with an id, or lists the cells whose ids begin with it. */
function showCells(id) {
  const matching = cellOf(id) ? [] : cellsWithPrefix(id);
  if (matching.length > 1) Object.assign(state, { text: '', conditions: new Map([['id', id]]) });
  state.cell = cellOf(id) ?? (matching.length === 1 ? matching[0] : null);
  state.missing = state.cell || matching.length > 0 ? null : id;
  // A filter of the page before must not hide the cell.
  if (state.cell && !selectCells(state.text, state.conditions).includes(state.cell)) Object.assign(state, { text: '', conditions: new Map() });
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
    showCells(id);
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
    state.conditions = new Map([...asked].filter(([key]) => keys.has(key) || key === 'id'));
  }
  if (keys.has(asked.get('rows'))) state.rows = asked.get('rows');
  if (keys.has(asked.get('columns'))) state.columns = asked.get('columns');
  if (state.page === 'matrix') state.family = asked.get('values') ?? '';
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

/** Opens a cell. A cell that the arrow keys have reached replaces the one before it in the history. */
function openCell(cell, byArrow) {
  Object.assign(state, { page: 'cells', cell, missing: null });
  if (byArrow) history.replaceState(null, '', `#${cellHash(cell)}`);
  else history.pushState(null, '', `#${cellHash(cell)}`);
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

/** The page that was drawn last. */
let drawnPage = null;

function draw() {
  const filtered = pages.get(state.page).filtered;
  shown = filtered ? selectCells(state.text, state.conditions) : cells;
  drawPages();
  drawFilters(filtered);
  document.body.classList.toggle('reading', state.page === 'cells' && (state.cell !== null || state.missing !== null));
  if (state.page === 'cells') drawCells();
  else {
    const views = {
      changes: changesView, summary: summaryView, matrix: matrixView, runs: runsView, beside: sideBySideView, policies: policiesView, laws: lawsView, errata: errataView,
    };
    // A change on the same page keeps the part of the page in sight that the user changed.
    const top = drawnPage === state.page ? main.scrollTop : 0;
    main.replaceChildren(views[state.page](state, shown));
    main.scrollTop = top;
  }
  drawnPage = state.page;
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
  const views = document.getElementById('views');
  views.replaceChildren(...[...pages].map(([page, { label, count }]) => element('a', {
    href: `#${hashOf(page)}`,
    'aria-current': state.page === page ? 'page' : null,
  }, label, count !== undefined && element('span', { class: 'count' }, ` ${count.toLocaleString('en')}`))));
  // On a narrow screen the pages are in one line, which is scrolled.
  const current = views.querySelector('[aria-current]');
  views.scrollLeft = current.offsetLeft - (views.clientWidth - current.offsetWidth) / 2;
}

/** The properties of a run that the user gave: `commit 1a2b3c`. */
function infoOf(run) {
  return Object.entries(run.info ?? {}).map(([key, value]) => `${key} ${value}`);
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
  parts.push(...infoOf(run));
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

/** The keys that go through the list, wherever the focus is, while a cell is open. */
const movingKeys = new Set(['ArrowDown', 'ArrowUp', 'j', 'k']);

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const writing = event.target.matches?.('input, select, textarea');
  if (event.key === '/' && !writing) {
    if (!pages.get(state.page).filtered) goTo('cells', {});
    search.focus();
    event.preventDefault();
  } else if (state.page === 'cells' && state.cell && movingKeys.has(event.key) && !writing && !list.host.contains(event.target)) {
    list.key(event);
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

document.getElementById('theme').before(toggleButton('About', 'run', document.querySelector('header')));

startTheme();
drawRun();
readHash();
draw();
