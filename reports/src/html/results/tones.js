// The kinds of results, each with a colour and a sign, and the bars and legends that show them.

/**
 * The kinds of results from bad to good: class, word, sign and meaning. The sign stands before each mark, so that nobody
 * has to tell the colours apart.
 */
const tones = [
  { tone: 'bad', word: 'failed', sign: '✗', meaning: 'failed: not as the case expects' },
  { tone: 'leaked', word: 'leaked', sign: '$', meaning: 'leaked: failed, and a directive was stored as data' },
  { tone: 'deviation', word: 'deviation', sign: '≠', meaning: 'known deviation of the target' },
  { tone: 'doubtful', word: 'silently-wrong', sign: '▲', meaning: 'silently wrong: other than intended, and the user sees no error' },
  { tone: 'accepted', word: 'wrongly-accepted', sign: '◆', meaning: 'wrongly accepted: silent, too: stored, where an error was intended' },
  { tone: 'broken', word: 'law-broken', sign: '▼', meaning: 'a law of patch evolution is broken' },
  { tone: 'loud', word: 'refused', sign: '!', meaning: 'refused: the user sees an error' },
  { tone: 'promised', word: 'as-before', sign: '↺', meaning: 'as before: not as intended, but a compatibility promise permits it' },
  { tone: 'rejected', word: 'rejected', sign: '⊘', meaning: 'rejected: an error, as intended' },
  { tone: 'good', word: 'intended', sign: '✓', meaning: 'as intended' },
  { tone: 'none', word: 'no-result', sign: '–', meaning: 'no result: not run, not asked, or a law of which no benefit is shown' },
];
const wordOfTone = new Map(tones.map(({ tone, word }) => [tone, word]));
const toneOfWord = new Map(tones.map(({ tone, word }) => [word, tone]));

/** The tones of outcomes other than silent ones. */
const outcomeTones = { refused: 'loud', 'as-before': 'promised', rejected: 'rejected' };
/** The tones of the verdicts on laws. */
const verdictTones = { kept: 'good', broken: 'broken' };

/** The tone of a word in a heading or a count. */
function toneOfOutcome(outcome) {
  if (outcome === 'leaked') return 'leaked';
  if (outcome === 'wrongly-accepted') return 'accepted';
  return silent.has(outcome) ? 'doubtful' : outcomeTones[outcome] ?? 'good';
}

/** The tone of a result: a cell, a cell of an old run, or an object with a status and an outcome. */
function toneOf(result) {
  const { status, outcome } = result;
  if (outcome === 'leaked') return 'leaked';
  if (failing.has(status)) return 'bad';
  if (status === 'deviation') return 'deviation';
  if (status !== 'pass') return 'none';
  if (result instanceof Cell && isLaw(result)) return verdictTones[lawVerdictOf(result)] ?? 'none';
  return toneOfOutcome(outcome);
}

/** The number of results of each tone. */
function toneCounts(results) {
  const counts = new Map();
  for (const result of results) counts.set(toneOf(result), (counts.get(toneOf(result)) ?? 0) + 1);
  return counts;
}

/** A bar with a part for each tone, as wide as its share of all cells. */
function shareBar(counts, all) {
  const parts = tones.filter(({ tone }) => counts.get(tone));
  const label = parts.map(({ tone, word }) => `${counts.get(tone).toLocaleString('en')} ${word}`).join(', ');
  return element('div', { class: 'shares', role: 'img', 'aria-label': label, title: label },
    parts.map(({ tone }) => element('span', { class: tone, style: `width: ${(counts.get(tone) / all) * 100}%` })));
}

/** A bar, and below it the number of cells of each tone. A number lists its cells if there are conditions for them. */
function barWithCounts(counts, all, conditions) {
  const parts = tones.filter(({ tone }) => counts.get(tone));
  const part = ({ tone, word, meaning }) => {
    const text = [element('i', { class: tone }), element('strong', {}, counts.get(tone).toLocaleString('en')), ` ${word}`];
    return conditions ? filterButton(text, [...conditions, ['result', word]], { title: meaning }) : element('span', { title: meaning }, text);
  };
  return [shareBar(counts, all), element('p', { class: 'key' }, parts.map(part))];
}

/** The meanings of the signs and the words. */
function legend() {
  const list = (words) => element('dl', {}, words.map(([word, meaning]) => [element('dt', {}, word), element('dd', {}, meaning)]));
  return element('details', { class: 'legend' }, element('summary', {}, 'Meanings of the colours, signs and words'),
    element('p', {}, 'A cell is one point of the matrix of a case. It passes if its result is the expected one. That does not make the result good: a bad result that is expected is counted under silent.'),
    element('h3', {}, 'Colours and signs'),
    element('ul', { class: 'signs' }, tones.map(({ tone, word, meaning }) => element('li', {},
      element('span', { class: `mark ${tone}` }, word), element('i', { class: tone }), meaning))),
    element('h3', {}, 'Outcomes'), list(data.outcomes), element('h3', {}, 'Statuses'), list(data.statuses));
}
