import { t } from "./i18n.ts";

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
