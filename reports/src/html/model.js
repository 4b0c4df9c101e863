// The results as they stand in the page, and the questions that the views ask of them.

const data = JSON.parse(document.getElementById('data').textContent);
const results = data.results;
const cells = results.cells;
const cellById = new Map(cells.map((cell) => [cell.id, cell]));
const failing = new Set(data.failing);
const silent = new Set(data.silent);

const isFailing = (cell) => failing.has(cell.status);
const isSilent = (cell) => silent.has(cell.outcome === 'as-before' && cell.covers ? cell.covers : cell.outcome);

/** What cells can be filtered and pivoted by: each key has a label and gives the values of a cell. */
const keys = new Map([
  ['suite', { label: 'suite', values: (cell) => [cell.suite] }],
  ['case', { label: 'case', values: (cell) => [`${cell.suite}/${cell.case}`] }],
  ['level', { label: 'level', values: (cell) => [cell.level] }],
  ['status', { label: 'status', values: (cell) => [cell.status] }],
  ['outcome', { label: 'outcome', values: (cell) => (cell.outcome ? [cell.outcome] : []) }],
  ['document', { label: 'document', values: (cell) => (cell.source ? [cell.source.document] : []) }],
  ['kep', { label: 'KEP row', values: (cell) => (cell.kep ?? []).map(String) }],
  ['issue', { label: 'issue', values: (cell) => cell.issue ?? [] }],
]);

/** The names of all axes, those that most cells have first. */
const axisNames = (() => {
  const counts = new Map();
  for (const cell of cells) {
    for (const name of Object.keys(cell.axes)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((one, other) => other[1] - one[1]).map(([name]) => name);
})();
for (const name of axisNames) {
  const values = (cell) => (Object.hasOwn(cell.axes, name) ? [cell.axes[name]] : []);
  keys.set(`axis.${name}`, { label: name, values });
}

/** What happened in a cell, in the words of the other reports: `lost`, `lost (fail)`, `skipped`. */
function markOf(cell) {
  if (!cell.outcome) return cell.status;
  return cell.status === 'pass' ? cell.outcome : `${cell.outcome} (${cell.status})`;
}

/** The colour class of a cell. */
function toneOf(cell) {
  if (isFailing(cell)) return 'bad';
  if (cell.status === 'deviation') return 'doubtful';
  if (cell.status !== 'pass') return 'none';
  if (isSilent(cell)) return 'doubtful';
  return cell.outcome === 'refused' ? 'loud' : 'good';
}

/** Values that stand for several: `status=failing`, `outcome=silent`. */
const special = new Map([
  ['status=failing', isFailing],
  ['outcome=silent', isSilent],
]);

function meets(cell, key, value) {
  const test = special.get(`${key}=${value}`);
  return test ? test(cell) : keys.get(key)?.values(cell).includes(value) ?? true;
}

/** The text of a cell that a search looks in, made at the first search. */
const haystacks = new Map();
function haystack(cell) {
  let text = haystacks.get(cell);
  if (text === undefined) {
    text = [cell.id, cell.about, cell.because, cell.message, cell.expected, cell.actual, cell.source?.document,
      cell.source?.section, cell.deviation?.reason, ...(cell.issue ?? []), ...(cell.paths ?? [])]
      .filter(Boolean).join('\n').toLowerCase();
    haystacks.set(cell, text);
  }
  return text;
}

/** The cells that meet all conditions and have every word of `text` somewhere. */
function select(text, conditions) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const asked = [...conditions];
  return cells.filter((cell) => asked.every(([key, value]) => meets(cell, key, value))
    && (words.length === 0 || words.every((word) => haystack(cell).includes(word))));
}

/** All values of a key, in the order in which the cells first have them. */
const valueLists = new Map();
function valuesOf(key) {
  if (!valueLists.has(key)) {
    const seen = new Set();
    for (const cell of cells) for (const value of keys.get(key).values(cell)) seen.add(value);
    valueLists.set(key, [...seen]);
  }
  return valueLists.get(key);
}

/** `cells` as a table of two keys: rows with their fields by column, the columns, and how many cells have no place. */
function pivot(cells, rowKey, columnKey) {
  const rows = new Map();
  const columns = new Set();
  let leftOut = 0;
  for (const cell of cells) {
    const inRows = keys.get(rowKey).values(cell);
    const inColumns = keys.get(columnKey).values(cell);
    if (inRows.length === 0 || inColumns.length === 0) leftOut += 1;
    else for (const row of inRows) for (const column of inColumns) {
      columns.add(column);
      if (!rows.has(row)) rows.set(row, new Map());
      const fields = rows.get(row);
      if (!fields.has(column)) fields.set(column, []);
      fields.get(column).push(cell);
    }
  }
  // In the order of all cells, so that a filter moves nothing.
  return {
    rows: valuesOf(rowKey).filter((row) => rows.has(row)).map((row) => [row, rows.get(row)]),
    columns: valuesOf(columnKey).filter((column) => columns.has(column)),
    leftOut,
  };
}

/** Cells by mark, in the order in which tables show outcomes and then statuses; cells without an outcome last. */
function byMark(cells) {
  const groups = new Map();
  for (const cell of cells) {
    const mark = markOf(cell);
    if (!groups.has(mark)) groups.set(mark, []);
    groups.get(mark).push(cell);
  }
  const rank = ([, [cell]]) => (cell.outcome ? data.outcomes.indexOf(cell.outcome) : data.outcomes.length) * 100
    + data.statuses.indexOf(cell.status);
  return [...groups].sort((one, other) => rank(one) - rank(other));
}
