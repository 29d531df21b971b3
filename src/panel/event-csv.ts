import type { TimelineEntry } from "../site/timeline-view.ts";

/** Tells spreadsheets that the file is UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF";

/** What a person reads of an entry. */
export interface SaidEntry {
  /** Its time in the time zone of the site. */
  readonly local: string;
  /** Its sentence, with what became of it. */
  readonly text: string;
}

/** The event log as CSV (RFC 4180): for a program, and in the last two columns for a person. */
export function csvOf(
  entries: readonly TimelineEntry[],
  sentenceOf: (entry: TimelineEntry) => SaidEntry,
): string {
  const head = ["at", "event", "who", "from", "subject", "detail", "localTime", "sentence"];
  const lines = entries.map((entry) => {
    const { at, event, who, from, subject, detail } = entry;
    const { local, text } = sentenceOf(entry);
    return [at, event, who, from, subject, JSON.stringify(detail), local, text];
  });
  return BYTE_ORDER_MARK + [head, ...lines].map((line) => `${line.map(cellOf).join(",")}\r\n`).join("");
}

/** Escapes a cell; a leading quote keeps spreadsheets from running names as formulas (OWASP, CSV injection). */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replace(/"/g, '""')}"`;
}
