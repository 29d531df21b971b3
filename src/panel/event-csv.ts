import type { TimelineEntry } from "../site/timeline-view.ts";

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** The event log as CSV (RFC 4180). */
export function csvOf(entries: readonly TimelineEntry[]): string {
  const head = ["at", "event", "who", "from", "subject", "detail"];
  const lines = entries.map(({ at, event, who, from, subject, detail }) => [
    at,
    event,
    who,
    from,
    subject,
    JSON.stringify(detail),
  ]);
  return BYTE_ORDER_MARK + [head, ...lines].map((line) => `${line.map(cellOf).join(",")}\r\n`).join("");
}

/** Escapes a cell; a leading quote keeps spreadsheets from running names as formulas (OWASP, CSV injection). */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replace(/"/g, '""')}"`;
}
