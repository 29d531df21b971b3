/** Unchanged lines shown around a change. */
const CONTEXT = 3;
/** Lines of the changed part that are compared one by one; beyond it the part is shown as replaced. */
const COMPARED_MAX = 2_000;

interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Differences of two texts as lines with `-`, `+` or a blank before them, each part after `@@ -line +line @@`. */
export function textDiff(before: string, after: string): string {
  const lines = compared(before.split("\n"), after.split("\n"));
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " ");
  const out: string[] = [];
  let [oldLine, newLine, isInside] = [1, 1, false];
  for (const [index, { sign, text }] of lines.entries()) {
    const isShown = isNear(index);
    if (isShown && !isInside) out.push(`@@ -${oldLine} +${newLine} @@`);
    if (isShown) out.push(`${sign}${text}`);
    isInside = isShown;
    if (sign !== "+") oldLine += 1;
    if (sign !== "-") newLine += 1;
  }
  return out.join("\n");
}

function compared(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (text: string): Line => ({ sign: " ", text });
  return [
    ...before.slice(0, start).map(same),
    ...changedPart(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** The longest common subsequence of the changed part decides what stays. */
function changedPart(before: readonly string[], after: readonly string[]): Line[] {
  const removed = before.map((text): Line => ({ sign: "-", text }));
  const added = after.map((text): Line => ({ sign: "+", text }));
  if (before.length > COMPARED_MAX || after.length > COMPARED_MAX) return [...removed, ...added];
  const width = after.length + 1;
  const common = new Uint16Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length && column < after.length) {
    const [old, now] = [removed[row], added[column]];
    if (old === undefined || now === undefined) break;
    if (old.text === now.text) {
      lines.push({ sign: " ", text: old.text });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push(old);
      row += 1;
    } else {
      lines.push(now);
      column += 1;
    }
  }
  return [...lines, ...removed.slice(row), ...added.slice(column)];
}
