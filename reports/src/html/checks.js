// Used by the browser tests: works with a page as a person would, through what is on it, and writes down what
// was as it should be. Not part of any report.
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
  const ids = JSON.parse($('#data').textContent).results.cells.map((cell) => cell.id);

  const checks = {
    async sample() {
      check('the summary names what was not run', text('.page > p'), 'not run No cell was run of proposals/patch-merge-key.');
      check('a row for each suite', all('.counts tbody tr').length, 4);

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
      check('silent cells are told', text('.shown'), '2 of 12 cells');
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
      press('Escape');
      check('Escape closes it', text('.detail .title'), undefined);
      check('and goes back to the list', document.activeElement.className, 'list');
      history.back();
      await pause(100);
      check('the way back opens it again', text('.detail .title'), ids[1]);

      await visit('#cell-no-such');
      check('a cell that is not there is missed', text('.detail .nothing').startsWith('There is no cell no-such. '), true);

      await visit('#matrix?rows=axis.client&columns=axis.server');
      check('the matrix has its fields', all('.matrix td').map((field) => field.textContent).join(), 'as-before,intended (unexpected-pass),lost (fail),intended');
      check('cells without the axes are counted', text('.page .page .facts'), 'Not in the table: 8 cells without client or server.');
      all('.matrix .mark')[2].click();
      check('a field opens its cell', text('.detail .title'), ids[1]);
      await visit('#matrix?rows=suite&columns=status');
      all('.matrix .mark').find((mark) => mark.textContent === '1 as-before').click();
      check('a mark of several opens its one cell', text('.detail .title'), ids[0]);

      await visit('#errata');
      check('errata are listed', all('.erratum').length, 1);
      const theme = document.documentElement.dataset.theme;
      $('#theme').click();
      check('the theme changes', document.documentElement.dataset.theme !== theme, true);
      dispatchEvent(new Event('beforeprint'));
      check('nothing is lost on paper', all('.row').length === 0 || all('.row').length === ids.length, true);
    },

    async hostile() {
      for (const page of ['summary', 'summary?by=issue', 'matrix', 'matrix?rows=issue&columns=document', 'cells', 'errata']) {
        await visit(`#${page}`);
        check(`${page} makes no element of a text`, all('body script').length, 3);
      }
      await visit(`#cell-${encodeURIComponent(ids[0])}`);
      check('the cell is found by its hash', text('.detail .title'), ids[0]);
      check('it makes no element of a text', all('body script').length, 3);
      check('no link leads to a script', all('main a').filter((link) => !/^(#|https?:)/.test(link.getAttribute('href'))).length, 0);
      check('no script of a text was run', window.alerts, 0);
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
  const lines = document.createElement('pre');
  lines.id = 'checks';
  lines.textContent = report.join('\n');
  document.body.replaceChildren(lines);
})();
