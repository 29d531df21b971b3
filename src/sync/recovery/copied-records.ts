import type { Difference } from "../../domain/difference.ts";
import { fieldsOf } from "../../domain/intervention.ts";
import { isSameCall, type MatchCandidate } from "../../domain/match-candidate.ts";
import { isCallAsWritten } from "../../domain/written-call.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { SyncContext } from "../context.ts";

/*
 * The notes of a record at the centre show the reference of the site, and dispatchers paste them into records of their own. A
 * record with the reference is one that this site has created only if its objective, name and start were sent too.
 */

type StoreContext = Pick<SyncContext, "store">;

/** Whether a record at the centre with the marker of an entry has its objective, name and start, as sent or as last known. */
export function isOwnCall({ store }: StoreContext, entry: OutboxEntry, row: MatchCandidate): boolean {
  const known = [store.sentOf(entry), JSON.parse(entry.base ?? "{}") as UpstreamRecord];
  if (entry.phase === "closed") known.push({ ...fieldsOf(store.record(entry.interventionId).record) });
  return isSameCall(row, known, entry.inFlightValues);
}

/**
 * The records with the marker of an entry that is to be deleted which this site has created. A centre may write a name or a start in
 * its own way, which no answer has shown: then a record counts too if it is the only one, and was created after the first attempt.
 * @param rows records that may be those of the entry
 */
export function ownCallsAmong(
  context: Pick<SyncContext, "store" | "timezone">,
  entry: OutboxEntry,
  rows: readonly MatchCandidate[],
): MatchCandidate[] {
  const own = rows.filter((row) => isOwnCall(context, entry, row));
  if (own.length > 0) return own;
  const sent = context.store.sentOf(entry);
  const alike = rows.filter(
    (row) => row.id > (entry.watermark ?? 0) && isCallAsWritten(row, sent, context.timezone),
  );
  return alike.length === 1 ? alike : [];
}

/**
 * Whether dispatchers have created all further records with the marker of a linked one. No request of this site can create one
 * after the last sweep, and before it none of another event.
 * @param rows the records of the list by id
 */
export function isCopied(
  context: StoreContext,
  { kind, interventionId, upstreamIds }: Difference,
  rows: ReadonlyMap<number, MatchCandidate>,
): boolean {
  if (kind !== "twice-there" || interventionId === null) return false;
  const entry = context.store.outbox.find(interventionId);
  if (entry?.phase !== "linked") return false;
  if (entry.sweepAtMs === null && !entry.possiblyDuplicated) return true;
  return upstreamIds.every((id) => {
    const row = rows.get(id);
    return id === entry.upstreamId || row === undefined || !isOwnCall(context, entry, row);
  });
}

/** Reports a copy; the site deletes neither of the two. */
export function reportCopy({ store }: StoreContext, { interventionId, upstreamIds }: Difference): void {
  if (interventionId === null) return;
  const { upstreamId } = store.entry(interventionId);
  const copies = upstreamIds.filter((id) => id !== upstreamId).join(", ");
  const reason =
    upstreamId === null
      ? `the dispatch centre has the reference of this record, which was deleted here, in another one (${copies}); if that one is not needed, delete it there`
      : `the dispatch centre has a copy of this record (${copies} besides ${upstreamId}) that this site did not create; if it is not needed, delete it there`;
  store.write(() => store.recordConflict(interventionId, "copied", { reason }));
}
