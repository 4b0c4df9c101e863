// The version skew of a cell: which of its client and its server is older.

/** The words of suites for a party that does not know something, and for one that does. */
const oldWords = /^(old|unaware|without|before)\b/;
const newWords = /^(new|aware|with|since|after|today|proposed)\b/;

const OLD_CLIENT = 'old client, new server';
const NEW_CLIENT = 'new client, old server';

/** The names of all kinds of skew, with the beginning of a sentence about them. */
const skews = new Map([
  [OLD_CLIENT, 'An old client with a new server'],
  [NEW_CLIENT, 'A new client with an old server'],
]);

/** The skew of a client and a server. `null` if one of them has no age. */
function skewOfPair(client, server) {
  if (isRelease(client) && isRelease(server)) {
    const difference = compareReleases(client, server);
    return difference < 0 ? OLD_CLIENT : difference > 0 ? NEW_CLIENT : 'same release';
  }
  const [clientIsOld, serverIsOld] = [client, server].map((word) => (oldWords.test(word) ? true : newWords.test(word) ? false : null));
  if (clientIsOld === null || serverIsOld === null) return null;
  if (clientIsOld === serverIsOld) return clientIsOld ? 'both old' : 'both new';
  return clientIsOld ? OLD_CLIENT : NEW_CLIENT;
}

/** The skews of pairs that were asked for before, by the numbers of their texts. */
const knownSkews = new Map();
const [clientNumbers, serverNumbers] = [column('axis.client'), column('axis.server')];

function skewOf(cell) {
  const [client, server] = [clientNumbers[cell.index], serverNumbers[cell.index]];
  if (client === 0 || server === 0) return null;
  const pair = client * texts.length + server;
  if (!knownSkews.has(pair)) knownSkews.set(pair, skewOfPair(texts[client], texts[server]));
  return knownSkews.get(pair);
}

keys.set('skew', { label: 'skew', values: (cell) => [skewOf(cell)].filter(Boolean) });
