// Documents side by side.

/** Maximum number of pairs of lines that are compared. Larger documents are shown as completely different. */
const MAX_LINE_PAIRS = 4_000_000;
/** Number of unchanged lines shown around a change. */
const CONTEXT = 3;

function linesOf(text) {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The lines of two documents in pairs: `[left index or -1, right index or -1]`, in order. */
function alignLines(left, right) {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let endLeft = left.length;
  let endRight = right.length;
  while (endLeft > start && endRight > start && left[endLeft - 1] === right[endRight - 1]) {
    endLeft -= 1;
    endRight -= 1;
  }
  const pairs = [];
  for (let i = 0; i < start; i += 1) pairs.push([i, i]);
  pairs.push(...alignChangedLines(left, right, start, endLeft, endRight));
  for (let i = endLeft; i < left.length; i += 1) pairs.push([i, i - endLeft + endRight]);
  return pairs;
}

/** The longest common subsequence of the lines that are not equal at both ends. */
function alignChangedLines(left, right, start, endLeft, endRight) {
  const rows = endLeft - start;
  const columns = endRight - start;
  const pairs = [];
  let i = 0;
  let j = 0;
  if (rows * columns <= MAX_LINE_PAIRS) {
    const width = columns + 1;
    const length = new Uint32Array((rows + 1) * width);
    for (let a = rows - 1; a >= 0; a -= 1) {
      for (let b = columns - 1; b >= 0; b -= 1) {
        length[a * width + b] = left[start + a] === right[start + b]
          ? length[(a + 1) * width + b + 1] + 1
          : Math.max(length[(a + 1) * width + b], length[a * width + b + 1]);
      }
    }
    while (i < rows && j < columns) {
      if (left[start + i] === right[start + j]) pairs.push([start + i++, start + j++]);
      else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) pairs.push([start + i++, -1]);
      else pairs.push([-1, start + j++]);
    }
  }
  while (i < rows) pairs.push([start + i++, -1]);
  while (j < columns) pairs.push([-1, start + j++]);
  return pairReplacedLines(pairs);
}

/** Pairs removed lines with the lines that were added in their place. */
function pairReplacedLines(pairs) {
  const merged = [];
  let gone = [];
  let come = [];
  const flush = () => {
    for (let i = 0; i < Math.max(gone.length, come.length); i += 1) merged.push([gone[i] ?? -1, come[i] ?? -1]);
    gone = [];
    come = [];
  };
  for (const [left, right] of pairs) {
    if (left >= 0 && right >= 0) {
      flush();
      merged.push([left, right]);
    } else if (left >= 0) gone.push(left);
    else come.push(right);
  }
  flush();
  return merged;
}

/** The likeness of two documents, from 0 to 1: the share of the longer document that both have. */
function similarity(left, right) {
  const [one, other] = [linesOf(left), linesOf(right)];
  const counts = new Map();
  for (const line of one) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of other) {
    const count = counts.get(line) ?? 0;
    if (count > 0) {
      common += 1;
      counts.set(line, count - 1);
    }
  }
  return common / Math.max(one.length, other.length, 1);
}

/** A table of two documents side by side. Long runs of unchanged lines are folded. */
function diffTable(leftName, leftText, rightName, rightText) {
  const left = linesOf(leftText);
  const right = linesOf(rightText);
  const pairs = alignLines(left, right);
  const isUnchanged = ([a, b]) => a >= 0 && b >= 0 && left[a] === right[b];
  const near = new Uint8Array(pairs.length);
  pairs.forEach((pair, index) => {
    if (!isUnchanged(pair)) near.fill(1, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  });
  const side = (lines, index, kept, name) => [
    element('td', { class: 'number' }, index < 0 ? '' : String(index + 1)),
    element('td', { class: index < 0 ? 'blank' : kept ? 'kept' : name }, index < 0 ? '' : lines[index]),
  ];
  const line = (pair) => element('tr', {}, side(left, pair[0], isUnchanged(pair), 'gone'), side(right, pair[1], isUnchanged(pair), 'come'));
  const body = element('tbody', {});
  for (let index = 0; index < pairs.length;) {
    let end = index;
    while (end < pairs.length && !near[end]) end += 1;
    if (end - index > 2 && near.includes(1)) body.append(foldedRow(pairs.slice(index, end), line));
    else for (let i = index; i < end; i += 1) body.append(line(pairs[i]));
    for (index = end; index < pairs.length && near[index]; index += 1) body.append(line(pairs[index]));
  }
  const columns = ['number', '', 'number', ''].map((name) => element('col', { class: name }));
  const head = element('tr', {}, element('th', { colspan: 2, scope: 'col' }, leftName), element('th', { colspan: 2, scope: 'col' }, rightName));
  return element('table', { class: 'diff' }, element('colgroup', {}, columns), element('thead', {}, head), body);
}

function foldedRow(pairs, line) {
  const row = element('tr', { class: 'fold' }, element('td', { colspan: 4 }, element('button', {
    type: 'button',
    onclick: () => row.replaceWith(...pairs.map(line)),
  }, `${counted(pairs.length, 'unchanged line')}: show`)));
  return row;
}
