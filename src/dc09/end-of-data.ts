/** Blocks behind the first one of a message; more than any panel sends. */
export const BLOCKS_MAX = 16;

/**
 * Where the data of a message ends: the first bracket behind which only blocks and the time follow. It is found in one pass from the
 * end, because anyone can send a message of 4,000 brackets.
 * @param mayHaveBrackets whether a block of this letter may have brackets of its own
 * @returns -1 if nowhere
 */
export function endOfData(text: string, mayHaveBrackets: (id: string) => boolean): number {
  let end = -1;
  // Of the bracket behind the one that is looked at: how many blocks follow it, if none or if some have brackets of their own.
  let plain = Infinity;
  let mixed = Infinity;
  // Of the next bracket that may end a block with brackets of its own.
  let mixedAtEnd = Infinity;
  let isLast = true;
  for (
    let close = text.lastIndexOf("]");
    close >= 0;
    close = close > 0 ? text.lastIndexOf("]", close - 1) : -1
  ) {
    const at = behindBlanks(text, close + 1);
    if (text[at] === "[") {
      mixed = (mayHaveBrackets(text.slice(at + 1, at + 2)) ? mixedAtEnd : mixed) + 1;
      plain += 1;
    } else {
      // The time, or nothing, is only behind the last one.
      plain = isLast && (at === text.length || text[at] === "_") ? 0 : Infinity;
      mixed = plain;
    }
    if (endsBlock(text, close)) mixedAtEnd = mixed;
    if (Math.min(plain, mixed) <= BLOCKS_MAX) end = close;
    isLast = false;
  }
  return end;
}

/** Where a block ends whose text may have brackets; -1 if nowhere. */
export function endOfBlock(text: string, from: number): number {
  let close = text.indexOf("]", from);
  while (close >= 0 && !endsBlock(text, close)) close = text.indexOf("]", close + 1);
  return close;
}

/** Whether another block follows a bracket, the time or nothing. */
function endsBlock(text: string, close: number): boolean {
  const next = text[behindBlanks(text, close + 1)];
  return text[close + 1] === "[" || next === "_" || next === undefined;
}

/** Some write blanks between the parts, or in the place of the time. */
export function behindBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at += 1;
  return at;
}
