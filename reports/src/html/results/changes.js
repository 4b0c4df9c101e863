// The page of a comparison: two runs, or two targets, side by side.

/** Maximum number of cells of a suite that are listed at first. A button lists the others. */
const FIRST_CELLS = 20;

const headings = new Map([
  ['worse', 'Cells that are worse.'],
  ['better', 'Cells that are better.'],
  ['changed', 'Cells that differ, and are neither better nor worse, or that one of the runs left out.'],
  ['new', 'Cells that only the new run has.'],
  ['gone', 'Cells that only the old run has.'],
  ['renamed', 'Cells that have another id, and are not worse.'],
]);

/** `lost` → `intended`, as badges. */
function oldAndNewBadge(cell) {
  return [cell.was && [resultBadge(cell.was), ' → '], resultBadge(cell)];
}

function changesView() {
  const { old, problems, notes, counts, headline, is_worse: isWorse } = data.comparison;
  const sentence = `${headline[0].toUpperCase()}${headline.slice(1)}.`;
  const changed = groupBy(cells.filter((cell) => cell.change !== 'same'), (cell) => cell.change);
  const nonZeroCounts = counts.filter(([, count]) => count > 0);
  return element('div', { class: 'page' },
    element('h2', { class: `verdict ${isWorse ? 'bad' : 'good'}` }, sentence),
    element('p', { class: 'facts' }, `Before: ${targetText(old.target)}, corpus ${old.corpus_hash}. Now: ${targetText(data.run.target)}, corpus ${data.run.corpus_hash}.`),
    problems.map((problem) => element('p', {}, element('span', { class: 'mark bad' }, 'problem'), ` ${problem}`)),
    notes.map((note) => element('p', {}, element('span', { class: 'mark doubtful' }, 'note'), ` ${note}`)),
    element('div', { class: 'tiles' }, nonZeroCounts.map(([name, count]) => countTile(count, name, [['change', name]], { worse: 'bad', better: 'good' }[name]))),
    element('p', {}, element('button', { type: 'button', onclick: () => goTo('matrix', { rows: 'before', columns: 'now', text: '', conditions: new Map() }) },
      `All cells: ${keys.get('before').label} by ${keys.get('now').label}`)),
    [...headings].filter(([name]) => changed.has(name)).map(([name, meaning]) => [
      element('h2', {}, name),
      element('p', { class: 'facts' }, meaning),
      [...groupBy(changed.get(name), (cell) => cell.suite)].map(([suite, changedCells]) => suiteChanges(suite, changedCells, name)),
    ]));
}

/** The changes of one suite: their distribution over the axes, then the cells. */
function suiteChanges(suite, changedCells, change) {
  const all = cells.filter((cell) => cell.suite === suite);
  const list = element('ul', {}, changedCells.slice(0, FIRST_CELLS).map(changedCell));
  const more = changedCells.length - FIRST_CELLS;
  const button = more > 0 && element('button', {
    type: 'button',
    onclick: () => {
      list.append(...changedCells.slice(FIRST_CELLS).map(changedCell));
      button.remove();
    },
  }, `Show ${counted(more, 'more cell')}`);
  return element('article', { class: 'suite-changes' },
    element('h3', {}, suite, ' ', element('span', { class: 'facts' }, `${changedCells.length.toLocaleString('en')} of ${counted(all.length, 'cell')}`)),
    element('dl', {}, changesByAxis(changedCells, all).map(([axis, values]) => [
      element('dt', {}, axis),
      element('dd', {}, values.map(([value, count, of]) => filterButton(`${value} ${count} of ${of}`,
        [['suite', suite], [`axis.${axis}`, value], ['change', change]], { class: 'mark' }))),
    ])),
    list, button);
}

/** For each axis, the values of the changed cells, each with its number of changed cells and of all cells of the suite. */
function changesByAxis(changedCells, all) {
  const names = axisNames.filter((name) => changedCells.some((cell) => column(`axis.${name}`)[cell.index]));
  return names.map((name) => {
    const numbers = column(`axis.${name}`);
    const [changed, whole] = [changedCells, all].map((group) => {
      const counts = new Map();
      for (const cell of group) counts.set(numbers[cell.index], (counts.get(numbers[cell.index]) ?? 0) + 1);
      return counts;
    });
    changed.delete(0);
    return [name, [...changed].map(([number, count]) => [texts[number], count, whole.get(number)])];
  });
}

function changedCell(cell) {
  const before = cell.was?.id;
  return element('li', {}, oldAndNewBadge(cell), ' ',
    element('a', { href: `#${cellHash(cell)}`, class: 'mono' }, cell.id),
    before && element('span', { class: 'facts' }, ` was ${before}`));
}
