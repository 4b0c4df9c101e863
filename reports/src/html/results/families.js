// Families of values. Suites use the same name for axes with other values: `client` is `old` or `new` in one suite, and
// a release in another one. Values that no case has together are of different families, and are not mixed in a table.

/** A release, such as `1.36`. */
const isRelease = (value) => /^v?\d+(\.\d+)+$/.test(value);

/** The numbers of a release, for comparing it with others. */
function compareReleases(one, other) {
  const [left, right] = [one, other].map((value) => value.replace(/^v/, '').split('.').map(Number));
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? left.length - right.length : left[at] - (right[at] ?? -1);
}

/** For each key that has families: the first value of the family of each value. */
const familyMaps = new Map();

/** The family of a value of a key, named after its first value. Keys other than axes have one family, `''`. */
function familyOf(key, value) {
  if (!key.startsWith('axis.')) return '';
  if (!familyMaps.has(key)) familyMaps.set(key, findFamilies(key));
  return familyMaps.get(key).get(value);
}

/**
 * Joins the values that a case has together. Values that are alone in all their cases are joined by suite. Releases and
 * words are never joined, even if a case has both.
 */
function findFamilies(key) {
  const parents = new Map(valuesOf(key).map((value) => [value, value]));
  const root = (value) => {
    while (parents.get(value) !== value) value = parents.get(value);
    return value;
  };
  const numbers = column(key);
  const join = (placeOf, isJoined) => {
    const firstValues = new Map();
    for (const cell of cells) {
      const value = texts[numbers[cell.index]];
      if (!value || !isJoined(value)) continue;
      const place = `${placeOf(cell.index)} ${isRelease(value)}`;
      if (firstValues.has(place)) parents.set(root(value), root(firstValues.get(place)));
      else firstValues.set(place, value);
    }
  };
  const [suites, cases] = [column('suite'), column('case')];
  join((index) => `${suites[index]} ${cases[index]}`, () => true);
  const sizes = new Map();
  for (const value of parents.keys()) sizes.set(root(value), (sizes.get(root(value)) ?? 0) + 1);
  const alone = new Set([...parents.keys()].filter((value) => sizes.get(root(value)) === 1));
  join((index) => suites[index], (value) => alone.has(value));
  return new Map([...parents.keys()].map((value) => [value, root(value)]));
}

/** A readable name of some values: `old, new` or `1.17 … 1.36`. */
function namesOf(values) {
  if (values.length > 2 && values.every(isRelease)) {
    const sorted = [...values].sort(compareReleases);
    return `${sorted[0]} … ${sorted.at(-1)}`;
  }
  return values.length > 4 ? `${values.slice(0, 3).join(', ')} and ${values.length - 3} more` : values.join(', ');
}

/**
 * Cells as tables of two keys, one for each pair of families that has cells, and the largest first: rows with their
 * fields by column, the columns, and the cells. Rows and columns without cells are left out.
 */
function pivotByFamily(shown, rowKey, columnKey) {
  const tables = new Map();
  let leftOut = 0;
  for (const cell of shown) {
    const inRows = keys.get(rowKey).values(cell);
    const inColumns = keys.get(columnKey).values(cell);
    if (inRows.length === 0 || inColumns.length === 0) leftOut += 1;
    else for (const row of inRows) for (const name of inColumns) {
      const id = JSON.stringify([familyOf(rowKey, row), familyOf(columnKey, name)]);
      if (!tables.has(id)) tables.set(id, { id, rows: new Map(), columns: new Set(), count: 0 });
      const table = tables.get(id);
      if (!table.rows.has(row)) table.rows.set(row, new Map());
      const fields = table.rows.get(row);
      if (!fields.has(name)) fields.set(name, []);
      fields.get(name).push(cell);
      table.columns.add(name);
      table.count += 1;
    }
  }
  // The order is that of all cells, so that a filter does not move rows and columns.
  const ordered = (key, used) => {
    const values = valuesOf(key).filter((value) => used.has(value));
    return values.every(isRelease) ? values.sort(compareReleases) : values;
  };
  const finished = [...tables.values()].sort((one, other) => other.count - one.count).map((table) => ({
    ...table,
    rows: ordered(rowKey, table.rows).map((row) => [row, table.rows.get(row)]),
    columns: ordered(columnKey, table.columns),
  }));
  return { tables: finished, leftOut };
}
