// The results in the page, and the functions with which the views read them.

const data = JSON.parse(document.getElementById('data').textContent);
const { texts, lists } = data.cells;

/** The numbers of a column, which the data contains as an array or as runs of number and length. */
function numbersOf(column) {
  if (Array.isArray(column)) return Uint32Array.from(column);
  const numbers = new Uint32Array(data.cells.count);
  for (let run = 0, at = 0; run < column.runs.length; run += 2) {
    numbers.fill(column.runs[run], at, at += column.runs[run + 1]);
  }
  return numbers;
}

const zeroColumn = new Uint32Array(data.cells.count);
const columns = new Map(Object.entries(data.cells.columns).map(([name, column]) => [name, numbersOf(column)]));
const column = (name) => columns.get(name) ?? zeroColumn;
const textList = (number) => lists[number].map((text) => texts[text]);
const stepList = (number) => lists[number].map((step) => {
  const [name, note, text, owners] = lists[step].map((each) => texts[each] ?? undefined);
  return { name, note, document: text, owners };
});

/** A cell, which has only its number. Its properties are looked up in the columns at each access. */
class Cell {
  constructor(index) {
    this.index = index;
  }

  get axes() {
    return Object.fromEntries(textList(this.axisList[this.index]).map((name) => [name, texts[column(`axis.${name}`)[this.index]]]));
  }

  get id() {
    const own = texts[this.idTexts[this.index]];
    if (own) return own;
    const point = Object.entries(this.axes).map(([name, value]) => `${name}=${value}`).join(',');
    return `${this.suite}/${this.case}${point && `[${point}]`}`;
  }

  get rerun() {
    return textList(this.rerunList[this.index]).join(this.id);
  }

  get line() {
    return column('line')[this.index];
  }

  get took() {
    return column('took')[this.index];
  }

  /** The cell in the old run of a comparison, if its result differs there. */
  get was() {
    return column('was.status')[this.index] ? new OldCell(this.index) : null;
  }
}

/** A cell as it was in the old run. */
class OldCell {
  constructor(index) {
    this.index = index;
  }
}

function defineTextProperties(type, names, prefix = '') {
  for (const name of names) {
    const numbers = column(prefix + name);
    Object.defineProperty(type.prototype, name, { get() { return texts[numbers[this.index]] ?? undefined; } });
  }
}

function defineListProperties(type, names, prefix = '') {
  for (const name of names) {
    const numbers = column(prefix + name);
    const make = name === 'steps' ? stepList : textList;
    Object.defineProperty(type.prototype, name, { get() { return make(numbers[this.index]); } });
  }
}

const resultColumns = ['status', 'outcome', 'covers', 'expected', 'actual', 'verdict', 'message', 'conflicts', 'expected_document', 'actual_document'];
defineTextProperties(Cell, ['suite', 'case', 'level', 'document', 'section', 'about', 'because', 'target', 'deviation',
  'deviation_link', 'file', 'change', ...resultColumns]);
defineListProperties(Cell, ['paths', 'steps', 'kep', 'issue', 'differing', 'directives']);
defineTextProperties(OldCell, ['id', 'level', ...resultColumns], 'was.');
defineListProperties(OldCell, ['paths', 'steps'], 'was.');
Object.assign(Cell.prototype, { axisList: column('axes'), idTexts: column('id'), rerunList: column('rerun') });

const cells = Array.from({ length: data.cells.count }, (_, index) => new Cell(index));
const failing = new Set(data.failing);
const silent = new Set(data.silent);
const meanings = new Map([...data.statuses, ...data.outcomes]);
const statuses = data.statuses.map(([word]) => word);
const outcomes = data.outcomes.map(([word]) => word);

/** The cell with an id. The table of ids is made at the first call. */
let byId = null;
function cellOf(id) {
  byId ??= new Map(cells.flatMap((cell) => (cell.was?.id ? [[cell.was.id, cell], [cell.id, cell]] : [[cell.id, cell]])));
  return byId.get(id) ?? null;
}

/** The cells whose ids begin with a text. */
const cellsWithPrefix = (prefix) => cells.filter((cell) => cell.id.startsWith(prefix));

const isFailing = (cell) => failing.has(cell.status);
const isSilent = (cell) => silent.has(cell.outcome);

