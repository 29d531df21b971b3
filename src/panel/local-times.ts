import { formatTime } from "./date-format.ts";

/** An instant (ISO 8601 UTC) that stands by itself, unlike one in the name of a file. */
const INSTANT = /(^|[\s(])(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)(?=$|[\s.,;:)])/g;

/** A text of the daemon with its instants as the panel shows times. The words of a foreign server may have impossible ones, which stay. */
export function withLocalTimes(text: string): string {
  return text.replace(INSTANT, (whole, before: string, iso: string) =>
    Number.isNaN(Date.parse(iso)) ? whole : before + formatTime(iso),
  );
}
