// The landing page: what the results say about each directive, document, union policy and area, in sentences.

/** A policy or an area with a smaller share of the cells has no card. */
const MIN_SHARE_OF_CARD = 0.01;

/** The title of a folder of suites: `server-side-apply` is `Server-side apply`. */
function folderTitle(folder) {
  const words = folder.replace(/-/g, ' ').replace('server side', 'server-side').replace('built in', 'built-in').replace('json', 'JSON').replace('api', 'API');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const documentNames = new Map(data.documents.map((document) => [document.name, document]));

/** The title of a document. An address without a title is shortened to its last part. */
function documentTitle(name) {
  const last = /^https?:\/\/[^/]+.*?([^/]+)\/?$/.exec(name)?.[1];
  return documentNames.get(name)?.title ?? (last ? folderTitle(last) : name);
}

/** The cards by heading: the value of a key, and a title. */
function questionGroups() {
  const judged = cells.filter((cell) => cell.change !== 'gone' && !isLaw(cell));
  const cards = (key, title, isShown = () => true) => {
    if (!keys.has(key)) return [];
    const groups = new Map();
    for (const cell of judged) for (const value of keys.get(key).values(cell)) {
      if (!groups.has(value)) groups.set(value, []);
      groups.get(value).push(cell);
    }
    const all = [...groups.values()].reduce((sum, group) => sum + group.length, 0);
    return [...groups].filter(([value, group]) => isShown(value, group.length / all))
      .sort(([, one], [, other]) => other.length - one.length)
      .map(([value, group]) => ({ key, value, title: title(value), group }));
  };
  const directives = cards('directive', (name) => name);
  const documents = cards('document', documentTitle);
  const kebab = (name) => name.slice(1).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const covered = new Set([...directives.map(({ value }) => kebab(value)), ...documents.flatMap(({ value, title }) => [value, title]), 'laws']);
  return [
    ['Directives', directives],
    ['Documents', documents],
    ['Union policies', cards('axis.policy', (policy) => policy, (_, share) => share >= MIN_SHARE_OF_CARD)],
    ['Other areas', cards('folder', folderTitle, (folder) => !covered.has(folder) && !covered.has(folderTitle(folder)))],
  ].filter(([, group]) => group.length > 0);
}

/** The rows and columns for a matrix of some cells: client by server, or else the two axes that most cells have. */
function axesFor(group) {
  if (group.some((cell) => skewOf(cell))) return { rows: 'axis.client', columns: 'axis.server' };
  const counts = axisNames.map((name) => [name, group.reduce((count, cell) => count + (column(`axis.${name}`)[cell.index] > 0), 0)]);
  const [one, other] = counts.filter(([, count]) => count > 0).sort((left, right) => right[1] - left[1]);
  return one && other ? { rows: `axis.${one[0]}`, columns: `axis.${other[0]}` } : { rows: 'suite', columns: 'outcome' };
}

/** The address of a matrix of the cells that meet conditions. */
function matrixAddress(conditions, group) {
  return `#matrix?${new URLSearchParams([...conditions, ...Object.entries(axesFor(group))])}`;
}

/** What the results say about cells: how many go wrong without an error. */
function silentClause(group) {
  const run = group.filter((cell) => cell.outcome);
  const wrong = run.filter(isSilent).length;
  const [one, all] = [wrong.toLocaleString('en'), counted(run.length, 'combination')];
  return [element('strong', {}, `${wrong === 0 ? 'none' : one} of ${all}`), wrong < 2 ? ' goes' : ' go', ' wrong without an error'];
}

/** The sentences of a card, each with the conditions of the cells that it is about. */
function sentencesOf(group, conditions) {
  const failed = group.filter(isFailing).length;
  const failure = failed > 0 ? [[[element('strong', {}, failed.toLocaleString('en')), ` of ${counted(group.length, 'cell')} ${failed === 1 ? 'fails' : 'fail'}.`],
    [...conditions, ['status', 'failing']], group.filter(isFailing), 'bad']] : [];
  const skewed = [...skews].flatMap(([skew, sentence]) => {
    const inSkew = group.filter((cell) => skewOf(cell) === skew && cell.outcome);
    if (inSkew.length === 0) return [];
    const before = inSkew.filter((cell) => cell.outcome === 'as-before').length;
    const promised = before > 0 ? `; ${before.toLocaleString('en')} ${before === 1 ? 'ends' : 'end'} as before.` : '.';
    return [[[`${sentence}: `, silentClause(inSkew), promised], [...conditions, ['skew', skew]], inSkew, toneOfSentence(inSkew)]];
  });
  if (skewed.length > 0) return [...failure, ...skewed];
  const isSkewCase = group.some((cell) => !['match', 'mismatch', 'refused', undefined].includes(cell.outcome));
  const passed = group.filter((cell) => cell.status === 'pass').length;
  const sentence = isSkewCase ? ['Without a skew of versions: ', silentClause(group), '.']
    : [`${passed === group.length ? 'All' : passed.toLocaleString('en')} ${passed === group.length ? '' : 'of '}${counted(group.length, 'patch', 'patches')} have the documented result.`];
  return [...failure, [sentence, conditions, group, isSkewCase ? toneOfSentence(group) : '']];
}

const toneOfSentence = (group) => (group.some(isSilent) ? 'doubtful' : '');

function questionCard({ key, value, title, group }) {
  const conditions = [[key, value]];
  return element('article', { class: 'card' },
    element('h3', {}, element('a', { href: matrixAddress(conditions, group) }, title), ' ', element('span', { class: 'facts' }, [documentNames.has(value) && value, counted(group.length, 'cell')].filter(Boolean).join(' · '))),
    sentencesOf(group, conditions).map(([sentence, asked, about, tone]) => element('a', { class: `answer ${tone}`, href: matrixAddress(asked, about) }, sentence)),
    shareBar(toneCounts(group), group.length));
}

/** The cards, made once. */
let questionSections = null;
function questionCards() {
  questionSections ??= questionGroups().map(([heading, cards]) => element('section', { class: 'cards', 'aria-label': heading },
    element('h2', {}, heading), element('div', {}, cards.map(questionCard))));
  return questionSections;
}

/** Buttons that go to the parts of the landing page. */
function contentsOf(sections) {
  return element('nav', { class: 'contents', 'aria-label': 'On this page' }, sections.map((section) => element('button', {
    type: 'button', onclick: () => section.scrollIntoView() }, section.getAttribute('aria-label'))));
}
