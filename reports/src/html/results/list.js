// A long list, in which only the visible rows are elements.

/** Maximum number of rows. Browsers can't scroll over much more than 30 million pixels. */
const MAX_ROWS = 500_000;
/** Number of rows made above and below the visible ones. */
const SPARE_ROWS = 8;
/** Maximum number of printed rows. */
const MAX_PRINTED_ROWS = 2_000;

/** A list box over `items`. `render` makes the content of a row. `open` is called with the item that the user chose. */
class LongList {
  constructor(label, render, open) {
    this.render = render;
    this.open = open;
    // A function that is called with the current item when a key has moved to it.
    this.moved = null;
    this.items = [];
    this.current = 0;
    this.chosen = null;
    this.space = element('div', { class: 'space', role: 'presentation' });
    this.host = element('div', {
      class: 'list',
      role: 'listbox',
      tabindex: 0,
      'aria-label': label,
      onscroll: () => requestAnimationFrame(() => this.draw()),
      onkeydown: (event) => this.key(event),
    }, this.space);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.host);
  }

  /** Replaces the items of the list. The item `chosen` is marked if it is among them. */
  show(items, chosen) {
    this.items = items.length > MAX_ROWS ? items.slice(0, MAX_ROWS) : items;
    this.chosen = chosen;
    this.current = Math.max(0, this.items.indexOf(chosen));
    this.rowHeight = parseFloat(getComputedStyle(document.documentElement).fontSize) * 3.25;
    this.space.style.height = `${this.items.length * this.rowHeight}px`;
    this.draw(true);
  }

  /** Marks `item` as the open item. */
  choose(item) {
    this.chosen = item;
    const index = this.items.indexOf(item);
    if (index >= 0) this.move(index);
    else this.draw(true);
  }

  /** Makes the visible rows. */
  draw(always) {
    if (this.printing) return;
    const first = Math.max(0, Math.floor(this.host.scrollTop / this.rowHeight) - SPARE_ROWS);
    const count = Math.ceil(this.host.clientHeight / this.rowHeight) + 2 * SPARE_ROWS;
    const last = Math.min(this.items.length, first + count);
    if (!always && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    this.fill(first, last);
  }

  fill(first, last) {
    if (this.items.length === 0) {
      this.space.replaceChildren(element('p', { class: 'nothing' }, 'No cell is like that.'));
      return;
    }
    const rows = [];
    for (let index = first; index < last; index += 1) rows.push(this.row(index));
    this.space.replaceChildren(...rows);
    this.host.setAttribute('aria-activedescendant', `row-${this.current}`);
  }

  row(index) {
    const item = this.items[index];
    const row = element('div', {
      class: index === this.current ? 'row current' : 'row',
      role: 'option',
      id: `row-${index}`,
      'aria-selected': item === this.chosen ? 'true' : 'false',
      'aria-setsize': this.items.length,
      'aria-posinset': index + 1,
      onclick: () => {
        this.move(index);
        this.open(item);
      },
    }, this.render(item));
    row.style.top = `${index * this.rowHeight}px`;
    return row;
  }

  /** Makes a row the current one and scrolls to it. */
  move(index) {
    this.current = Math.min(Math.max(index, 0), Math.max(this.items.length - 1, 0));
    const top = this.current * this.rowHeight;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    const under = top + this.rowHeight - this.host.clientHeight;
    if (under > this.host.scrollTop) this.host.scrollTop = under;
    this.draw(true);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.host.clientHeight / this.rowHeight) - 1);
    const to = {
      ArrowDown: this.current + 1,
      ArrowUp: this.current - 1,
      j: this.current + 1,
      k: this.current - 1,
      PageDown: this.current + page,
      PageUp: this.current - page,
      Home: 0,
      End: this.items.length - 1,
    }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) {
      this.move(to);
      this.moved?.(this.items[this.current]);
    }
    else if (event.key === 'Enter' || event.key === ' ') {
      if (this.items.length > 0) this.open(this.items[this.current]);
    } else return;
    event.preventDefault();
  }

  /** Shows all rows for printing, up to a limit. */
  print(printing) {
    this.printing = printing;
    if (printing) {
      this.fill(0, Math.min(this.items.length, MAX_PRINTED_ROWS));
      const more = this.items.length - MAX_PRINTED_ROWS;
      if (more > 0) this.space.append(element('p', { class: 'nothing' }, `and ${counted(more, 'more cell')}`));
    } else this.draw(true);
  }
}
