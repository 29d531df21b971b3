import type { TimelineEntry } from "../site/timeline-view.ts";

/** Details in one line: old and new fields of a change, the name of a record, otherwise every value. */
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

/** For a text that was appended to, only the new part: an alarm's notes get one line per trip. */
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
