import { nowMs } from "./clock.ts";
import { language, t } from "./i18n.ts";

/** A moment of the daemon (ISO 8601 UTC) by the clock on the person's wall: the day only where it is not today. */
export function formatTime(iso: string | null): string {
  if (iso === null) return "–";
  const moment = new Date(iso);
  const isToday = moment.toDateString() === new Date(nowMs()).toDateString();
  return moment.toLocaleString(tag(), isToday ? TIME : { ...DAY, ...TIME });
}

/** A record's own date (`2026-11-20T23:30:00`, perhaps with an offset), as it stands: it is the site's local time. */
export function formatRecordDate(text: string | null): string {
  if (text === null) return "–";
  const [, year, month, day, time] = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d)/.exec(text) ?? [];
  if (year === undefined) return text;
  return language.value === "ro" ? `${day}.${month}.${year} ${time}` : `${year}-${month}-${day} ${time}`;
}

/** So many seconds in words, in the largest units that say enough. */
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
