// The checks of the browser tests. They use the elements of a page as a user would, and write the result of each check
// into the page. No report contains this script.
(async () => {
  const report = [];
  const check = (name, actual, expected) => report.push(
    actual === expected ? `ok ${name}` : `FAILED ${name}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  const $ = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const text = (selector) => $(selector)?.textContent;
  const pause = (time) => new Promise((done) => { setTimeout(done, time); });
  const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const visit = async (hash) => {
    location.hash = hash;
    await pause(50);
  };
  const ids = document.currentIds;

  const checks = {
    async sample() {
      check('the summary counts the cells', all('.tile strong').map((tile) => tile.textContent).slice(0, 2).join(), '12,5');
      check('every suite has a bar', all('.counts tbody .shares').length, 4);
      check('suites are grouped by folder', all('.counts .folder').length > 1, true);
      check('the words are explained', all('.legend dt').length, 23);
      check('the summary names what was not run', text('.page > p:has(.mark)'), 'not-run no cell was run of proposals/patch-merge-key');
      check('a row for each suite', all('.counts tbody tr:not(.folder)').length, 4);

      await visit('#cells');
      check('all cells are listed', all('.row').length, ids.length);
      press('/');
      check('a slash goes to the search', document.activeElement.type, 'search');
      $('#filters input').value = 'SWITCH bar';
      $('#filters input').dispatchEvent(new Event('input'));
      await pause(300);
      check('every word is searched for', text('.shown'), '1 of 12 cells');
      check('the address has the search', location.hash, '#cells?text=SWITCH+bar');
      await visit('#cells?status=failing');
      check('filters come from the address', text('.shown'), '5 of 12 cells');
      await visit('#cells?outcome=silent');
      check('silent cells are told', text('.shown'), '1 of 12 cells');
      check('the search field is emptied', $('#filters input').value, '');

      await visit('#cells');
      $('.list').focus();
      press('ArrowDown');
      press('Enter');
      check('keys open a cell', text('.detail .title'), ids[1]);
      check('the address names the cell', decodeURIComponent(location.hash), `#cell-${ids[1]}`);
      check('the cell is marked', text('.row[aria-selected="true"] .mark'), 'lost (fail)');
      check('the diff shows what is missing', text('.diff .gone'), '  type: bar');
      check('every step has a panel', all('section .step').length, 5);
      check('a step is compared with an earlier one', text('.step .controls option:checked'), '1. stored');
      press('ArrowDown');
      check('after that, an arrow opens the next cell', text('.detail .title'), ids[2]);
      press('k');
      press('k');
      check('and goes up, too', text('.detail .title'), ids[0]);
      check('the row of the open cell is marked', text('.row[aria-selected="true"] .name'), text('.detail .title').split('/').at(-1).split('[')[0]);
      press('j');
      press('Escape');
      check('Escape closes it', text('.detail .title'), undefined);
      check('and goes back to the list', document.activeElement.className, 'list');
      history.back();
      await pause(100);
      check('the way back opens it again', text('.detail .title'), ids[1]);

      await visit('#cell-no-such');
      check('a cell that is not there is missed', text('.detail .nothing').startsWith('There is no cell no-such. '), true);

      check('suites are grouped by folder in the filter', all('#filters optgroup').some((group) => group.label === 'retain-keys'), true);

      await visit('#matrix?rows=axis.client&columns=axis.server');
      check('the matrix has its fields', all('.matrix td').map((field) => field.textContent).join(), 'as-before (leftover),intended (unexpected-pass),lost (fail),intended');
      check('cells without the axes are counted', all('.page .facts').at(-1).textContent, 'Not in the table: 8 cells without client or server.');
      all('.matrix .mark')[2].click();
      check('a field opens its cell', text('.detail .title'), ids[1]);
      await visit('#matrix?rows=suite&columns=status');
      all('.matrix .mark').find((mark) => mark.textContent === '1 as-before (leftover)').click();
      check('a mark of several opens its one cell', text('.detail .title'), ids[0]);

      await visit('#beside?by=client');
      check('values of an axis stand side by side', all('.matrix').at(-1).querySelector('thead').textContent, 'point \\ clientoldnew');
      check('where it makes a difference', [...all('.matrix').at(-1).querySelectorAll('td')].map((field) => field.textContent).join(), 'as-before (leftover),lost (fail),intended (unexpected-pass),intended');
      all('.matrix').at(-1).querySelectorAll('a')[1].click();
      await pause(100);
      check('a link to a cell opens it', text('.detail .title'), ids[1]);

      await visit('#cells');
      const more = all('#filters select').at(-1);
      more.value = 'axis.server';
      more.dispatchEvent(new Event('change'));
      const added = all('#filters select').at(-2);
      added.value = 'old';
      added.dispatchEvent(new Event('change'));
      check('any axis can be filtered by', `${text('.shown')} ${location.hash}`, '2 of 12 cells #cells?axis.server=old');

      await visit('#errata');
      check('errata are listed', all('.erratum').length, 1);
      const theme = document.documentElement.dataset.theme;
      $('#theme').click();
      check('the theme changes', document.documentElement.dataset.theme !== theme, true);
      dispatchEvent(new Event('beforeprint'));
      check('nothing is lost on paper', all('.row').length === 0 || all('.row').length === ids.length, true);
    },

    async comparison() {
      check('the first page is what changed', text('nav [aria-current]'), 'Changes');
      check('it says whether anything got worse', text('.verdict'), 'Cells got worse, cells are gone.');
      check('every heading is counted', all('.tile').map((tile) => tile.textContent).join(), '1worse,1better,1changed,1new,1gone,1renamed,6same');
      check('what was and what is stand side by side', text('.suite-changes li').startsWith('as-before → lost (fail)'), true);
      check('the axes say where', all('.suite-changes dd')[0].textContent, 'new 1 of 2');
      $('.suite-changes li a').click();
      await pause(100);
      check('a change opens its cell', text('.detail .title'), ids[1]);
      check('with what was before', text('.bar'), 'as-before → lost (fail)requiredworseLink to this cell');
      await visit('#matrix?rows=before&columns=now');
      check('what was stands against what is', text('.matrix th'), 'before \\ now');
      check('every cell that both runs have is there', all('.matrix .mark').map((mark) => parseInt(mark.textContent, 10) || 1).reduce((one, other) => one + other), 10);
      await visit('#cells?change=worse');
      check('a renamed cell that broke is among what got worse', text('.shown'), '2 of 12 cells');
      await visit(`#cell-${encodeURIComponent('errata/printed-examples/second-container')}`);
      check('a link to the old id finds the cell', text('.detail .title'), 'errata/lists/second-container');
    },

    async corpus() {
      await visit('#matrix');
      check('client and server are the first matrix', text('.matrix th'), 'client \\ server');
      await visit('#beside');
      check('policies stand side by side', text('.matrix th'), 'policy \\ outcome');
      for (const id of ids) {
        await visit(`#cell-${encodeURIComponent(id)}`);
        if (text('.detail .title') !== id) check('every cell can be opened by its link', text('.detail .title'), id);
      }
      check('the last has its documents', all('.step .document, .step .diff').length > 0, true);
    },

    async pages() {
      await visit('#policies');
      check('the matrix of the KEP has a page', text('.article h2'), 'KEP-1027, Union types: the test matrix, by policy');
      check('policies are counted', text('.article tbody tr'), 'none2···11···2');
      check('outcomes are marks', all('.article .mark').length > 0, true);
      all('.article a').find((link) => link.textContent.startsWith('client=unaware')).click();
      await pause(100);
      check('points of a conclusion are links', `${text('nav [aria-current]')} ${text('.shown')}`, 'Side by side 4 of 6 cells');
      await visit('#laws');
      check('the laws are a table', [...$('.matrix').querySelectorAll('td')].map((field) => field.textContent).join(), 'kept,broken');
      check('a broken law stands out', all('.matrix .mark.broken').length, 1);
      check('each law is explained', all('.page dd').map((about) => about.textContent).join(), 'what backward asks for.,what forward asks for.');
      all('.matrix .mark')[1].click();
      check('a verdict opens', text('.detail .title'), ids[5]);
      await visit('#summary');
      const laws = all('.counts tbody tr').find((row) => row.querySelector('td')?.textContent === 'laws');
      const counts = [...laws.querySelectorAll('td')].slice(3).map((field) => field.textContent).filter((count) => count !== '·');
      check('the row of the laws has the verdicts of its bar', `${counts.join()} ${laws.querySelector('.shares').getAttribute('aria-label')}`, '2,1,1 1 law-broken, 1 intended');
      await visit('#laws');
      check('it says what was tried', text('.tried'), 'Each law that is kept was tried in 3 situations of the corpus.');
      await visit('#matrix?rows=axis.client&columns=axis.law');
      check('a table without cells offers another', text('.nothing button'), 'Show client by server');
      $('.nothing button').click();
      check('and it has cells', all('.matrix td').length, 1);
    },

    async hostile() {
      for (const page of ['summary', 'runs', 'summary?by=issue', 'matrix', 'beside', 'matrix?rows=issue&columns=document', 'cells', 'errata', 'policies', 'laws']) {
        await visit(`#${page}`);
        check(`${page} makes no element of a text`, all('body script').length, 3);
      }
      await visit(`#cell-${encodeURIComponent(ids[0])}`);
      check('the cell is found by its hash', text('.detail .title'), ids[0]);
      check('it makes no element of a text', all('body script').length, 3);
      check('no link leads to a script', all('main a').filter((link) => !/^(#|https?:)/.test(link.getAttribute('href'))).length, 0);
      check('no script of a text was run', window.alerts, 0);
    },

    async questions() {
      const card = all('.card').find((each) => each.querySelector('h3 a').textContent === '$retainKeys');
      const answer = [...card.querySelectorAll('.answer')].find((each) => each.textContent.startsWith('An old client with a new server'));
      check('a card says what goes wrong', answer.textContent, 'An old client with a new server: 2 of 3 combinations go wrong without an error.');
      check('documents have cards', all('.card h3 a').some((link) => link.textContent === 'retain-keys'), true);
      answer.click();
      await pause(100);
      check('the first click leads to the matrix', `${text('nav [aria-current]')} ${text('.shown')}`, 'Matrix 3 of 9 cells');
      const counts = all('.key button');
      check('the kinds of results are counted', counts.map((count) => count.textContent.trim()).join(), '2 silently-wrong,1 intended');
      counts[0].click();
      check('the second click lists the cells', all('.row .first').map((row) => row.title).join(' '), `${ids[0]} ${ids[4]}`);

      await visit('#matrix?rows=axis.client&columns=axis.server');
      const heads = all('.matrix thead').map((head) => [...head.querySelectorAll('th')].slice(1).map((field) => field.textContent).join());
      check('families of values have tables of their own', heads.join(' | '), 'new,old | 1.9,1.10 | without-the-tags');
      check('no row or column is empty', all('.matrix').every((table) => [...table.querySelectorAll('tbody tr')].every((row) => row.querySelector('.mark'))), true);
      const select = all('.controls select').at(-1);
      check('a family can be chosen', select.options.length, 4);
      select.value = select.options[2].value;
      select.dispatchEvent(new Event('change'));
      check('then its table is the only one', `${all('.matrix').length} ${new URLSearchParams(location.hash.split('?')[1]).get('values')}`, '1 ["1.9","1.10"]');
      const tones = all('.matrix .mark').map((mark) => mark.className).concat();
      await visit('#matrix?rows=suite&columns=outcome');
      const marked = new Map(all('.matrix .mark').map((mark) => [mark.textContent.replace(/^[0-9]+ /, '').split(' ')[0], getComputedStyle(mark)]));
      const words = ['intended', 'rejected', 'as-before', 'refused', 'lost', 'wrongly-accepted'];
      check('these words have different colours', new Set(words.map((word) => marked.get(word).color)).size, words.length);
      check('they have different signs', new Set(all('.matrix .mark').map((mark) => getComputedStyle(mark, '::before').content)).size, words.length);
      check('the first marks have a tone', tones.every((tone) => tone.startsWith('mark ')), true);

      await visit('#cell-retain-keys/version-skew/switch');
      check('a prefix of ids lists its cells', text('.shown'), '6 of 9 cells');
      check('the filters show the prefix', text('.prefix code'), 'retain-keys/version-skew/switch');
      await visit('#cell-retain-keys/tags/');
      check('a prefix of one id opens its cell', text('.detail .title'), ids[8]);
      const live = $('.shown');
      check('the count is announced', `${live.getAttribute('role')} ${live.getAttribute('aria-live')}`, 'status polite');
      await visit('#cells?outcome=lost');
      check('the announced element stays and changes', `${live === $('.shown')} ${live.textContent}`, 'true 1 of 9 cells');
    },

    async phone() {
      const isShown = (selector) => $(selector).checkVisibility();
      await visit('#cells');
      check('the window is narrow', innerWidth <= 500, true);
      check('no condition, no text', $('.conditions').textContent, '');
      check('filters are folded up', isShown('#fields'), false);
      await visit('#cells?level=required&outcome=silent');
      check('what they are can be read', `${isShown('.conditions')} ${text('.conditions')}`, 'true level: required; outcome: silent');
      await visit('#cells');
      check('the search is not', isShown('#filters input'), true);
      check('the facts of the run are folded up', isShown('#run'), false);
      all('.toggle').forEach((button) => button.click());
      check('buttons unfold both', `${isShown('#fields')} ${isShown('#run')} ${all('.toggle').map((button) => button.getAttribute('aria-expanded')).join()}`, 'true true true,true');
      all('.toggle').forEach((button) => button.click());
      check('and fold both up again', `${isShown('#fields')} ${isShown('#run')}`, 'false false');
      const head = $('main').getBoundingClientRect().top;
      check('the content begins in the upper fifth', head < 240, true);
      check('the pages are in one line', $('#views').offsetHeight < 60, true);
      check('nothing is wider than the window', document.documentElement.scrollWidth <= innerWidth, true);
      all('.row')[0].click();
      check('an opened cell has the whole page', `${isShown('#filters')} ${isShown('.detail')}`, 'false true');
      for (const page of ['summary', 'matrix', 'laws']) {
        await visit(`#${page}`);
        check(`${page} fits`, document.documentElement.scrollWidth <= innerWidth, true);
      }
    },

    async runs() {
      await visit('#runs');
      const rows = all('.trend tbody tr').map((row) => row.querySelector('th').firstChild.textContent);
      check('runs are in the order of the command line', rows.join(), 'monday.json,tuesday.json,today.json');
      check('a run has its properties', text('.trend th .facts').endsWith('commit 1a2b3c'), true);
      check('and this run, too', text('#run').endsWith('commit 9f8e7d'), true);
      check('each run has a bar', all('.trend .shares').length, 3);
      check('differences to the run before are shown', all('.difference').map((each) => each.textContent).join(), '+1,+1,+1,−1');
      const patterns = all('.differences tbody tr').map((row) => [...row.querySelectorAll('td')].map((field) => field.textContent).join(' '));
      check('cells are grouped by their results', patterns.join(' | '), 'lost lost (fail) lost 1 cell | no such cell as-before (lost) as-before (lost) 1 cell');
      $('.differences button').click();
      check('a group lists its cells', text('.shown'), '1 of 9 cells');
      all('.row')[0].click();
      check('a cell has its results in all runs', all('.detail dd div').map((run) => run.textContent).join(), 'lost monday.json,lost (fail) tuesday.json,lost today.json');
      const links = all('.detail dd a').map((link) => link.getAttribute('href'));
      check('documents and case files are links', links.join(' '), 'https://example.com/retain-keys.md#when-retainkeys-is-absent https://example.com/cases/retain-keys/version-skew.yaml#L7');
    },

    async many() {
      await visit('#cells');
      check('all cells are counted', text('.shown'), '100,000 of 100,000 cells');
      check('only rows in sight exist', all('.row').length < 100, true);
      $('.list').focus();
      press('End');
      await pause(100);
      check('the last row can be reached', all('.row').some((row) => row.title === ids.at(-1) || row.querySelector('.first').title === ids.at(-1)), true);
      press('Enter');
      check('and opened', text('.detail .title'), ids.at(-1));
      await visit('#matrix?rows=axis.client&columns=axis.server');
      check('the matrix counts all', all('.matrix .mark').map((mark) => parseInt(mark.textContent.replaceAll(',', ''), 10)).reduce((one, other) => one + other), 100_000);
    },
  };

  try {
    await checks[document.currentChecks]();
  } catch (error) {
    report.push(`FAILED ${error.stack}`);
  }
  // All errors that the page threw, and all violations of its content security policy.
  report.push(...window.complaints.map((complaint) => `FAILED complaint: ${complaint}`));
  const lines = document.createElement('pre');
  lines.id = 'checks';
  lines.textContent = report.join('\n');
  document.body.replaceChildren(lines);
})();
