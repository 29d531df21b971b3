import { formatClock, shortDay, siteDay } from "./date-format.ts";

/**
 * The minute of a date of a record (`2026-11-20T23:30:00`) in the time of the site, as `2026-11-20T23:30`; empty for another text. A
 * date without `Z` or an offset is local time of the site already.
 */
export function recordMinute(text: string): string {
  const [minute = ""] = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(text) ?? [];
  const atMs = Date.parse(text);
  if (minute === "" || Number.isNaN(atMs) || !/(?:Z|[+-]\d\d:\d\d)$/i.test(text)) return minute;
  return `${siteDay(atMs)}T${formatClock(new Date(atMs).toISOString()).slice(0, 5)}`;
}

/** Formats a date of a record in the time of the site. */
export function formatRecordDate(text: string | null): string {
  if (text === null) return "–";
  const [day = "", time] = recordMinute(text).split("T");
  return time === undefined ? text : `${shortDay(day)}, ${time}`;
}
