import { markersIn } from "../../domain/marker.ts";
import { isMarkedAs, isSameEvent, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { SyncContext } from "../context.ts";
import { isOwnCall } from "./copied-records.ts";
import { formerIdOf, noteShownIds } from "./gone-records.ts";

/**
 * Called with a record that the centre shows, in a transaction. That of a missing record under its former id is no proof that ids are
 * assigned again: the comparison links it.
 */
export function noteShownRow(context: SyncContext, row: MatchCandidate): void {
  const missing = context.store.outbox.newestMissing().filter((entry) => formerIdOf(entry) === row.id);
  if (!missing.some((entry) => isShownAgain(context, entry, row))) noteShownIds(context, [row.id]);
}

/** Whether a record under the former id of an entry is that of the entry: the id may have been assigned again. */
export function isShownAgain(context: SyncContext, entry: OutboxEntry, row: MatchCandidate): boolean {
  if (isMarkedAs(row, context.store.markerSent(entry))) return isOwnCall(context, entry, row);
  const base = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
  return markersIn(row).length === 0 && isSameEvent(row, base);
}
