import { format, formatTime, inZone, shortDay, siteDay } from "./date-format.ts";

/** The day of an instant in the time zone of the site, such as `Sunday 22 November 2026`. */
export function formatDay(iso: string): string {
  const options = { ...inZone(), weekday: "long", day: "numeric", month: "long", year: "numeric" } as const;
  return format(new Date(iso), options);
}

/** The day of an instant in digits, such as `22/11/2026`. @param atMs milliseconds since 1970 */
export function formatDate(atMs: number): string {
  return shortDay(siteDay(atMs));
}

/** For a row of what is over: the time of today, else the date with its year. */
export function formatDated(iso: string): string {
  return formatTime(iso).replace(/(\d{4}, \d\d:\d\d|^\d\d:\d\d):\d\d$/, "$1");
}
