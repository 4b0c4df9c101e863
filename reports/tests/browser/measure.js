// The measurement of a page with 100,000 cells. It writes the duration of each action into the title of the page, which
// the debugging port of the browser returns. No report contains this script.
addEventListener('load', async () => {
  const frame = () => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))); });
  const $ = (selector) => document.querySelector(selector);
  const times = { 'load, drawn': [Math.round(await frame())] };
  const timed = async (name, action) => {
    const start = performance.now();
    action();
    const drawn = await frame();
    (times[name] ??= []).push(Math.round(drawn - start));
  };
  const choose = (select, value) => {
    select.value = value;
    select.dispatchEvent(new Event('change'));
  };
  const visit = (hash) => { location.hash = hash; dispatchEvent(new PopStateEvent('popstate')); };

  for (let round = 0; round < 5; round += 1) {
    await timed('list of all cells', () => visit('#cells'));
    await timed('filter by outcome: lost', () => choose(document.querySelectorAll('#filters select')[3], 'lost'));
    await timed('filter by any silent', () => choose(document.querySelectorAll('#filters select')[3], 'silent'));
    await timed('filter off', () => choose(document.querySelectorAll('#filters select')[3], ''));
    await timed('search for a word', () => visit(`#cells?text=case-9${round}`));
    await timed('search for a part of an id', () => visit(`#cells?text=${encodeURIComponent(`${round}/case-${round}4[client=old`)}`));
    await timed('pivot client by server', () => visit('#matrix?rows=axis.client&columns=axis.server'));
    await timed('pivot suite by outcome', () => visit('#matrix?rows=suite&columns=outcome'));
    await timed('side by side by client', () => visit('#beside?by=client'));
    await timed('summary', () => visit('#summary'));
    visit('#cells');
    await frame();
    $('.list').focus();
    await timed('open a cell', () => $('.list').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
    await timed('close it', () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })));
    for (let step = 0; step < 20; step += 1) {
      await timed('scroll by 500 rows', () => { $('.list').scrollTop += 500 * 52; });
    }
  }
  document.title = `measured ${JSON.stringify(times)}`;
});
