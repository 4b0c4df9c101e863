// The view of one opened cell.

/** Minimum likeness of two documents for which a diff is shown first. */
const MIN_SIMILARITY = 0.2;

function resultBadge(cell, extra) {
  return element('span', { class: `mark ${toneOf(cell)}`, title: meaningOf(cell) }, labelOf(cell), extra);
}

/** Everything that is known about a cell. */
function cellDetail(cell, onback) {
  const link = `#${cellHash(cell)}`;
  const meaning = cell.outcome && meanings.get(cell.outcome);
  const title = element('h2', { class: 'title', tabindex: -1 }, cell.id);
  return [
    element('button', { type: 'button', class: 'back', onclick: onback }, 'Back to the list'),
    title,
    element('div', { class: 'bar' }, cell.was && [resultBadge(cell.was), ' → '], resultBadge(cell), cell.covers && element('span', { class: 'facts' }, `covers ${cell.covers}`),
      element('span', { class: 'mark' }, cell.level), cell.change && element('span', { class: 'facts' }, cell.change),
      element('a', { href: link }, 'Link to this cell')),
    meaning && element('p', { class: 'facts' }, `${cell.outcome}: ${meaning}`),
    factList(cell),
    cell.rerun && element('section', { 'aria-label': 'Run it again' }, copyableCommand(cell.rerun)),
    oldAndNewDocuments(cell),
    resultDocuments(cell),
    stepPanels(cell),
  ].filter(Boolean);
}

function factList(cell) {
  const list = element('dl', {});
  const fact = (name, ...value) => {
    const given = value.flat().filter(Boolean);
    if (given.length > 0) list.append(element('dt', {}, name), element('dd', {}, ...given));
  };
  const joined = (values, make) => (values ?? []).flatMap((value, index) => (index > 0 ? [', ', make(value)] : [make(value)]));
  fact('about', cell.about);
  fact('expected', cell.expected);
  fact('before', cell.was && (cell.was.actual ?? labelOf(cell.was)));
  fact('actual', cell.actual);
  fact('because', cell.because);
  fact('message', cell.message);
  fact('differs at', joined(cell.paths, (path) => element('code', {}, path)));
  fact('conflicts with', cell.conflicts && element('pre', { class: 'owners' }, cell.conflicts));
  fact('deviation', cell.deviation, cell.deviation_link && [' ', outerLink(cell.deviation_link)]);
  fact('source', sourceLink(cell));
  fact('KEP rows', cell.kep.join(', '));
  fact('issues', joined(cell.issue, issueLink));
  fact('written at', cell.file && element('code', {}, outerLink(lineAddress(cell), `${cell.file}:${cell.line}`)));
  fact('axes', joined(Object.entries(cell.axes), ([name, value]) => element('code', {}, `${name}=${value}`)));
  fact('directives', cell.directives.join(', '));
  fact('in each run', data.earlier_runs.length > 0 && resultsInRuns(cell).map((result, number) => element('div', {},
    result ? resultBadge(result) : 'no such cell', ` ${runs[number].name}`)));
  fact('target', cell.target);
  fact('took', cell.took > 0 && `${cell.took.toLocaleString('en')} µs`);
  return list;
}

