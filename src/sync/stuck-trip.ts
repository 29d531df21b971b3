import { addedLines } from "../domain/kept-lines.ts";
import { hasUnsentTrip, type OutboxEntry } from "../domain/outbox.ts";
import type { SyncContext } from "./context.ts";
import { continueRecord } from "./continuation.ts";
import { REPEATED_FOR_MS } from "./short-post.ts";

/**
 * Gives the lines of joined trips a record of their own, in a transaction, if their record cannot be updated although the centre
 * responds: its reads fail, or nothing shows whether it was created. As long as an alarm is repeated, the lines wait for that.
 * @param entry that of the record, before what is stored now
 * @param isRepeated whether the attempt before has failed in the same way
 * @returns the changes of the entry; none if the lines wait
 */
export function continueStuck(
  context: SyncContext,
  entry: OutboxEntry,
  isRepeated: boolean,
): Partial<OutboxEntry> {
  const { store, clock, linkFaults } = context;
  const { joinedAtMs, interventionId } = entry;
  const isLate = joinedAtMs !== null && Math.abs(clock.wallMs() - joinedAtMs) >= REPEATED_FOR_MS;
  if (!hasUnsentTrip(entry) || !isLate || !isRepeated || !linkFaults.isUp || entry.deleted) return {};
  const local = store.record(interventionId);
  const agreed = store.agreedOf(entry, local.uid);
  const sent = entry.phase === "unsure" ? store.unmarked(store.sentOf(entry), local.uid) : agreed;
  const lines = addedLines((sent.notes ?? "") as string, local.record.notes);
  if (lines.length === 0) return {};
  continueRecord(context, local, lines.join("\n"), true);
  // They are not sent once more if the record can be read later.
  const { notes } = local.record;
  return entry.phase === "unsure"
    ? { joinedRev: 0 }
    : { joinedRev: 0, agreed: JSON.stringify({ ...agreed, notes }) };
}
