// The pages of tables: summary, matrix, side by side, cells.

/** Maximum numbers of rows and columns of a matrix that are shown at first. A button shows the others. */
const FIRST_ROWS = 300;
const FIRST_COLUMNS = 60;

/** A button that shows the cells that meet `conditions`. */
function filterButton(text, conditions, attributes) {
  return element('button', { type: 'button', ...attributes, onclick: () => goTo('cells', { text: '', conditions: new Map(conditions) }) }, text);
}

function summaryView(state) {
  const chosen = data.summaries.find((summary) => summary.key === state.group) ?? data.summaries[0];
  const groups = data.summaries.map((summary) => [summary.key, keys.get(summary.key).label]);
  const table = element('section', { class: 'cards', 'aria-label': 'All cells in a table' },
    element('h2', {}, 'All cells in a table'),
    element('div', { class: 'controls' }, labelledSelect('by', groups, chosen.key, (group) => goTo('summary', { group }))),
    element('div', { class: 'wide' }, countsTable(chosen)));
  const sections = [...questionCards(), table];
  return element('div', { class: 'page' },
    runHeadline(),
    data.problems.map(({ kind, text, fails }) => element('p', { class: 'problem' }, element('span', { class: `mark ${fails ? 'bad' : 'doubtful'}` }, kind), ` ${text}`)),
    contentsOf(sections), sections);
}

/** The tones of the states of a suite or a run. */
const stateTones = { ok: 'good', incomplete: 'doubtful', 'not run': 'doubtful', FAILED: 'bad' };

/** A large number of cells, which opens the list of these cells. */
function countTile(count, name, conditions, tone) {
  return element('button', {
    type: 'button',
    class: `tile ${tone ?? ''}`,
    onclick: () => goTo('cells', { text: '', conditions: new Map(conditions) }),
  }, element('strong', {}, count.toLocaleString('en')), element('span', {}, name));
}

/** The most important numbers of the run. */
function runHeadline() {
  const { total } = data.summaries[0];
  const failed = cells.filter((cell) => cell.change !== 'gone' && isFailing(cell)).length;
  const refused = total.outcomes.refused ?? 0;
  const notAsked = total.statuses['not-asked'] ?? 0;
  const notRun = data.unrun.reduce((sum, status) => sum + (total.statuses[status] ?? 0), 0) - notAsked;
  return [
    element('div', { class: 'tiles' },
      countTile(total.cells, 'cells', []),
      failed > 0 ? countTile(failed, 'failed', [['status', 'failing']], 'bad')
        : countTile(total.statuses.pass ?? 0, 'do as expected', [['status', 'pass']], stateTones[data.state]),
      refused > 0 && countTile(refused, 'refused: the user sees an error', [['outcome', 'refused']], 'loud'),
      total.silent > 0 && countTile(total.silent, 'silent: the user sees no error', [['outcome', 'silent']], 'doubtful'),
      (total.outcomes['as-before'] ?? 0) > 0 && countTile(total.outcomes['as-before'], 'as before: a promise permits it', [['outcome', 'as-before']], 'promised'),
      (total.statuses.deviation ?? 0) > 0 && countTile(total.statuses.deviation, 'known deviations', [['status', 'deviation']], 'doubtful'),
      notAsked > 0 && countTile(notAsked, 'needed no answer from the target', [['status', 'not-asked']]),
      notRun > 0 && element('div', { class: 'tile' }, element('strong', {}, notRun.toLocaleString('en')), element('span', {}, 'not run'))),
    barWithCounts(toneCounts(cells.filter((cell) => cell.change !== 'gone')), total.cells, []),
    legend(),
  ];
}

/** The verdicts on laws that occur. Only a run that tried the laws has them. */
const lawVerdicts = keys.has('verdict') ? valuesOf('verdict') : [];

/** The row with the name of a folder, before the first of its suites. */
function folderRow(summary, index, width) {
  if (summary.key !== 'suite') return null;
  const [folder, before] = [index, index - 1].map((at) => summary.groups[at] && folderOf(summary.groups[at].name));
  return folder !== before && element('tr', { class: 'folder' }, element('th', { colspan: width, scope: 'rowgroup' },
    filterButton(`${folder}/`, [['folder', folder]])));
}

