import { formatLocal, parseDateTime } from "../domain/calendar.ts";

/**
 * Formats an instant in the time zone of the site, such as `2026-11-23 06:36:48 EET`.
 * @param instant ISO 8601 or milliseconds since 1970; null gives an empty text
 * @param timeZone IANA name
 */
export function localTime(instant: string | number | null, timeZone: string): string {
  if (instant === null) return "";
  const atMs = new Date(instant).getTime();
  const zone = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" })
    .formatToParts(atMs)
    .find(({ type }) => type === "timeZoneName");
  return `${formatLocal(atMs, timeZone).replace("T", " ")} ${zone?.value ?? ""}`;
}

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** A text of the daemon with its instants in UTC, such as that of a condition, with the times of the site instead. */
export function withLocalTimes(text: string, timeZone: string): string {
  return text.replaceAll(INSTANT, (instant) => localTime(instant, timeZone));
}

/** Clocks are changed by an hour, and then one local time names two instants. */
const CHANGE_MS = 3_600_000;

/**
 * Reads a time as `localTime` writes it, or as the API does; without a zone or an offset it is of the site, and a date alone is its
 * midnight there.
 * @returns milliseconds since 1970; undefined for another form, or a zone that the site does not have then
 */
export function writtenTimeMs(text: string, timeZone: string): number | undefined {
  const [, date, time = "00:00", zone] =
    /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}\S*)(?: (\S+))?)?$/.exec(text.trim()) ?? [];
  const atMs = date === undefined ? undefined : parseDateTime(`${date}T${time}`, timeZone);
  if (atMs === undefined || zone === undefined) return atMs;
  const isMeant = (ms: number): boolean => localTime(ms, timeZone).endsWith(` ${zone}`);
  return [atMs, atMs - CHANGE_MS, atMs + CHANGE_MS]
    .filter((ms) => formatLocal(ms, timeZone) === formatLocal(atMs, timeZone))
    .find(isMeant);
}
