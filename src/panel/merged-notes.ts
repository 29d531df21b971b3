/** Of notes, in code points: that of the API. */
const LENGTH_MAX = 4_000;

/**
 * The notes as they are now with what a user has changed of an earlier version, by lines: each further trip changes a line or adds
 * one, and the dispatcher writes there too.
 * @returns undefined if not all of it fits
 */
export function mergedNotes(before: string, mine: string, now: string): string | undefined {
  const [earlier, own, current] = [before, mine, now].map(linesOf) as [string[], string[], string[]];
  const merged = (besideEachOther(earlier, own, current) ?? oneByOne(earlier, own, current)).join("\n");
  return [...merged].length <= LENGTH_MAX ? merged : undefined;
}

/** Whether what a user has changed of an earlier version is in the notes as they are now. */
export function isChangeIn(before: string, mine: string, now: string): boolean {
  const [earlier, own, current] = [before, mine, now].map(linesOf) as [string[], string[], string[]];
  return (
    own.every((line) => line === "" || earlier.includes(line) || current.includes(line)) &&
    earlier.every((line) => line === "" || own.includes(line) || !current.includes(line))
  );
}

/** Both changes at their places; undefined if they overlap, or what was added here may be there already. */
function besideEachOther(before: string[], mine: string[], now: string[]): string[] | undefined {
  const added = mine.filter((line) => line !== "" && !before.includes(line));
  if (added.some((line) => now.includes(line))) return undefined;
  const [start, end] = changedPart(before, mine);
  const [otherStart, otherEnd] = changedPart(before, now);
  if (otherEnd <= start) return [...now.slice(0, now.length - (before.length - start)), ...mine.slice(start)];
  return end <= otherStart
    ? [...mine.slice(0, mine.length - (before.length - end)), ...now.slice(end)]
    : undefined;
}

/** The lines that were removed are taken out, and those that were added follow at the end. */
function oneByOne(before: string[], mine: string[], now: string[]): string[] {
  const kept = now.filter((line) => !before.includes(line) || mine.includes(line));
  return [...kept, ...mine.filter((line) => !before.includes(line) && !kept.includes(line))];
}

/** The lines of the former text that another one does not have at its beginning and end; the end is exclusive. */
function changedPart(before: string[], after: string[]): [start: number, end: number] {
  const length = Math.min(before.length, after.length);
  let start = 0;
  while (start < length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return [start, before.length - end];
}

/** Browsers send CRLF line ends. */
function linesOf(text: string): string[] {
  return text === "" ? [] : text.split(/\r?\n/);
}
