// The pages beside the tables: policies, errata, laws.

/** The report on the matrix of KEP-1027, if the run has one. */
const policiesTemplate = document.getElementById('policies');

/** The report on union policies, with links to the cells. */
function policiesView() {
  const report = document.importNode(policiesTemplate.content, true);
  for (const code of report.querySelectorAll('code')) {
    const target = addressOf(code.textContent);
    if (target) {
      const link = element('a', { href: `#${target}` });
      code.replaceWith(link);
      link.append(code);
    }
  }
  const [title, ...headings] = report.querySelectorAll('h2, h3');
  const sections = headings.filter((heading) => heading.tagName === 'H3');
  const contents = sections.map((heading) => element('button', { type: 'button', onclick: () => heading.scrollIntoView() }, heading.textContent));
  const beside = element('a', { href: `#beside?${new URLSearchParams({ by: 'policy', text: 'unions/kep-matrix' })}` }, 'Point by point, side by side');
  title.after(element('nav', { class: 'contents', 'aria-label': 'On this page' }, contents, beside));
  return element('div', { class: 'page text article' }, report);
}

/** The address of the cells that a text names: by conditions (`client=unaware, operation=clear`), a policy, or a case of the KEP's rows. */
function addressOf(text) {
  const conditions = text.split(', ').map((condition) => condition.split('='));
  const isPoint = ([axis, value]) => value !== undefined && keys.has(`axis.${axis}`) && valuesOf(`axis.${axis}`).includes(value);
  const matrix = { text: 'unions/kep-matrix' };
  if (conditions.every(isPoint)) {
    const asked = conditions.map(([axis, value]) => [`axis.${axis}`, value]);
    return `beside?${new URLSearchParams([['by', 'policy'], ...Object.entries(matrix), ...asked])}`;
  }
  if (keys.has('axis.policy') && valuesOf('axis.policy').includes(text)) {
    return `cells?${new URLSearchParams({ ...matrix, 'axis.policy': text })}`;
  }
  if (/^row-\d/.test(text)) return `cells?${new URLSearchParams({ text: `/${text.replace(/[[\],]+/g, ' ').trim()}` })}`;
  return null;
}

/** Errata by document. Each case is listed once, with all its cells. */
const errata = (() => {
  const documents = new Map();
  for (const cell of cells) {
    if (cell.level !== 'erratum') continue;
    const name = cell.document ?? 'no document';
    if (!documents.has(name)) documents.set(name, new Map());
    const inDocument = documents.get(name);
    const id = `${cell.suite}/${cell.case}`;
    if (!inDocument.has(id)) inDocument.set(id, []);
    inDocument.get(id).push(cell);
  }
  return documents;
})();
const errataCount = [...errata.values()].reduce((sum, inDocument) => sum + inDocument.size, 0);

function errataView() {
  if (errata.size === 0) return element('p', { class: 'nothing' }, 'No cell of this run shows an erratum.');
  return element('div', { class: 'page text' },
    element('p', { class: 'facts' }, 'Points at which a document contradicts itself or the shipped behaviour, each with the cells that show it.'),
    [...errata].map(([name, inDocument]) => [
      element('h2', {}, name, ' ', element('span', { class: 'facts' }, inDocument.size)),
      [...inDocument].map(([id, same]) => erratumArticle(id, same))]));
}

/** Maximum number of cells of an erratum that are listed at first. */
const FIRST_OF_ERRATUM = 8;

function erratumArticle(id, same) {
  const [cell] = same;
  const reasons = [...new Set(same.map((each) => each.because).filter(Boolean))];
  const line = (each) => element('li', {}, resultBadge(each), ' ',
    element('a', { href: `#${cellHash(each)}`, class: 'mono', title: each.id }, each.id.startsWith(id) && each.id !== id ? each.id.slice(id.length) : each.id));
  const list = element('ul', {}, same.slice(0, FIRST_OF_ERRATUM).map(line));
  const more = same.length - FIRST_OF_ERRATUM;
  const button = more > 0 && element('button', {
    type: 'button',
    onclick: () => {
      list.append(...same.slice(FIRST_OF_ERRATUM).map(line));
      button.remove();
    },
  }, `Show ${counted(more, 'more cell')}`);
  return element('article', { class: 'erratum' },
    element('h3', {}, cell.section ?? cell.case),
    cell.about && element('p', {}, cell.about),
    reasons.map((because) => element('p', { class: 'facts' }, because)),
    cell.issue.length > 0 && element('p', {}, cell.issue.flatMap((issue, index) => (index > 0 ? [', ', issueLink(issue)] : [issueLink(issue)]))),
    list, button);
}

const lawCells = cells.filter(isLaw);

function lawsView(state) {
  if (lawCells.length === 0) {
    return element('div', { class: 'page text' },
      element('p', {}, 'The laws of patch evolution were not tried in this run. A run that tries them as well:'),
      copyableCommand('skewer run --laws --report html=report.html'));
  }
  const triedSteps = lawCells.flatMap((cell) => cell.steps.filter(({ name }) => name === 'tried without a counter-example'));
  const tried = triedSteps[0]?.note;
  const rows = axisNames.includes('directive') ? 'axis.directive' : 'case';
  const laws = new Map(lawCells.map((cell) => [cell.axes.law, cell.about?.split('The law: ').at(-1)]));
  return element('div', { class: 'page text' },
    element('p', { class: 'facts' }, 'Promises that a change of the patch format must keep to parties that do not know it: directives and proposals by law. A field opens its verdict, with the smallest counter-example and the case that shows it.'),
    tried && element('div', { class: 'facts' },
      element('span', { class: 'tried' }, `Each law that is kept was tried in ${tried}.`), ' To show a benefit, one situation is enough.'),
    element('div', { class: 'wide' }, pivotByFamily(lawCells, rows, 'axis.law').tables.map((table) => matrixTable(table, rows, 'axis.law', { ...state, conditions: new Map() }))),
    element('dl', {}, [...laws].filter(([, about]) => about).map(([law, about]) => [element('dt', {}, law), element('dd', {}, about)])));
}
