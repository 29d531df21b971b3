import type { TimelineEntry } from "../http/site/journal-view.ts";

/** The log as a spreadsheet reads it (RFC 4180). */
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
  return [head, ...lines].map((line) => `${line.map(cellOf).join(",")}\r\n`).join("");
}

/** A spreadsheet runs what begins like a formula, and anybody may write one into a name (OWASP, CSV injection). */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replace(/"/g, '""')}"`;
}
