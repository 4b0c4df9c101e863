// The pages of tables: summary, matrix, side by side, cells.

/** Rows and columns of a matrix that are made at first; a button makes the others. */
const FIRST_ROWS = 300;
const FIRST_COLUMNS = 60;

/** A button that shows the cells that meet `conditions`. */
function showing(text, conditions, attributes) {
  return el('button', { type: 'button', ...attributes, onclick: () => go('cells', { text: '', conditions: new Map(conditions) }) }, text);
}

function summaryView(state) {
  const chosen = data.summaries.find((summary) => summary.key === state.group) ?? data.summaries[0];
  const groups = data.summaries.map((summary) => [summary.key, keys.get(summary.key).label]);
  return el('div', { class: 'page' },
    headline(),
    data.not_run.length > 0 && el('p', {}, el('span', { class: 'mark doubtful' }, 'not run'), ` No cell was run of ${data.not_run.join(', ')}.`),
    el('div', { class: 'controls' }, choice('by', groups, chosen.key, (group) => go('summary', { group }))),
    el('div', { class: 'wide' }, countsTable(chosen)),
    legend());
}

const tones = [
  ['bad', 'failed'],
  ['doubtful', 'silently other than intended'],
  ['loud', 'refused, and the user is told'],
  ['good', 'as intended'],
  ['none', 'not run'],
];

/** How many cells are of each tone. */
function toneCounts(cells) {
  const counts = new Map();
  for (const cell of cells) counts.set(toneOf(cell), (counts.get(toneOf(cell)) ?? 0) + 1);
  return counts;
}

/** A bar in which each tone has its share. */
function bar(counts, all) {
  const parts = tones.filter(([tone]) => counts.get(tone));
  const label = parts.map(([tone, name]) => `${counts.get(tone).toLocaleString('en')} ${name}`).join(', ');
  return el('div', { class: 'shares', role: 'img', 'aria-label': label, title: label },
    parts.map(([tone]) => el('span', { class: tone, style: `width: ${(counts.get(tone) / all) * 100}%` })));
}

/** A number that stands out, and leads to its cells. */
function tile(count, name, conditions, tone) {
  return el('button', {
    type: 'button',
    class: `tile ${tone ?? ''}`,
    onclick: () => go('cells', { text: '', conditions: new Map(conditions) }),
  }, el('strong', {}, count.toLocaleString('en')), el('span', {}, name));
}

/** What the run says in one look. */
function headline() {
  const { total } = data.summaries[0];
  const failed = cells.filter((cell) => cell.change !== 'gone' && isFailing(cell)).length;
  const refused = total.outcomes.refused ?? 0;
  const notRun = (total.statuses.unsupported ?? 0) + (total.statuses.skipped ?? 0);
  return [
    el('div', { class: 'tiles' },
      tile(total.cells, 'cells', []),
      failed > 0 ? tile(failed, 'failed', [['status', 'failing']], 'bad')
        : tile(total.statuses.pass ?? 0, 'do as expected', [['status', 'pass']], 'good'),
      refused > 0 && tile(refused, 'refused: the user is told', [['outcome', 'refused']], 'loud'),
      total.silent > 0 && tile(total.silent, 'silent: the user is not told', [['outcome', 'silent']], 'doubtful'),
      (total.statuses.deviation ?? 0) > 0 && tile(total.statuses.deviation, 'known deviations', [['status', 'deviation']], 'doubtful'),
      notRun > 0 && el('div', { class: 'tile' }, el('strong', {}, notRun.toLocaleString('en')), el('span', {}, 'not run'))),
    bar(toneCounts(cells.filter((cell) => cell.change !== 'gone')), total.cells),
    el('p', { class: 'key' }, tones.map(([tone, name]) => el('span', {}, el('i', { class: tone }), name))),
  ];
}

/** The words of the tables. */
function legend() {
  const list = (words) => el('dl', {}, words.map(([word, meaning]) => [el('dt', {}, word), el('dd', {}, meaning)]));
  return el('details', { class: 'legend' }, el('summary', {}, 'What the words mean'),
    el('p', {}, 'A cell is one point of a case\'s matrix. Pass says that it did what its expectation says, not that what it did is good: what is bad and expected is counted under silent.'),
    el('h3', {}, 'Outcomes'), list(data.outcomes), el('h3', {}, 'Statuses'), list(data.statuses));
}

