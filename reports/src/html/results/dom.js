// Elements. Foreign text becomes text nodes only, and no script of the page parses markup.

/** Makes an element with attributes (`onclick` and the like are listeners) and children. */
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2), value);
    else if (name === 'class') node.className = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A link to a web address. Any other address, such as a script or a file, becomes plain text. */
function outerLink(address, text) {
  return /^https?:\/\//i.test(address)
    ? element('a', { href: address, rel: 'noreferrer noopener', target: '_blank' }, text ?? address)
    : text ?? address;
}

/** A link for an issue that is written as an address or as `owner/repository#number`. */
function issueLink(issue) {
  const short = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(issue);
  return short ? outerLink(`https://github.com/${short[1]}/issues/${short[2]}`, issue) : outerLink(issue);
}

/** A labelled selection field. `options` are pairs of value and text, or of the name of a group and its options. */
function labelledSelect(label, options, chosen, onchange) {
  const option = ([value, text]) => (Array.isArray(text) ? element('optgroup', { label: value }, text.map(option))
    : element('option', { value, selected: value === chosen }, text));
  const select = element('select', { 'aria-label': label ? null : 'more filters', onchange: () => onchange(select.value) }, options.map(option));
  return element('label', {}, label, select);
}

/** A command line, with a button that copies it. */
function copyableCommand(text) {
  const code = element('code', {}, text);
  const button = element('button', { type: 'button', onclick: () => copyText(text, code, button) }, 'Copy');
  return element('div', { class: 'paste' }, code, button);
}

/** Copies `text`. If the browser does not permit copying, selects `fallback`, so that the user can copy its text. */
async function copyText(text, fallback, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(fallback);
    button.textContent = 'Selected';
  }
}

/** Announces a text to screen readers. */
function announce(text) {
  document.getElementById('announcement').textContent = text;
}

/** A number with a noun in the singular or plural. */
function counted(count, one, several) {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several ?? `${one}s`}`;
}