/** The anchor of a heading: in lower case, without punctuation, with hyphens between words. */
const anchorOf = (heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').trim().replace(/\s/g, '-');

/** The document and the section that a cell cites, as a link if the document has an address. */
function sourceLink({ document: name, section }) {
  if (!name) return null;
  const address = documentNames.get(name)?.address ?? name;
  return outerLink(section ? `${address}#${encodeURIComponent(anchorOf(section))}` : address, [name, section].filter(Boolean).join(', '));
}

/** The address of the line of a cell in its case file, or an empty text. */
function lineAddress({ file, line }) {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return (data.source_link ?? '').replaceAll('{file}', () => path).replaceAll('{line}', () => String(line));
}

/** The actual document of a cell, or the document of its last step. */
function resultOf(cell) {
  return cell.actual_document ?? cell.steps.findLast((step) => step.document !== undefined)?.document;
}

/** The actual documents of the old and the new run side by side. */
function oldAndNewDocuments(cell) {
  if (!cell.was) return null;
  const [before, now] = [resultOf(cell.was), resultOf(cell)];
  if (before === undefined || now === undefined || before === now) return null;
  return element('details', { class: 'step', open: true }, element('summary', {}, element('span', { class: 'name' }, 'Before and now')),
    diffTable('before', before, 'now', now));
}

/** The expected document beside the actual one. */
function resultDocuments(cell) {
  const { expected_document: expected, actual_document: actual } = cell;
  if (expected === undefined && actual === undefined) return null;
  let shown;
  if (expected === undefined || actual === undefined || expected === actual) {
    shown = element('pre', { class: 'document' }, actual ?? expected);
  } else shown = diffTable('expected', expected, 'actual', actual);
  const name = actual === undefined ? 'Expected result' : expected === actual ? 'Result, as expected' : 'Result';
  return element('details', { class: 'step', open: true }, element('summary', {}, element('span', { class: 'name' }, name)), shown);
}

/** The documents of the steps. Each is beside the one before it if the two are alike. */
function stepPanels(cell) {
  const all = cell.steps;
  if (all.length === 0) return null;
  return element('section', { 'aria-label': 'Step by step', class: 'page', style: 'padding: 0' },
    element('h3', {}, 'Step by step'), all.map((step, index) => stepPanel(all, step, index)));
}

/** The owners after a step, with the name of an earlier step that has the same owners. */
function ownersList(owners, same) {
  const title = same === undefined ? 'owners' : `owners, the same as after ${same}`;
  return element('div', {}, element('p', { class: 'owners-title' }, title), element('pre', { class: 'document' }, owners));
}

function stepPanel(all, step, index) {
  const summary = element('summary', {}, element('span', { class: 'number' }, `${index + 1}. `), element('span', { class: 'name' }, step.name));
  const note = step.note && element('p', { class: 'note' }, step.note);
  if (step.document === undefined) return element('details', { class: 'step', open: true }, summary, note);

  const nameOf = (at) => `${at + 1}. ${all[at].name}`;
  const earlier = [...all.keys()].filter((at) => at < index && all[at].document !== undefined);
  const lastOwned = earlier.findLast((at) => all[at].owners !== undefined);
  // The documents of the client have no owners. The owners are beside those of the last object that has some.
  const owners = (at) => {
    if (step.owners === undefined) return [];
    if (at === undefined) return [ownersList(step.owners)];
    if (all[at].owners === step.owners) return [ownersList(step.owners, nameOf(at))];
    return [diffTable(`owners after ${nameOf(at)}`, all[at].owners, 'owners', step.owners)];
  };
  const shown = element('div', {});
  const show = (at) => {
    const document = at === '' ? element('pre', { class: 'document' }, step.document)
      : diffTable(nameOf(Number(at)), all[at].document, nameOf(index), step.document);
    const ownersAt = at !== '' && all[at].owners !== undefined ? Number(at) : lastOwned;
    shown.replaceChildren(document, ...owners(ownersAt));
  };
  const last = earlier.at(-1);
  const isSame = last !== undefined && all[last].document === step.document
    && (step.owners === undefined || all[last].owners === step.owners);
  const isSimilar = last !== undefined && !isSame && similarity(all[last].document, step.document) >= MIN_SIMILARITY;
  const beside = isSimilar ? String(last) : '';
  const options = [['', 'nothing'], ...earlier.map((at) => [String(at), nameOf(at)])];
  const controls = earlier.length > 0 && element('div', { class: 'controls' }, labelledSelect('beside', options, beside, show));
  show(beside);
  // A step that changed nothing is one line. Its document is shown only when the user opens it.
  const documents = isSame
    ? element('details', { class: 'note' }, element('summary', {}, `the same as after ${nameOf(last)}`), controls, shown)
    : [controls, shown];
  return element('details', { class: 'step', open: true }, summary, note, documents);
}
