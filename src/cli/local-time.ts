/**
 * Formats an instant in the time zone of the site, such as `2026-11-23 06:36:48 EET`.
 * @param instant ISO 8601 or milliseconds since 1970; null gives an empty text
 * @param timeZone IANA name
 */
export function localTime(instant: string | number | null, timeZone: string): string {
  if (instant === null) return "";
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).formatToParts(new Date(instant));
  const of = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((part) => part.type === type)?.value ?? "";
  return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}:${of("second")} ${of("timeZoneName")}`;
}
