import { folded } from "./search-folding.ts";

/**
 * The lines of a text that a dispatch centre has not stored. A centre may write them in another way: with other line ends, spaces,
 * quotes or accents, or with escapes. Lines are lost only if less came back than was sent.
 * @param sent the text as sent
 * @param stored what the centre shows of it; undefined if it does not show the field
 */
export function missingLines(sent: unknown, stored: unknown): readonly string[] {
  if (typeof sent !== "string" || stored === undefined) return [];
  const kept = typeof stored === "string" ? stored : "";
  if (lengthOf(kept) >= lengthOf(sent)) return [];
  const lines = new Set(linesOf(kept).map(wordsOf));
  const whole = wordsOf(kept);
  return linesOf(sent).filter((line) => {
    const words = wordsOf(line);
    // A centre without line ends has one long line.
    return words !== "" && !lines.has(words) && !(lines.size === 1 && whole.includes(words));
  });
}

/**
 * Whether a text of a dispatch centre is the beginning of the one that was sent and ends within a line of it: the centre has cut it
 * there. A person who removes lines removes whole ones.
 * @param sent the text as sent
 * @param stored what the centre shows of it
 * @param knownLength code points that the centre has kept of another text that it has cut; undefined if that is not known
 */
export function isCutOff(sent: unknown, stored: unknown, knownLength?: number): boolean {
  if (typeof sent !== "string" || typeof stored !== "string") return false;
  const words = wordsOf(stored);
  const whole = wordsOf(sent);
  if (words === "" || words.length >= whole.length || !whole.startsWith(words)) return false;
  let end = 0;
  const ends = linesOf(sent).map((line) => (end += wordsOf(line).length));
  return !ends.includes(words.length) || [...stored].length === knownLength;
}

/** The lines of a text that another one lacks. */
export function addedLines(before: string | null, after: string | null): readonly string[] {
  const known = linesOf(before ?? "");
  return linesOf(after ?? "").filter((line) => !known.includes(line));
}

/** The lines of a text, whatever its line ends are. */
export function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function lengthOf(text: string): number {
  return [...text.replaceAll(/\s+/g, " ").trim()].length;
}

/** The letters and digits of a text, in small letters without accents. */
export function wordsOf(line: string): string {
  return folded(line.replaceAll(/&(?:#\w+|\w+);/g, " ")).replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