/** A key for which each cell has one text or none. */
function columnKey(label, name) {
  const numbers = column(name);
  return { label, numbers, values: (cell) => (numbers[cell.index] ? [texts[numbers[cell.index]]] : []) };
}

/** The folder of a suite. */
const folderOf = (suite) => suite.split('/')[0];

/** The keys by which cells are filtered and pivoted. Each has a label and returns the values of a cell. */
const keys = new Map([
  ['suite', columnKey('suite', 'suite')],
  ['case', { label: 'case', values: (cell) => [`${cell.suite}/${cell.case}`] }],
  ['level', columnKey('level', 'level')],
  ['status', columnKey('status', 'status')],
  ['outcome', columnKey('outcome', 'outcome')],
  ['document', columnKey('document', 'document')],
  ['directive', { label: 'directive', values: (cell) => cell.directives }],
  ['folder', { label: 'folder', values: (cell) => [folderOf(cell.suite)] }],
  ['result', { label: 'kind of result', values: (cell) => [wordOfTone.get(toneOf(cell))] }],
  ['kep', { label: 'KEP row', values: (cell) => cell.kep }],
  ['issue', { label: 'issue', values: (cell) => cell.issue }],
]);
if (data.comparison) {
  keys.set('change', columnKey('change', 'change'));
  // The results in each run. Runs of two targets are labelled with the names of the targets, two runs of one target
  // with before and now.
  const names = [data.comparison.old, data.run].map((run) => run.target.name);
  const [before, now] = names[0] === names[1] ? ['before', 'now'] : names;
  keys.set('before', { label: before, values: (cell) => (cell.change === 'new' ? [] : [labelOf(cell.was ?? cell)]) });
  keys.set('now', { label: now, values: (cell) => (cell.change === 'gone' ? [] : [labelOf(cell)]) });
}

/** The names of all axes: client and server first, then those that most cells have. */
const axisNames = (() => {
  const used = [...columns].filter(([name]) => name.startsWith('axis.'));
  const counts = used.map(([name, numbers]) => [name.slice(5), numbers.reduce((count, number) => count + (number > 0), 0)]);
  const first = (name) => (name === 'client' ? 2 : name === 'server' ? 1 : 0);
  return counts.sort((one, other) => first(other[0]) - first(one[0]) || other[1] - one[1]).map(([name]) => name);
})();
for (const name of axisNames) keys.set(`axis.${name}`, columnKey(name, `axis.${name}`));

/** Cells that have an axis `law` are verdicts of the laws of patch evolution. Their result is the verdict. */
const isLaw = (cell) => cell.verdict !== undefined && columns.has('axis.law');
const lawVerdictOf = (cell) => cell.verdict;
if (columns.has('axis.law')) keys.set('verdict', { label: 'verdict on the law', values: (cell) => (isLaw(cell) ? [lawVerdictOf(cell)] : []) });

/** The result of a cell in the form of all reports: `lost`, `lost (fail)`, `as-before (lost)`, `skipped`. */
function labelOf(cell) {
  if (cell instanceof Cell && isLaw(cell)) return cell.status === 'pass' ? lawVerdictOf(cell) : `${lawVerdictOf(cell)} (${cell.status})`;
  if (!cell.outcome) return cell.status;
  const notes = [cell.covers, cell.status].filter((word) => word && word !== 'pass');
  return notes.length > 0 ? `${cell.outcome} (${notes.join(', ')})` : cell.outcome;
}

/** The explanation of a mark. */
function meaningOf(cell) {
  return [cell.outcome, cell.status].filter(Boolean).map((word) => `${word}: ${meanings.get(word)}`).join('\n');
}

/** Conditions that several values of a key fulfil: `status=failing`, `outcome=silent`. */
const groupTests = new Map([
  ['status=failing', isFailing],
  ['outcome=silent', isSilent],
  ['change=any', (cell) => cell.change !== 'same'],
]);

/** Whether a cell has a value. Texts are compared by their numbers. */
function conditionTest([key, value]) {
  if (key === 'id') return (cell) => cell.id.startsWith(value);
  const test = groupTests.get(`${key}=${value}`);
  if (test) return test;
  const known = keys.get(key);
  if (!known) return () => true;
  if (!known.numbers) return (cell) => known.values(cell).includes(value);
  const number = texts.indexOf(value);
  return (cell) => number > 0 && known.numbers[cell.index] === number;
}

