import type { TimelineEntry } from "../http/site/journal-view.ts";

/** The details in one line: of a change the fields as they were and are, of a record its name, else all there is. */
export function detailText({ before, after, ...rest }: TimelineEntry["detail"]): string {
  const texts = Object.entries(rest).map(([name, value]) => `${name}: ${valueText(value)}`);
  if (isFields(before) && isFields(after))
    for (const [name, value] of Object.entries(after))
      texts.push(`${name}: ${changeText(before[name], value)}`);
  else for (const record of [before, after]) if (isFields(record)) texts.push(valueText(record["name"]));
  return texts.join(", ");
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** A text that has grown is told by what came to it: an alarm's notes get a line with each trip, and begin alike. */
function changeText(before: unknown, after: unknown): string {
  if (typeof before === "string" && typeof after === "string" && before !== "" && after.startsWith(before))
    return `+ ${valueText(after.slice(before.length).trim())}`;
  return `${valueText(before)} → ${valueText(after)}`;
}

const TEXT_LENGTH_MAX = 120;

function valueText(value: unknown): string {
  if (value === null || value === undefined) return "–";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}…` : text;
}
