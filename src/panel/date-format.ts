import { computed } from "@preact/signals";
import type { UtcOffsetView } from "../site/status-view.ts";
import { daemonNowMs, minute, nowMs } from "./clock.ts";
import { language, t } from "./i18n.ts";
import { lastResponseAtMs, status } from "./live-updates.ts";

/** The present day in the time zone of the site: what reads it is drawn again after midnight. */
const day = computed(() => {
  void minute.value;
  return siteDay(daemonNowMs());
});

/** Formats an instant (ISO 8601 UTC) in the time zone of the site; the date is omitted for today. */
export function formatTime(iso: string | null): string {
  if (iso === null) return "–";
  void day.value;
  const moment = new Date(iso);
  const isToday = siteDay(moment.getTime()) === siteDay(daemonNowMs());
  const [date, time] = localDigits(moment.getTime()) ?? [];
  if (date !== undefined && time !== undefined) return isToday ? time : `${shortDay(date)}, ${time}`;
  return format(moment, { ...inZone(), ...(isToday ? {} : DAY), ...timeOfDay() });
}

/** As `formatTime`, without the seconds: for an end that a user has set. */
export function formatMinute(iso: string): string {
  return formatTime(iso).replace(/:\d\d$/, "");
}

/** As `formatTime`, for a narrow place: without the seconds, of another day also without the year unless it is long ago. */
export function formatNarrow(iso: string): string {
  return isLongAgo(iso) ? formatMinute(iso) : formatTime(iso).replace(/.\d{4}(, \d\d:\d\d).*/, "$1");
}

/** Whether day and month could be taken for those of another year. */
function isLongAgo(iso: string): boolean {
  return daemonNowMs() - Date.parse(iso) > 300 * 86_400_000;
}

/** The time of day of an instant in the time zone of the site. */
export function formatClock(iso: string): string {
  const [, time] = localDigits(Date.parse(iso)) ?? [];
  return time ?? format(new Date(iso), { ...inZone(), ...timeOfDay() });
}

/** The day of an instant in the time zone of the site as `2026-11-22`. @param atMs milliseconds since 1970 */
export function siteDay(atMs: number): string {
  const [day] = localDigits(atMs) ?? [];
  return day ?? new Date(atMs).toLocaleDateString("sv-SE", { ...inZone(), ...DAY });
}

/** The time since an instant: relative below a day, such as `14 min`, then the date, of long ago with its year. */
export function formatSince(iso: string): string {
  const minutes = Math.max(0, Math.floor((daemonNowMs() - Date.parse(iso)) / 60_000));
  if (minutes === 0) return t("span.now");
  if (minutes < 60) return t("span.shortMinutes", { n: minutes });
  if (minutes < 1_440) return t("span.shortHours", { n: Math.floor(minutes / 60) });
  const [day] = localDigits(Date.parse(iso)) ?? [];
  const text = day === undefined ? format(new Date(iso), { ...inZone(), ...DAY }) : shortDay(day);
  return isLongAgo(iso) ? text : text.slice(0, 5);
}

/**
 * The time of the site now, with the browser's beside it if that differs; empty before the time zone of the site is known. What
 * shows it is drawn again each minute.
 */
export function siteTimeText(): string {
  void minute.value;
  if (timeZone.value === undefined) return "";
  const atMs = daemonNowMs();
  const short = { hour: "2-digit", minute: "2-digit", hour12: false } as const;
  const isClose = Math.abs(nowMs() - atMs) < 60_000;
  const own = new Date(isClose ? atMs : nowMs());
  const here = [own.getHours(), own.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  const there = localDigits(atMs)?.[1].slice(0, 5) ?? format(new Date(atMs), { ...inZone(), ...short });
  const where = status.value?.role === "centre" ? "centre" : "site";
  return here === there
    ? t(`app.${where}Time`, { time: there })
    : t(`app.${where}TimeBoth`, { time: there, own: here });
}

/** Says from when the shown data is, while the page has lost its daemon. */
export function staleText(): string {
  return t("app.staleAt", { time: formatTime(new Date(lastResponseAtMs.value).toISOString()) });
}

const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false } as const;
const DAY = { day: "2-digit", month: "2-digit", year: "numeric" } as const;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Keeps the formats: a slow phone takes tens of milliseconds to create one, and a list has hundreds of times. */
export function format(moment: Date, options: Intl.DateTimeFormatOptions): string {
  const key = tag() + JSON.stringify(options);
  const kept = formats.get(key) ?? new Intl.DateTimeFormat(tag(), options);
  formats.set(key, kept);
  return kept.format(moment);
}

function tag(): string {
  return language.value === "ro" ? "ro-RO" : "en-GB";
}

/**
 * The day (`2026-11-22`) and the time (`19:14:05`) of an instant in the time zone of the site, as long as its offset is the present
 * one. The first format of a browser takes a slow phone a quarter of a second.
 */
function localDigits(atMs: number): readonly [day: string, time: string] | undefined {
  const offset = utcOffset.value;
  if (offset === undefined || !(atMs >= Date.parse(offset.since) && atMs < Date.parse(offset.until)))
    return undefined;
  const local = new Date(atMs + offset.minutes * 60_000).toISOString();
  return [local.slice(0, 10), local.slice(11, 19)];
}

/** The day `2026-11-22` as the languages write it in digits. */
export function shortDay(day: string): string {
  const [year, month, dayOfMonth] = day.split("-");
  return [dayOfMonth, month, year].join(language.value === "ro" ? "." : "/");
}

/** Unknown before the first status of the site. Not every status that follows draws every time on the page again. */
const timeZone = computed(() => status.value?.site.timezone);

/** The same object as long as its content is the same. */
const utcOffset = computed((): UtcOffsetView | undefined => {
  const offset = status.value?.utcOffset;
  return JSON.stringify(offset) === JSON.stringify(knownOffset) ? knownOffset : (knownOffset = offset);
});
let knownOffset: UtcOffsetView | undefined;

export function inZone(): { readonly timeZone?: string } {
  const zone = timeZone.value;
  return zone === undefined ? {} : { timeZone: zone };
}

/** A time of day; in the browser's own time zone with its name, as it is not the site's. */
function timeOfDay(): Intl.DateTimeFormatOptions {
  return timeZone.value ? TIME : { ...TIME, timeZoneName: "short" };
}