function countsTable(summary) {
  const present = (words, kind) => words.filter((word) => summary.total[kind][word] > 0);
  const statusWords = present(statuses, 'statuses');
  // If all cells pass, the number of those that pass says nothing new.
  const statusColumns = statusWords.join() === 'pass' ? [] : statusWords;
  const columns = [
    ...statusColumns.map((word) => ({ word, key: 'status', count: (counts) => counts.statuses[word] ?? 0, tone: failing.has(word) ? 'bad' : '' })),
    ...present(outcomes, 'outcomes').map((word) => ({ word, key: 'outcome', count: (counts) => counts.outcomes[word] ?? 0, tone: word === 'refused' ? '' : toneOfOutcome(word).replace('good', '') })),
    { word: 'silent', key: 'outcome', count: (counts) => counts.silent, tone: 'doubtful' },
    ...lawVerdicts.map((word) => ({ word, key: 'verdict', count: (_, group) => group.filter((cell) => isLaw(cell) && lawVerdictOf(cell) === word).length, tone: verdictTones[word] === 'broken' ? 'broken' : '' })),
  ];
  const inGroup = new Map();
  for (const cell of cells.filter((cell) => cell.change !== 'gone')) {
    for (const value of keys.get(summary.key).values(cell)) {
      if (!inGroup.has(value)) inGroup.set(value, []);
      inGroup.get(value).push(cell);
    }
  }
  const all = cells.filter((cell) => cell.change !== 'gone');
  const row = (name, counts, conditions) => element('tr', {},
    element('td', {}, conditions.length > 0 ? filterButton(summary.key === 'suite' && folderOf(name) !== name ? name.slice(folderOf(name).length + 1) : name, conditions) : name),
    element('td', { class: 'state' }, element('span', { class: `mark ${stateTones[counts.state]}` }, counts.state)),
    element('td', {}, conditions.length > 0 && shareBar(toneCounts(inGroup.get(name) ?? []), counts.cells)),
    element('td', {}, counts.cells.toLocaleString('en')),
    columns.map(({ word, key, count, tone }) => {
      const number = count(counts, conditions.length > 0 ? inGroup.get(name) ?? [] : all);
      return number === 0 ? element('td', { class: 'zero' }, '·')
        : element('td', { class: tone }, filterButton(number.toLocaleString('en'), [...conditions, [key, word]]));
    }));
  const heads = [keys.get(summary.key).label, 'state', '', 'cells', ...columns.map((column) => column.word)];
  return element('table', { class: 'counts' },
    element('thead', {}, element('tr', {}, heads.map((head) => element('th', { scope: 'col', class: head === 'state' ? 'state' : null, title: meanings.get(head) }, head)))),
    element('tbody', {}, summary.groups.map((group, index) => [folderRow(summary, index, heads.length), row(group.name, group.counts, [[summary.key, group.name]])])),
    element('tfoot', {}, row(summary.total_name, summary.total, [])));
}

/** The conditions of a filtered page, with those of its search as far as a list of cells can have them. */
const shownConditions = (state) => [...state.conditions];

function matrixView(state, shown) {
  const options = [...keys].map(([key, { label }]) => [key, label]);
  return element('div', { class: 'page' },
    element('div', { class: 'controls' },
      labelledSelect('rows', options, state.rows, (rows) => goTo('matrix', { rows, family: '' })),
      labelledSelect('columns', options, state.columns, (columns) => goTo('matrix', { columns, family: '' })),
      element('button', { type: 'button', onclick: () => goTo('matrix', { rows: state.columns, columns: state.rows, family: '' }) }, 'Swap')),
    shown.length > 0 && barWithCounts(toneCounts(shown), shown.length, state.text ? null : shownConditions(state)),
    matrixTables(shown, state));
}

/** Maximum number of tables of a matrix that are shown at first. */
const FIRST_TABLES = 3;

