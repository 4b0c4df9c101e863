// Several runs, or several targets, side by side.

/** Maximum number of rows of the table of differences that are shown at first. */
const FIRST_DIFFERENCES = 50;

/** All runs in the order of the command line. The last one is the run of the page. */
const runs = [...data.earlier_runs, { name: data.run_name ?? 'this run', run: data.run, results: null, counts: data.summaries[0].total }];

/** The result of a cell in the earlier run `number`. `null` if the run does not have the cell. */
function resultInRun(cell, number) {
  const [status, outcome, covers] = ['status', 'outcome', 'covers'].map((name) => texts[column(`run.${number}.${name}`)[cell.index]] ?? undefined);
  return status ? { status, outcome, covers } : null;
}

/** The results of a cell in all runs. */
function resultsInRuns(cell) {
  return [...data.earlier_runs.map((_, number) => resultInRun(cell, number)), cell];
}

data.earlier_runs.forEach(({ name }, number) => keys.set(`run.${number}`, {
  label: `in ${name}`,
  values: (cell) => [resultInRun(cell, number)].filter(Boolean).map(labelOf),
}));
if (data.earlier_runs.length > 0) keys.set('here', { label: `in ${runs.at(-1).name}`, values: (cell) => [labelOf(cell)] });
const keyOfRun = (number) => (number < data.earlier_runs.length ? `run.${number}` : 'here');

/** The number of cells of each tone in a run. */
function toneCountsOfRun({ results }) {
  if (results === null) return toneCounts(cells);
  const counts = new Map();
  for (const [status, outcome, count] of results) {
    const tone = toneOf({ status, outcome: outcome ?? undefined });
    counts.set(tone, (counts.get(tone) ?? 0) + count);
  }
  return counts;
}

function runsView() {
  return element('div', { class: 'page' },
    element('h2', {}, counted(runs.length, 'run'), ' in the order of the command line'),
    element('div', { class: 'wide' }, trendTable()),
    differencesTable());
}

/** The counts of each run, with the difference to the run before it. */
function trendTable() {
  const shown = [
    ['failed', ({ counts }) => data.failing.reduce((sum, status) => sum + (counts.statuses[status] ?? 0), 0)],
    ['silent', ({ counts }) => counts.silent],
    ...outcomes.map((outcome) => [outcome, ({ counts }) => counts.outcomes[outcome] ?? 0]),
    ['not run', ({ counts }) => data.unrun.reduce((sum, status) => sum + (counts.statuses[status] ?? 0), 0)],
  ].filter(([, count]) => runs.some((run) => count(run) > 0));
  const number = (count, at) => {
    const difference = at > 0 ? count(runs[at]) - count(runs[at - 1]) : 0;
    return element('td', {}, count(runs[at]).toLocaleString('en'),
      difference !== 0 && element('span', { class: 'difference' }, `${difference > 0 ? '+' : '−'}${Math.abs(difference).toLocaleString('en')}`));
  };
  const row = (run, at) => element('tr', {},
    element('th', { scope: 'row' }, run.name, element('div', { class: 'facts' }, [targetText(run.run.target), ...infoOf(run.run)].join(' · '))),
    element('td', { class: 'state' }, element('span', { class: `mark ${stateTones[run.counts.state]}` }, run.counts.state)),
    element('td', {}, shareBar(toneCountsOfRun(run), run.counts.cells)),
    number(({ counts }) => counts.cells, at), shown.map(([, count]) => number(count, at)));
  return element('table', { class: 'counts trend' },
    element('caption', { class: 'unseen' }, 'Counts of each run'),
    element('thead', {}, element('tr', {}, ['run', 'state', '', 'cells', ...shown.map(([name]) => name)].map((name) => element('th', { scope: 'col', title: meanings.get(name) }, name)))),
    element('tbody', {}, runs.map(row)));
}

/** The cells whose results differ, by their results in all runs. Each row lists its cells. */
function differencesTable() {
  const groups = groupBy(cells, (cell) => JSON.stringify(resultsInRuns(cell).map((result) => result && labelOf(result))));
  const differing = [...groups].filter(([labels]) => new Set(JSON.parse(labels)).size > 1).sort(([, one], [, other]) => other.length - one.length);
  if (differing.length === 0) return element('p', {}, 'Every cell has the same result in all runs.');
  const total = differing.reduce((sum, [, group]) => sum + group.length, 0);
  const body = element('tbody', {});
  const row = ([, group]) => {
    const results = resultsInRuns(group[0]);
    const conditions = results.flatMap((result, number) => (result ? [[keyOfRun(number), labelOf(result)]] : []));
    return element('tr', {},
      results.map((result) => element('td', {}, result ? resultBadge(result) : element('span', { class: 'facts' }, 'no such cell'))),
      element('td', {}, filterButton(counted(group.length, 'cell'), conditions)));
  };
  const add = (from, to) => body.append(...differing.slice(from, to).map(row));
  add(0, FIRST_DIFFERENCES);
  const more = differing.length - FIRST_DIFFERENCES;
  const button = more > 0 && element('button', { type: 'button', onclick: () => { add(FIRST_DIFFERENCES); button.remove(); } }, `Show ${counted(more, 'more row')}`);
  return [element('h2', {}, `Where the runs differ: ${counted(total, 'cell')}`),
    element('div', { class: 'wide' }, element('table', { class: 'matrix differences' },
      element('thead', {}, element('tr', {}, runs.map(({ name }) => element('th', { scope: 'col' }, name)), element('th', { scope: 'col' }, 'cells'))), body)),
    button];
}