/** The columns that a search covers in addition to the ids. Suite, case and axes are parts of the ids. */
const searchedColumns = ['suite', 'case', 'about', 'because', 'message', 'expected', 'actual', 'document', 'section', 'deviation',
  'file', 'id', ...axisNames.map((name) => `axis.${name}`)].map((name) => columns.get(name)).filter(Boolean);
const searchedListColumns = ['axes', 'issue', 'paths'].map((name) => columns.get(name)).filter(Boolean);

/** Texts in lower case, made at the first search. */
let lowerCaseTexts = null;

/** Whether a cell contains a word. Each text is searched only once, even if many cells have it. */
function wordTest(word) {
  lowerCaseTexts ??= texts.map((text) => text?.toLowerCase() ?? '');
  const inTexts = Uint8Array.from(lowerCaseTexts, (text) => text.includes(word));
  const inLists = Uint8Array.from(lists, (list) => list.some((text) => inTexts[text]));
  const inParts = (cell) => searchedColumns.some((numbers) => inTexts[numbers[cell.index]])
    || searchedListColumns.some((numbers) => inLists[numbers[cell.index]]);
  // Only a word with a separator can extend over several parts of an id. The pieces of the word between its separators
  // must occur in these parts. Ids without the longest piece are excluded before their parts are put together.
  const parts = word.split(/[/[\]=,]/);
  if (parts.length === 1) return inParts;
  const hasLongest = wordTest(parts.reduce((one, other) => (other.length > one.length ? other : one)));
  return (cell) => inParts(cell) || (hasLongest(cell) && cell.id.toLowerCase().includes(word));
}

/** The cells that meet all conditions and have every word of `text` somewhere. */
function selectCells(text, conditions) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const asked = [...[...conditions].map(conditionTest), ...words.map(wordTest)];
  return asked.length === 0 ? cells : cells.filter((cell) => asked.every((test) => test(cell)));
}

/** The rank of a word: outcomes first, then statuses. `lost (fail)` ranks with `lost`. */
function wordRank(mark) {
  const [word] = mark.split(' (');
  const at = outcomes.indexOf(word);
  return at >= 0 ? at : outcomes.length + statuses.indexOf(word);
}
/** Keys whose values are sorted in a fixed order, such as statuses and outcomes. */
const orderedKeys = new Set(['outcome', 'status', 'before', 'now']);

/** All values of a key, in the fixed order of the key if it has one, otherwise in the order of their first cells. */
const valueLists = new Map();
function valuesOf(key) {
  if (!valueLists.has(key)) {
    const { numbers, values } = keys.get(key);
    const seen = new Set();
    if (numbers) {
      for (const number of numbers) seen.add(number);
      seen.delete(0);
    } else for (const cell of cells) for (const value of values(cell)) seen.add(value);
    const found = numbers ? [...seen].map((number) => texts[number]) : [...seen];
    if (orderedKeys.has(key)) found.sort((one, other) => wordRank(one) - wordRank(other));
    valueLists.set(key, found);
  }
  return valueLists.get(key);
}

/** The rank of a mark: by outcome, then by status. Cells without an outcome are last. */
function labelRank(cell) {
  return (cell.outcome ? outcomes.indexOf(cell.outcome) : outcomes.length) * 100 + statuses.indexOf(cell.status);
}

/** Cells by mark, in the order of marks. */
function groupByLabel(cells) {
  const groups = new Map();
  for (const cell of cells) {
    const mark = labelOf(cell);
    if (!groups.has(mark)) groups.set(mark, []);
    groups.get(mark).push(cell);
  }
  return [...groups].sort(([, [one]], [, [other]]) => labelRank(one) - labelRank(other));
}

/** Cells by the values of a key. */
function groupBy(cells, valueOf) {
  const groups = new Map();
  for (const cell of cells) {
    const value = valueOf(cell);
    if (!groups.has(value)) groups.set(value, []);
    groups.get(value).push(cell);
  }
  return groups;
}
