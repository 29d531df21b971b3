import type { DEVICE_EMAIL } from "../domain/principal.ts";
import type { TimelineEntry } from "../site/timeline-view.ts";
import { detailText, type DetailTexts } from "./event-detail.ts";

/** The account of the daemon itself, which writes what follows from a trip. */
const DAEMON: typeof DEVICE_EMAIL = "device@santinela.local";

/** A row of the event log. */
export interface LogRow {
  readonly entry: TimelineEntry;
  /** What the daemon has written of it into its intervention: the same occurrence, as the record has it. Newest first. */
  readonly records: readonly TimelineEntry[];
}

/**
 * One row for a trip, restoral, fault or signal test together with what the daemon has written of it into its intervention. What a
 * user, the dispatch centre or the sync has done has a row of its own, and so has what was written for an entry that is not here.
 * @param entries newest first
 */
export function logRows(entries: readonly TimelineEntry[]): readonly LogRow[] {
  /** By intervention: what the daemon has written since the entry that comes next. */
  const written = new Map<string, TimelineEntry[]>();
  const recordsOf = new Map<TimelineEntry, TimelineEntry[]>();
  const folded = new Set<TimelineEntry>();
  for (const entry of entries) {
    const { who, subject } = entry;
    const records = written.get(subject);
    if (isWrittenByDaemon(entry)) {
      if (records) records.push(entry);
      else written.set(subject, [entry]);
    } else if (records && who.startsWith("zone ")) {
      recordsOf.set(entry, records);
      for (const record of records) folded.add(record);
      written.delete(subject);
    }
  }
  return entries
    .filter((entry) => !folded.has(entry))
    .map((entry) => ({ entry, records: recordsOf.get(entry) ?? [] }));
}

function isWrittenByDaemon({ event, who }: TimelineEntry): boolean {
  return who === DAEMON && (event === "intervention-created" || event === "intervention-changed");
}

/** What changed of the intervention, such as its priority, besides the line of its notes that says the same as the row. */
export function furtherChanges(records: readonly TimelineEntry[], words: DetailTexts): string {
  return records
    .filter(({ event }) => event === "intervention-changed")
    .map(({ detail }) => detailText(withoutNotes(detail), words))
    .filter((text) => text !== "")
    .join(", ");
}

function withoutNotes({ before, after }: TimelineEntry["detail"]): TimelineEntry["detail"] {
  const { notes: _before, ...from } = { ...(before as object) } as { readonly notes?: unknown };
  const { notes: _after, ...to } = { ...(after as object) } as { readonly notes?: unknown };
  return { before: from, after: to };
}