function countsTable(summary) {
  const present = (words, kind) => words.filter((word) => summary.total[kind][word] > 0);
  const columns = [
    ...present(statuses, 'statuses').map((word) => ({ word, key: 'status', count: (counts) => counts.statuses[word] ?? 0, tone: failing.has(word) ? 'bad' : '' })),
    ...present(outcomes, 'outcomes').map((word) => ({ word, key: 'outcome', count: (counts) => counts.outcomes[word] ?? 0, tone: silent.has(word) ? 'doubtful' : '' })),
    { word: 'silent', key: 'outcome', count: (counts) => counts.silent, tone: 'doubtful' },
  ];
  const states = { ok: 'good', 'not run': 'doubtful', FAILED: 'bad' };
  const inGroup = new Map();
  for (const cell of cells.filter((cell) => cell.change !== 'gone')) {
    for (const value of keys.get(summary.key).values(cell)) {
      if (!inGroup.has(value)) inGroup.set(value, []);
      inGroup.get(value).push(cell);
    }
  }
  const row = (name, counts, conditions) => el('tr', {},
    el('td', {}, conditions.length > 0 ? showing(name, conditions) : name),
    el('td', { class: 'state' }, el('span', { class: `mark ${states[counts.state]}` }, counts.state)),
    el('td', {}, conditions.length > 0 && bar(toneCounts(inGroup.get(name) ?? []), counts.cells)),
    el('td', {}, counts.cells.toLocaleString('en')),
    columns.map(({ word, key, count, tone }) => {
      const number = count(counts);
      return number === 0 ? el('td', { class: 'zero' }, '·')
        : el('td', { class: tone }, showing(number.toLocaleString('en'), [...conditions, [key, word]]));
    }));
  const heads = [keys.get(summary.key).label, 'state', '', 'cells', ...columns.map((column) => column.word)];
  return el('table', { class: 'counts' },
    el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col', class: head === 'state' ? 'state' : null, title: meanings.get(head) }, head)))),
    el('tbody', {}, summary.groups.map((group) => row(group.name, group.counts, [[summary.key, group.name]]))),
    el('tfoot', {}, row(summary.total_name, summary.total, [])));
}

function matrixView(state, shown) {
  const options = [...keys].map(([key, { label }]) => [key, label]);
  return el('div', { class: 'page' },
    el('div', { class: 'controls' },
      choice('rows', options, state.rows, (rows) => go('matrix', { rows })),
      choice('columns', options, state.columns, (columns) => go('matrix', { columns })),
      el('button', { type: 'button', onclick: () => go('matrix', { rows: state.columns, columns: state.rows }) }, 'Swap')),
    matrix(shown, state.rows, state.columns, state));
}

function matrix(shown, rowKey, columnKey, state) {
  const table = pivot(shown, rowKey, columnKey);
  const [rowLabel, columnLabel] = [rowKey, columnKey].map((key) => keys.get(key).label);
  if (table.rows.length === 0) return noTable(shown, rowLabel, columnLabel);
  const columns = table.columns.slice(0, FIRST_COLUMNS);
  const body = el('tbody', {});
  const add = (from, to) => body.append(...table.rows.slice(from, to).map(([row, fields]) => el('tr', {},
    el('th', { scope: 'row' }, row),
    columns.map((column) => field(fields.get(column), [[rowKey, row], [columnKey, column]], state)))));
  add(0, FIRST_ROWS);
  const more = table.rows.length - FIRST_ROWS;
  const button = more > 0 && el('button', { type: 'button', onclick: () => { add(FIRST_ROWS); button.remove(); } }, `Show ${counted(more, 'more row')}`);
  const hidden = table.columns.length - columns.length;
  return el('div', { class: 'page', style: 'padding: 0' },
    el('table', { class: 'matrix' },
      el('caption', { class: 'unseen' }, `What happened, by ${rowLabel} and ${columnLabel}`),
      el('thead', {}, el('tr', {}, el('th', {}, `${rowLabel} \\ ${columnLabel}`), columns.map((column) => el('th', { scope: 'col' }, column)))),
      body),
    button,
    hidden > 0 && el('p', { class: 'facts' }, `${counted(hidden, 'more column')} for which there is no room; a filter brings them in.`),
    table.leftOut > 0 && el('p', { class: 'facts' }, `Not in the table: ${counted(table.leftOut, 'cell')} without ${rowLabel} or ${columnLabel}.`));
}

/** What to say where no cell has its place in the table: the keys by which the cells that are shown do lie. */
function noTable(shown, rowLabel, columnLabel) {
  const isUsed = (name) => shown.some((cell) => column(`axis.${name}`)[cell.at] > 0);
  const axes = axisNames.filter(isUsed).map((name) => `axis.${name}`);
  const [rows, columns] = axes.length > 1 ? axes : [axes[0] ?? 'case', 'outcome'];
  const label = [rows, columns].map((key) => keys.get(key).label).join(' by ');
  return el('p', { class: 'nothing' }, `No cell shown has ${rowLabel} and ${columnLabel}. `,
    shown.length > 0 && el('button', { type: 'button', onclick: () => go('matrix', { rows, columns }) }, `Show ${label}`));
}

