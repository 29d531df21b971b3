import type { TimelineEntry } from "../site/timeline-view.ts";

/** The words for details; without them, names and values are those of the event log. */
export interface DetailTexts {
  /** A detail with its value. */
  readonly detail: (name: string, value: string) => string;
  /** A value in words; undefined for one that stays as it is, nothing for a detail that is left out. */
  readonly value: (name: string, value: unknown) => string | undefined;
}

const PLAIN: DetailTexts = { detail: (name, value) => `${name}: ${value}`, value: () => undefined };

/** Details in one line: old and new fields of a change, the name of a record, otherwise every value that there is. */
export function detailText(
  { before, after, ...rest }: TimelineEntry["detail"],
  words: DetailTexts = PLAIN,
): string {
  const textOf = (name: string, value: unknown): string => words.value(name, value) ?? valueText(value);
  const texts = Object.entries(rest).flatMap(([name, value]) => {
    const text = value === null ? "" : textOf(name, value);
    return text === "" ? [] : [words.detail(name, text)];
  });
  if (isFields(before) && isFields(after))
    for (const [name, value] of Object.entries(after))
      texts.push(
        words.detail(
          name,
          changeText(before[name], value, (one) => textOf(name, one)),
        ),
      );
  else if (typeof before === "string" && typeof after === "string")
    texts.push(changeText(before, after, (one) => textOf("role", one)));
  else for (const record of [before, after]) if (isFields(record)) texts.push(valueText(record["name"]));
  return texts.join(", ");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** For a text of lines that has grown, only what is new of it: an alarm's notes get one line per trip and return. */
function changeText(from: unknown, to: unknown, textOf: (value: unknown) => string): string {
  const [before, after] = [withoutReference(from), withoutReference(to)];
  if (typeof before === "string" && typeof after === "string" && before !== "" && after.startsWith(before)) {
    const earlier = new Set(before.split("\n"));
    const added = after.split("\n").filter((line) => line.trim() !== "" && !earlier.has(line));
    return `+ ${shortText(added.join("; "))}`;
  }
  const shown = (one: unknown): string => (one === "" ? "–" : textOf(one));
  return `${shown(before)} → ${shown(after)}`;
}

/** At a dispatch centre the notes of a site have the reference by which the site finds its record, in their last line at first. */
function withoutReference(value: unknown): unknown {
  return typeof value === "string" ? value.replace(/\s*\[ref:[^\]\s]+\]/, "").trimStart() : value;
}

const TEXT_LENGTH_MAX = 120;

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  return shortText(typeof value === "string" ? value : JSON.stringify(value));
}

/** A text of an entry, which takes a few lines at most. */
export function shortText(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
}
