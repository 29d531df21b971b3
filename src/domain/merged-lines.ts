import { isZoneLine, NOTES_LENGTH_MAX } from "./incident-notes.ts";
import { linesOf, missingLines } from "./kept-lines.ts";

/** A text on both sides. */
interface TextSides {
  readonly here: unknown;
  /** The local text when both sides last agreed. */
  readonly agreed: unknown;
  readonly there: unknown;
  /** The centre's text at that time. */
  readonly known: unknown;
}

interface MergedText {
  readonly text: string;
  /** Whether it has everything; otherwise it is the centre's text, with the added lines that fit. */
  readonly isWhole: boolean;
  /** Lines without a place, one text; undefined if there are none. */
  readonly omitted?: string;
}

/** Of a text at the centre that is not valid here, in code points: a longer one is known only in part. */
const FOREIGN_TEXT_LENGTH_MAX = 8_000;

/**
 * Applies the local line changes to the centre's text: a removed line is replaced by the one that is now in its place, or removed.
 * Further added lines stand before the line that they precede here, or at the end. If the result is too long, the centre's text
 * is kept whole, with the added lines that fit.
 * @param lengthMax of the result, in code points
 * @returns undefined for values that are not texts
 */
export function mergedLines(
  agreed: unknown,
  here: unknown,
  there: unknown,
  lengthMax = NOTES_LENGTH_MAX,
): MergedText | undefined {
  if (typeof here !== "string" || typeof there !== "string") return undefined;
  const before = contentOf(agreed);
  const current = contentOf(here);
  const removed = before.filter((line) => !current.includes(line));
  const added = current.filter((line) => !before.includes(line));
  const replacements = replacementsOf(before, current);
  let lines = contentOf(there).flatMap((line) => {
    if (!removed.includes(line)) return [line];
    const next = replacements.get(line);
    replacements.delete(line);
    return next === undefined ? [] : [next];
  });
  for (const line of added.toReversed()) lines = withAdded(lines, line, current);
  const merged = lines.join("\n");
  if (fits(merged, lengthMax)) return { text: merged, isWhole: true };
  const known = [...before, ...contentOf(there)];
  const omitted: string[] = [];
  let text = there;
  for (const line of current.filter((line) => !known.includes(line))) {
    const longer = `${text}\n${line}`;
    if (fits(longer, lengthMax)) text = longer;
    else omitted.push(line);
  }
  return { text, isWhole: false, ...(omitted.length === 0 ? {} : { omitted: omitted.join("\n") }) };
}

/**
 * The line that each removed one was replaced by: of those added between the same lines, the one that begins with the same time
 * and name, otherwise the next. A remark of a dispatcher below a zone's line stays below it.
 */
function replacementsOf(before: readonly string[], current: readonly string[]): Map<string, string> {
  const added = placesOf(current, new Set(before));
  const replacements = new Map<string, string>();
  const removed = placesOf(before, new Set(current));
  const pair = (likeness: (line: string, next: string) => number): void => {
    for (const [line, place] of removed) {
      if (replacements.has(line)) continue;
      const scores = [...added].map(([next, at]) => (at === place ? likeness(line, next) : 0));
      const best = scores.reduce((most, score) => Math.max(most, score), 0);
      const next = [...added.keys()][scores.indexOf(best)];
      if (best === 0 || next === undefined) continue;
      replacements.set(line, next);
      added.delete(next);
    }
  };
  pair((line, next) => (isZoneLine(line) && isZoneLine(next) ? sameBeginning(line, next) : 0));
  pair(() => 1);
  return replacements;
}

/** The lines of a text that another one lacks, each with the number of common lines before it. */
function placesOf(lines: readonly string[], others: ReadonlySet<string>): Map<string, number> {
  const places = new Map<string, number>();
  let common = 0;
  for (const line of lines)
    if (others.has(line)) common += 1;
    else if (!places.has(line)) places.set(line, common);
  return places;
}

/** The number of characters with which two lines of zones begin alike; 0 if not more than the time. */
function sameBeginning(line: string, other: string): number {
  let length = 0;
  while (length < line.length && line[length] === other[length]) length += 1;
  return length > TIME_LENGTH ? length : 0;
}

/** Of `03:27 `. */
const TIME_LENGTH = 6;

/** A text with one more line, before the first of the lines that follow it here. */
function withAdded(lines: readonly string[], line: string, current: readonly string[]): string[] {
  if (lines.includes(line)) return [...lines];
  const following = current.slice(current.indexOf(line) + 1);
  const next = following.find((one) => one !== "" && lines.includes(one));
  return lines.toSpliced(next === undefined ? lines.length : lines.indexOf(next), 0, line);
}

/**
 * What local line changes make of a text at the centre that is not valid here and stays there: the text with the changes, or the
 * lines of the notes that have no place in it, all of them together; undefined if nothing is to be sent.
 */
export function addedToForeign(
  field: string,
  {
    here,
    agreed,
    there,
    hereChanged,
    isInFlight,
  }: TextSides & { readonly hereChanged: boolean; readonly isInFlight: boolean },
): { readonly text?: string; readonly omitted?: string } | undefined {
  if ((field !== "notes" && field !== "description") || (!hereChanged && !isInFlight)) return undefined;
  // An update that has arrived late may have taken lines out again.
  const before = isInFlight ? "" : agreed;
  const both = mergedLines(before, here, there, FOREIGN_TEXT_LENGTH_MAX);
  if (both?.isWhole === true) return both.text === there ? undefined : { text: both.text };
  const added = contentOf(here).filter((line) => !contentOf(agreed).includes(line));
  return field === "notes" && added.length > 0 ? { omitted: added.join("\n") } : undefined;
}

/**
 * The local notes with a dispatcher's changes, if the centre has lost some of their lines; undefined if it has them all, and if
 * the result is too long.
 */
export function withLostLines({ here, agreed, there, known }: TextSides): string | undefined {
  if (missingLines(agreed, known ?? null).length === 0) return undefined;
  const both = mergedLines(completed(known, here), completed(there, here), here);
  return both?.isWhole === true ? both.text : undefined;
}

/** A text of the centre whose last line is not that of the site as far as it was cut, but the whole one. */
function completed(text: unknown, here: unknown): string {
  const lines = contentOf(text);
  const last = lines.pop();
  if (last === undefined) return "";
  const whole = last === "" ? undefined : contentOf(here).find((line) => line.startsWith(last));
  return [...lines, whole ?? last].join("\n");
}

/** Whether a text of the centre that is not valid here can be sent back: a longer one is known only in part. */
export function isSentWhole(text: unknown): boolean {
  return typeof text === "string" && fits(text, FOREIGN_TEXT_LENGTH_MAX);
}

/** The lines of a text; none for an empty or missing one. */
function contentOf(text: unknown): string[] {
  return typeof text === "string" && text !== "" ? linesOf(text) : [];
}

function fits(notes: string, lengthMax: number): boolean {
  return [...notes].length <= lengthMax;
}