/** One field of a matrix: its marks with counts; each opens its one cell or lists its cells. */
function field(inField, conditions, state) {
  if (!inField) return el('td', { class: 'empty' }, '–');
  return el('td', {}, byMark(inField).map(([text, same]) => el('button', {
    type: 'button',
    class: `mark ${toneOf(same[0])}`,
    title: same.length === 1 ? same[0].id : meaningOf(same[0]),
    onclick: () => {
      if (same.length === 1) openCell(same[0]);
      else {
        const { outcome, status } = same[0];
        const own = outcome ? [['outcome', outcome], ['status', status]] : [['status', status]];
        go('cells', { conditions: new Map([...state.conditions, ...conditions, ...own]) });
      }
    },
  }, inField.length === 1 ? text : `${same.length.toLocaleString('en')} ${text}`)));
}

/** The inside of one row of the list: the case and what happened, then where in its matrix. */
function listRow(cell) {
  const axes = Object.entries(cell.axes).map(([name, value]) => `${name}=${value}`).join('  ');
  return [
    el('div', { class: 'first', title: cell.id },
      el('span', { class: 'name' }, cell.case), el('span', { class: 'suite' }, cell.suite), mark(cell)),
    el('div', { class: 'second' },
      axes ? el('span', { class: 'name mono' }, axes) : el('span', { class: 'suite' }, cell.about ?? ''),
      cell.change && cell.change !== 'same' && el('span', { class: 'level' }, cell.change),
      cell.level !== 'required' && el('span', { class: 'level' }, cell.level)),
  ];
}

/** The same point of a case under each value of an axis: what a policy, a client or a request changes. */
function besideView(state, shown) {
  const axis = state.beside;
  const options = axisNames.map((name) => [name, name]);
  const named = shown.filter((cell) => column(`axis.${axis}`)[cell.at]);
  const values = valuesOf(`axis.${axis}`);
  const points = [...groupBy(named, pointBeside(axis)).values()];
  const differing = points.filter(([first, ...others]) => others.some((cell) => markOf(cell) !== markOf(first)));
  const listed = state.all ? points : differing;
  return el('div', { class: 'page' },
    el('div', { class: 'controls' },
      choice('side by side', options, axis, (beside) => go('beside', { beside })),
      choice('points', [['', 'where it makes a difference'], ['all', 'all']], state.all ? 'all' : '', (all) => go('beside', { all: all === 'all' }))),
    el('p', { class: 'facts' }, `At ${counted(differing.length, 'point')} of ${points.length.toLocaleString('en')} it makes a difference what ${axis} is.`),
    matrix(named, `axis.${axis}`, 'outcome', state),
    listed.length > 0 && besideTable(listed, axis, values));
}

/** Tells cells apart by everything about their places but one axis: by the numbers of the texts, which are quick. */
function pointBeside(axis) {
  const places = ['suite', 'case', ...axisNames.filter((name) => name !== axis).map((name) => `axis.${name}`)];
  const numbers = places.map(column);
  return (cell) => {
    let point = '';
    for (const each of numbers) point += `${each[cell.at]} `;
    return point;
  };
}

function besideTable(points, axis, values) {
  const used = values.filter((value) => points.some((same) => same.some((cell) => cell.axes[axis] === value))).slice(0, FIRST_COLUMNS);
  const body = el('tbody', {});
  const row = (same) => {
    const [first] = same;
    const others = Object.entries(first.axes).filter(([name]) => name !== axis).map(([name, value]) => `${name}=${value}`);
    return el('tr', {},
      el('th', { scope: 'row' }, `${first.suite}/${first.case}`, el('div', { class: 'mono facts' }, others.join('  '))),
      used.map((value) => el('td', {}, same.filter((cell) => cell.axes[axis] === value).map((cell) => el('a', {
        href: `#${cellHash(cell)}`, class: `mark ${toneOf(cell)}`, title: meaningOf(cell) }, markOf(cell))))));
  };
  const add = (from, to) => body.append(...points.slice(from, to).map(row));
  add(0, FIRST_ROWS);
  const more = points.length - FIRST_ROWS;
  const button = more > 0 && el('button', { type: 'button', onclick: () => { add(FIRST_ROWS); button.remove(); } }, `Show ${counted(more, 'more row')}`);
  return [el('table', { class: 'matrix' },
    el('caption', { class: 'unseen' }, `What happened at each point, by ${axis}`),
    el('thead', {}, el('tr', {}, el('th', {}, `point \\ ${axis}`), used.map((value) => el('th', { scope: 'col' }, value)))),
    body), button];
}
