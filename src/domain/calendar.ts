import { withinCalendar } from "./clock.ts";

/**
 * Date-times of the API: `YYYY-MM-DDTHH:MM[:SS[.f]][Z|±HH:MM]` with up to nine digits of a second; without an offset,
 * local time of the site. They are stored and returned as sent, together with the instant, in whole milliseconds, for
 * sorting and comparing.
 */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads a date-time of the API.
 * @returns the instant in milliseconds since 1970, or undefined if the text has another form or is not a real date
 */
export function parseDateTime(text: string, timeZone: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute] = match.slice(1, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const second = Number(match[6] ?? 0);
  const milliseconds = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  if (year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  const asUtcMs = utcMs(year, month, day, hour, minute, second, milliseconds);
  // Date.UTC turns 30 February into 2 March, so compare the result with the input.
  const parsed = new Date(asUtcMs);
  if (parsed.getUTCMonth() !== month - 1 || parsed.getUTCDate() !== day) return undefined;
  const offset = match[8];
  if (offset === undefined) return localToInstant(asUtcMs, timeZone);
  const offsetMs = parseOffset(offset);
  return offsetMs === undefined ? undefined : asUtcMs - offsetMs;
}

/** The site's local time of an instant, as `YYYY-MM-DDTHH:MM:SS`. */
export function formatLocal(instantMs: number, timeZone: string): string {
  const atMs = withinCalendar(instantMs);
  return new Date(atMs + offsetAt(atMs, timeZone)).toISOString().slice(0, 19);
}

/** Local day of the week and time of day. */
export interface LocalDayTime {
  /** 0 is Monday. */
  readonly day: number;
  /** Minutes since midnight. */
  readonly minute: number;
}

/** The site's day of the week and time of an instant. */
export function localDayTime(instantMs: number, timeZone: string): LocalDayTime {
  const atMs = withinCalendar(instantMs);
  const local = new Date(atMs + offsetAt(atMs, timeZone));
  return { day: (local.getUTCDay() + 6) % 7, minute: local.getUTCHours() * 60 + local.getUTCMinutes() };
}

/** The next instant at which a time zone has this full hour; on a day that skips it, the instant as far after the gap. */
export function nextHour(instantMs: number, hour: number, timeZone: string): number {
  const today = Math.floor((instantMs + offsetAt(instantMs, timeZone)) / DAY_MS);
  const on = (day: number): number => localToInstant(day * DAY_MS + hour * HOUR_MS, timeZone);
  return on(today) > instantMs ? on(today) : on(today + 1);
}

/** A time in which the offset of a time zone does not change. */
export interface OffsetSpan {
  /** Milliseconds that local time is ahead of UTC. */
  readonly offsetMs: number;
  /** First instant with this offset. */
  readonly fromMs: number;
  /** First instant after it. */
  readonly untilMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 604_800_000;
/** Longer than summer time and winter time together; without a change in it, the span ends there. */
const WEEKS_SEARCHED = 57;

/** The span around an instant in which the time zone has one offset, at most 57 weeks to each side. */
export function offsetSpan(instantMs: number, timeZone: string): OffsetSpan {
  const offsetMs = formattedOffset(instantMs, timeZone);
  const isSame = (atMs: number): boolean => formattedOffset(atMs, timeZone) === offsetMs;
  /** The last whole minute with this offset in a direction. */
  const lastMs = (direction: 1 | -1): number => {
    let inside = Math.floor(instantMs / MINUTE_MS);
    let outside = inside;
    for (let week = 1; week <= WEEKS_SEARCHED; week += 1) {
      outside = inside + (direction * WEEK_MS) / MINUTE_MS;
      if (!isSame(outside * MINUTE_MS)) break;
      inside = outside;
    }
    while (Math.abs(outside - inside) > 1) {
      const middle = Math.trunc((inside + outside) / 2);
      if (isSame(middle * MINUTE_MS)) inside = middle;
      else outside = middle;
    }
    return inside * MINUTE_MS;
  };
  return { offsetMs, fromMs: lastMs(-1), untilMs: lastMs(1) + MINUTE_MS };
}

/** Whether the runtime knows the IANA time zone. */
export function isTimeZone(name: string): boolean {
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}

function utcMs(
  ...[year, month, day, hour, minute, second, ms]: [number, number, number, number, number, number, number]
) {
  // Date.UTC maps years 0 to 99 to 1900 to 1999, so the year is set separately.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, ms);
  return date.getTime();
}

function parseOffset(text: string): number | undefined {
  if (text === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * A local time that occurs twice (clocks go back) is the earlier instant; a skipped one (clocks go forward) is the instant
 * as far after the gap: Temporal's "compatible" rule.
 */
function localToInstant(localMs: number, timeZone: string): number {
  const before = offsetAt(localMs - DAY_MS, timeZone);
  const after = offsetAt(localMs + DAY_MS, timeZone);
  const candidates = [localMs - before, localMs - after].filter(
    (instant) => instant + offsetAt(instant, timeZone) === localMs,
  );
  return candidates.length > 0 ? Math.min(...candidates) : localMs - before;
}

/** Offset of a time zone from UTC at an instant, milliseconds. */
export function offsetAt(instantMs: number, timeZone: string): number {
  const minute = Math.floor(instantMs / MINUTE_MS);
  // Cached by minute, because formatting takes longer than the rest of reading a record.
  if (instantMs < WHOLE_MINUTES_SINCE_MS) return formattedOffset(instantMs, timeZone);
  if (offsets.zone !== timeZone || offsets.of.size >= OFFSETS_MAX)
    offsets = { zone: timeZone, of: new Map() };
  let offset = offsets.of.get(minute);
  if (offset === undefined) offsets.of.set(minute, (offset = formattedOffset(instantMs, timeZone)));
  return offset;
}

/** Since 1973 all zones of tzdb change offset at whole minutes only (checked until 2030), though not at quarter hours. */
const MINUTE_MS = 60_000;
const WHOLE_MINUTES_SINCE_MS = Date.UTC(1973, 0, 1);
/** More than one response needs, in little memory. */
const OFFSETS_MAX = 256;
let offsets: { zone: string; of: Map<number, number> } = { zone: "", of: new Map() };

function formattedOffset(instantMs: number, timeZone: string): number {
  const wholeMs = Math.floor(instantMs / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(wholeMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return utcMs(year, month, day, hour, minute, second, 0) - wholeMs;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const cached = formatters.get(timeZone);
  if (cached) return cached;
  const formatter = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    calendar: "gregory",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  formatters.set(timeZone, formatter);
  return formatter;
}
