import { addedLines } from "../domain/kept-lines.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { hasUnsentTrip, type OutboxEntry } from "../domain/outbox.ts";
import type { SyncContext } from "./context.ts";
import { continueRecord } from "./continuation.ts";
import { READS_DENIED } from "./recovery/last-codes.ts";
import type { ReadOutcome } from "./reply-classification.ts";
import { REPEATED_FOR_MS } from "./short-post.ts";

/**
 * Gives the lines of joined trips a record of their own, in a transaction, if their record cannot be updated although the centre
 * responds: its reads fail, or nothing shows whether it was created. As long as an alarm is repeated, the lines wait for that.
 * @param entry that of the record, before what is stored now
 * @param isRepeated whether the attempt before has failed in the same way
 * @param read of the record, or of the list: where it is refused, the account may still create records
 * @returns the changes of the entry; none if the lines wait
 */
export function continueStuck(
  context: SyncContext,
  entry: OutboxEntry,
  isRepeated: boolean,
  read: Pick<ReadOutcome, "code">,
): Partial<OutboxEntry> {
  const { store, clock, linkFaults } = context;
  const { joinedAtMs, interventionId } = entry;
  const isLate = joinedAtMs !== null && Math.abs(clock.wallMs() - joinedAtMs) >= REPEATED_FOR_MS;
  const hasAnswered = linkFaults.isUp || REFUSALS.has(read.code);
  if (!hasUnsentTrip(entry) || !isLate || !isRepeated || !hasAnswered || entry.deleted) return {};
  const local = store.record(interventionId);
  const isUnsure = entry.phase === "unsure";
  const agreed = store.agreedOf(entry, local.uid);
  const known = isUnsure ? onceSent(context, entry) : agreed;
  const lines = addedLines((known.notes ?? null) as string | null, local.record.notes);
  if (lines.length === 0) return {};
  continueRecord(context, local, lines.join("\n"), true);
  // They are not sent once more if the record can be read later, or is found, and the next trip has a record without them.
  const before = isUnsure && entry.base === null ? known : agreed;
  const notes = isUnsure ? withLines(before.notes, lines) : local.record.notes;
  return { joinedRev: 0, agreed: JSON.stringify({ ...before, notes }) };
}

/** Codes of reads that are refused, for good perhaps: a server that is down or busy has others. */
const REFUSALS: ReadonlySet<string> = new Set([READS_DENIED, "404", "405", "410", "501"]);

/**
 * What both sides agree on, as JSON, once the record of the last POST is at the centre. Lines that have got a record of their own
 * meanwhile are in it: they are not sent to the first one. What was agreed about an earlier record of the centre does not count.
 * @returns undefined without a POST
 */
export function agreedOnceSent(context: Pick<SyncContext, "store">, entry: OutboxEntry): string | undefined {
  const { attempt, base, agreed } = entry;
  if (!attempt) return undefined;
  return base !== null || agreed === null ? attempt.body : JSON.stringify(onceSent(context, entry));
}

function onceSent({ store }: Pick<SyncContext, "store">, entry: OutboxEntry): UpstreamRecord {
  const { uid } = store.record(entry.interventionId);
  const sent = store.unmarked(store.sentOf(entry), uid);
  if (entry.agreed === null) return sent;
  const { notes } = store.agreedOf(entry, uid);
  const lines = addedLines((sent["notes"] ?? null) as string | null, notes);
  return { ...sent, notes: withLines(sent["notes"], lines) };
}

function withLines(notes: unknown, lines: readonly string[]): string {
  return [...(typeof notes === "string" && notes !== "" ? [notes] : []), ...lines].join("\n");
}
