import { nowMs } from "./clock.ts";
import { language, t } from "./i18n.ts";

/** Formats an instant (ISO 8601 UTC) in the browser's time zone; the date is omitted for today. */
export function formatTime(iso: string | null): string {
  if (iso === null) return "–";
  const moment = new Date(iso);
  const isToday = moment.toDateString() === new Date(nowMs()).toDateString();
  return moment.toLocaleString(tag(), isToday ? TIME : { ...DAY, ...TIME });
}

/** Formats a date of a record (`2026-11-20T23:30:00`, offset ignored) without conversion: it is local time of the site. */
export function formatRecordDate(text: string | null): string {
  if (text === null) return "–";
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(text) ?? [];
  if (year === undefined) return text;
  return language.value === "ro" ? `${day}.${month}.${year} ${time}` : `${year}-${month}-${day} ${time}`;
}

/** Formats a duration in seconds with one or two units, such as `2 hours 5 minutes`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return t("span.seconds", { n: Math.round(seconds) });
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return t("span.minutes", { n: minutes });
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours < 48)
    return [t("span.hours", { n: hours }), ...(rest > 0 ? [t("span.minutes", { n: rest })] : [])].join(" ");
  return t("span.days", { n: Math.round(hours / 24) });
}

const TIME = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false } as const;
const DAY = { day: "2-digit", month: "2-digit", year: "numeric" } as const;

function tag(): string {
  return language.value === "ro" ? "ro-RO" : "en-GB";
}