/** A table for each pair of families of the two keys, or only the chosen one. */
function matrixTables(shown, state) {
  const { rows, columns } = state;
  const { tables, leftOut } = pivotByFamily(shown, rows, columns);
  const [rowLabel, columnLabel] = [rows, columns].map((key) => keys.get(key).label);
  if (tables.length === 0) return emptyMatrix(shown, rowLabel, columnLabel);
  const name = (table) => `${rowLabel}: ${namesOf(table.rows.map(([row]) => row))} × ${columnLabel}: ${namesOf(table.columns)}`;
  const chosen = tables.filter(({ id }) => id === state.family);
  const listed = chosen.length > 0 ? chosen : tables;
  const families = tables.length > 1 && element('div', { class: 'controls' }, labelledSelect('values', [
    ['', `all, in ${tables.length} tables`], ...tables.map((table) => [table.id, `${name(table)} (${counted(table.count, 'cell')})`]),
  ], chosen[0]?.id ?? '', (family) => goTo('matrix', { family })));
  const section = (table) => element('section', { class: 'family' },
    tables.length > 1 && element('h3', {}, name(table), ' ', element('span', { class: 'facts' }, counted(table.count, 'cell'))),
    matrixTable(table, rows, columns, state));
  const rest = listed.slice(FIRST_TABLES);
  const button = rest.length > 0 && element('button', { type: 'button', class: 'more', onclick: () => button.replaceWith(...rest.map(section)) }, `Show ${counted(rest.length, 'more table')}`);
  return [families, listed.slice(0, FIRST_TABLES).map(section), button,
    leftOut > 0 && element('p', { class: 'facts' }, `Not in the table: ${counted(leftOut, 'cell')} without ${rowLabel} or ${columnLabel}.`)];
}

/** Rows and columns of one table. Those without cells are not part of it. */
function matrixTable(table, rowKey, columnKey, state) {
  const [rowLabel, columnLabel] = [rowKey, columnKey].map((key) => keys.get(key).label);
  const columns = table.columns.slice(0, FIRST_COLUMNS);
  const body = element('tbody', {});
  const add = (from, to) => body.append(...table.rows.slice(from, to).map(([row, fields]) => element('tr', {},
    element('th', { scope: 'row' }, row),
    columns.map((column) => matrixField(fields.get(column), [[rowKey, row], [columnKey, column]], state)))));
  add(0, FIRST_ROWS);
  const more = table.rows.length - FIRST_ROWS;
  const button = more > 0 && element('button', { type: 'button', onclick: () => { add(FIRST_ROWS); button.remove(); } }, `Show ${counted(more, 'more row')}`);
  const hidden = table.columns.length - columns.length;
  return [
    element('div', { class: 'matrix-frame' }, element('table', { class: 'matrix' },
      element('caption', { class: 'unseen' }, `Results by ${rowLabel} and ${columnLabel}`),
      element('thead', {}, element('tr', {}, element('th', {}, `${rowLabel} \\ ${columnLabel}`), columns.map((column) => element('th', { scope: 'col' }, column)))),
      body)),
    button,
    hidden > 0 && element('p', { class: 'facts' }, `${counted(hidden, 'more column')} for which there is no room; a filter brings them in.`)];
}

/** The text that is shown instead of an empty table. It suggests keys for which the shown cells have values. */
function emptyMatrix(shown, rowLabel, columnLabel) {
  const isUsed = (name) => shown.some((cell) => column(`axis.${name}`)[cell.index] > 0);
  const axes = axisNames.filter(isUsed).map((name) => `axis.${name}`);
  const [rows, columns] = axes.length > 1 ? axes : [axes[0] ?? 'case', 'outcome'];
  const label = [rows, columns].map((key) => keys.get(key).label).join(' by ');
  return element('p', { class: 'nothing' }, `No cell shown has ${rowLabel} and ${columnLabel}. `,
    shown.length > 0 && element('button', { type: 'button', onclick: () => goTo('matrix', { rows, columns, family: '' }) }, `Show ${label}`));
}

/** One field of a matrix: its marks with counts. A mark opens its only cell, or lists its cells. */
function matrixField(inField, conditions, state) {
  if (!inField) return element('td', { class: 'empty' }, '–');
  return element('td', {}, groupByLabel(inField).map(([text, same]) => element('button', {
    type: 'button',
    class: `mark ${toneOf(same[0])}`,
    title: same.length === 1 ? same[0].id : meaningOf(same[0]),
    onclick: () => {
      if (same.length === 1) openCell(same[0]);
      else {
        const { outcome, status } = same[0];
        const own = outcome ? [['outcome', outcome], ['status', status]] : [['status', status]];
        goTo('cells', { conditions: new Map([...state.conditions, ...conditions, ...own]) });
      }
    },
  }, inField.length === 1 ? text : `${same.length.toLocaleString('en')} ${text}`)));
}

