// What a comparison says: two runs, or two targets, beside each other.

/** The cells of a suite that are listed at first; a button lists the others. */
const FIRST_CELLS = 20;

const headings = new Map([
  ['worse', 'Cells that do worse than before.'],
  ['better', 'Cells that do better.'],
  ['changed', 'Cells that do something else, neither better nor worse, or that one of the runs left out.'],
  ['new', 'Cells that only the new run has.'],
  ['gone', 'Cells that only the old run has.'],
  ['renamed', 'Cells that have another id, and do the same.'],
]);

/** `lost` → `intended`, as marks. */
function markThenAndNow(cell) {
  return [cell.was && [mark(cell.was), ' → '], mark(cell)];
}

function changesView() {
  const { old, notes, counts, headline, is_worse: isWorse } = data.comparison;
  const said = `${headline[0].toUpperCase()}${headline.slice(1)}.`;
  const changed = groupBy(cells.filter((cell) => cell.change !== 'same'), (cell) => cell.change);
  const tally = counts.filter(([, count]) => count > 0);
  return el('div', { class: 'page' },
    el('h2', { class: `verdict ${isWorse ? 'bad' : 'good'}` }, said),
    el('p', { class: 'facts' }, `Before: ${targetText(old.target)}, corpus ${old.corpus_hash}. Now: ${targetText(data.run.target)}, corpus ${data.run.corpus_hash}.`),
    notes.map((note) => el('p', {}, el('span', { class: 'mark doubtful' }, 'note'), ` ${note}`)),
    el('div', { class: 'tiles' }, tally.map(([name, count]) => tile(count, name, [['change', name]], { worse: 'bad', better: 'good' }[name]))),
    el('p', {}, el('button', { type: 'button', onclick: () => go('matrix', { rows: 'before', columns: 'now', text: '', conditions: new Map() }) },
      `All cells: ${keys.get('before').label} by ${keys.get('now').label}`)),
    [...headings].filter(([name]) => changed.has(name)).map(([name, meaning]) => [
      el('h2', {}, name),
      el('p', { class: 'facts' }, meaning),
      [...groupBy(changed.get(name), (cell) => cell.suite)].map(([suite, same]) => suiteChanges(suite, same, name)),
    ]));
}

/** The changes of one suite: where on the axes they lie, then the cells. */
function suiteChanges(suite, same, change) {
  const all = cells.filter((cell) => cell.suite === suite);
  const list = el('ul', {}, same.slice(0, FIRST_CELLS).map(changedCell));
  const more = same.length - FIRST_CELLS;
  const button = more > 0 && el('button', {
    type: 'button',
    onclick: () => {
      list.append(...same.slice(FIRST_CELLS).map(changedCell));
      button.remove();
    },
  }, `Show ${counted(more, 'more cell')}`);
  return el('article', { class: 'suite-changes' },
    el('h3', {}, suite, ' ', el('span', { class: 'facts' }, `${same.length.toLocaleString('en')} of ${counted(all.length, 'cell')}`)),
    el('dl', {}, spreads(same, all).map(([axis, values]) => [
      el('dt', {}, axis),
      el('dd', {}, values.map(([value, count, of]) => showing(`${value} ${count} of ${of}`,
        [['suite', suite], [`axis.${axis}`, value], ['change', change]], { class: 'mark' }))),
    ])),
    list, button);
}

/** By axis: the values that cells with a change have, how many do, and how many cells of the suite have it. */
function spreads(same, all) {
  const names = axisNames.filter((name) => same.some((cell) => column(`axis.${name}`)[cell.at]));
  return names.map((name) => {
    const numbers = column(`axis.${name}`);
    const [changed, whole] = [same, all].map((group) => {
      const counts = new Map();
      for (const cell of group) counts.set(numbers[cell.at], (counts.get(numbers[cell.at]) ?? 0) + 1);
      return counts;
    });
    changed.delete(0);
    return [name, [...changed].map(([number, count]) => [texts[number], count, whole.get(number)])];
  });
}

function changedCell(cell) {
  const before = cell.was?.id;
  return el('li', {}, markThenAndNow(cell), ' ',
    el('a', { href: `#${cellHash(cell)}`, class: 'mono' }, cell.id),
    before && el('span', { class: 'facts' }, ` was ${before}`));
}
