import { formatLocal } from "../domain/calendar.ts";

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
