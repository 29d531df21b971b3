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

/** The daemon writes a trip into its intervention within this time, or it has been restarted meanwhile. */
const WRITTEN_MS_MAX = 60_000;

/**
 * One row for a trip, restoral, fault or signal test together with what the daemon has written of it into its intervention. What a
 * user, the dispatch centre or the sync has done has a row of its own. So has what was written after that, and what may be about
 * another trip.
 * @param entries newest first
 */
export function logRows(entries: readonly TimelineEntry[]): readonly LogRow[] {
  /** By intervention: the entries of zones that the next one of the daemon may be about. */
  const open = new Map<string, readonly TimelineEntry[]>();
  const recordsOf = new Map<TimelineEntry, TimelineEntry[]>();
  const folded = new Set<TimelineEntry>();
  for (let place = entries.length - 1; place >= 0; place -= 1) {
    const entry = entries[place] as TimelineEntry;
    const { who, subject } = entry;
    const before = (open.get(subject) ?? []).filter((one) => isWithin(one, entry));
    if (isWrittenByDaemon(entry)) {
      const [trip, ...others] = before;
      if (trip === undefined || others.length > 0) continue;
      recordsOf.set(trip, [entry, ...(recordsOf.get(trip) ?? [])]);
      folded.add(entry);
    } else if (who.startsWith("zone "))
      open.set(subject, [...before.filter((one) => !recordsOf.has(one)), entry]);
    else open.delete(subject);
  }
  return entries
    .filter((entry) => !folded.has(entry))
    .map((entry) => ({ entry, records: recordsOf.get(entry) ?? [] }));
}

function isWithin(earlier: TimelineEntry, later: TimelineEntry): boolean {
  return Date.parse(later.at) - Date.parse(earlier.at) <= WRITTEN_MS_MAX;
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