/** The content of one row of the list: the case and its result, then the point of its matrix. */
function listRow(cell) {
  const axes = Object.entries(cell.axes).map(([name, value]) => `${name}=${value}`).join('  ');
  return [
    element('div', { class: 'first', title: cell.id },
      element('span', { class: 'name' }, cell.case), element('span', { class: 'suite' }, cell.suite), resultBadge(cell)),
    element('div', { class: 'second' },
      axes ? element('span', { class: 'name mono' }, axes) : element('span', { class: 'suite' }, cell.about ?? ''),
      cell.change && cell.change !== 'same' && element('span', { class: 'level' }, cell.change),
      cell.level !== 'required' && element('span', { class: 'level' }, cell.level)),
  ];
}

/** Each point of a case under every value of an axis, which shows the effect of a policy, a client or a request. */
function sideBySideView(state, shown) {
  const axis = state.beside;
  const options = axisNames.map((name) => [name, name]);
  const named = shown.filter((cell) => column(`axis.${axis}`)[cell.index]);
  const values = valuesOf(`axis.${axis}`);
  const points = [...groupBy(named, pointWithout(axis)).values()];
  const differing = points.filter(([first, ...others]) => others.some((cell) => labelOf(cell) !== labelOf(first)));
  const listed = state.all ? points : differing;
  return element('div', { class: 'page' },
    element('div', { class: 'controls' },
      labelledSelect('side by side', options, axis, (beside) => goTo('beside', { beside })),
      labelledSelect('points', [['', 'where it makes a difference'], ['all', 'all']], state.all ? 'all' : '', (all) => goTo('beside', { all: all === 'all' }))),
    element('p', { class: 'facts' }, `At ${counted(differing.length, 'point')} of ${points.length.toLocaleString('en')} it makes a difference what ${axis} is.`),
    pivotByFamily(named, `axis.${axis}`, 'outcome').tables.map((table) => matrixTable(table, `axis.${axis}`, 'outcome', state)),
    listed.length > 0 && sideBySideTable(listed, axis, values));
}

/** A key for cells that differ at most on one axis. It consists of the numbers of texts, which are fast to compare. */
function pointWithout(axis) {
  const places = ['suite', 'case', ...axisNames.filter((name) => name !== axis).map((name) => `axis.${name}`)];
  const numbers = places.map(column);
  return (cell) => {
    let point = '';
    for (const each of numbers) point += `${each[cell.index]} `;
    return point;
  };
}

function sideBySideTable(points, axis, values) {
  const used = values.filter((value) => points.some((same) => same.some((cell) => cell.axes[axis] === value))).slice(0, FIRST_COLUMNS);
  const body = element('tbody', {});
  const row = (same) => {
    const [first] = same;
    const others = Object.entries(first.axes).filter(([name]) => name !== axis).map(([name, value]) => `${name}=${value}`);
    return element('tr', {},
      element('th', { scope: 'row' }, `${first.suite}/${first.case}`, element('div', { class: 'mono facts' }, others.join('  '))),
      used.map((value) => element('td', {}, same.filter((cell) => cell.axes[axis] === value).map((cell) => element('a', {
        href: `#${cellHash(cell)}`, class: `mark ${toneOf(cell)}`, title: meaningOf(cell) }, labelOf(cell))))));
  };
  const add = (from, to) => body.append(...points.slice(from, to).map(row));
  add(0, FIRST_ROWS);
  const more = points.length - FIRST_ROWS;
  const button = more > 0 && element('button', { type: 'button', onclick: () => { add(FIRST_ROWS); button.remove(); } }, `Show ${counted(more, 'more row')}`);
  return [element('table', { class: 'matrix' },
    element('caption', { class: 'unseen' }, `What happened at each point, by ${axis}`),
    element('thead', {}, element('tr', {}, element('th', {}, `point \\ ${axis}`), used.map((value) => element('th', { scope: 'col' }, value)))),
    body), button];
}
