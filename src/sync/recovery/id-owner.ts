import { markersIn } from "../../domain/marker.ts";
import { isMarkedAs, isSameEvent, isUnlikeSent, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import { inheritedInFlightValues } from "../attempt-outcome.ts";
import type { SyncContext } from "../context.ts";
import type { WriteOutcome } from "../reply-classification.ts";
import { noteRestore } from "./gone-records.ts";
import { ANOTHER_RECORD, ANSWERED, DENIED, READS_DENIED } from "./last-codes.ts";

/**
 * Refuses the answer to a POST whose id is linked to another record here, unless the response shows that it is this record:
 * then the id was reused, and the other record loses it.
 */
export function checkIdOwner(context: SyncContext, entry: OutboxEntry, outcome: WriteOutcome): WriteOutcome {
  if (!outcome.record) return outcome;
  const { record, ...rest } = outcome;
  const row = JSON.parse(record.json) as MatchCandidate;
  if (isAnothersAnswer(context, entry, row)) {
    const reason = `the dispatch centre responded with record ${record.id}, which is not the one that was sent`;
    // Searched for once. A centre that repeats such an answer rejects the record, which a person has to see.
    const event = entry.lastCode === ANOTHER_RECORD ? "refused" : "ambiguous";
    return { ...rest, event, code: ANOTHER_RECORD, reason };
  }
  const owner = ownerOf(context, entry, record.id);
  if (!owner) return outcome;
  if (!belongsToOther(context, entry, row)) {
    claim(context, entry, row);
    return outcome;
  }
  const reason = `the dispatch centre responded with record ${record.id}, which is linked to intervention ${owner.interventionId}; was the centre restored from a backup?`;
  return { ...rest, event: "refused", reason };
}

/** Whether a proxy has mixed up responses. One with an id alone shows nothing else. */
function isAnothersAnswer({ store }: SyncContext, entry: OutboxEntry, row: MatchCandidate): boolean {
  const sent = store.sentOf(entry);
  if (isMarkedAs(row, store.markerOf(store.record(entry.interventionId).uid))) return false;
  const known = markersIn(sent);
  if (markersIn(row).some((marker) => !known.includes(marker))) return true;
  // A centre that rewrites what it is sent, and the marker too, is trusted the second time: the search finds nothing there.
  // So is one whose list cannot show the record: each further send would create one more.
  const { lastCode, sends } = entry;
  const isUnsearched =
    lastCode === DENIED || ((lastCode === READS_DENIED || lastCode === ANSWERED) && sends > 1);
  return isUnlikeSent(row, sent) && lastCode !== ANOTHER_RECORD && !isUnsearched;
}

/**
 * The answer to an update; ambiguous if it has another record, as from a proxy that has mixed up responses. The next read
 * decides.
 * @param upstreamId the record that was updated
 * @param known what was read before the update, and what was sent
 */
export function checkUpdateAnswer(
  outcome: WriteOutcome,
  upstreamId: number | null,
  known: readonly UpstreamRecord[],
): WriteOutcome {
  const { record, ...rest } = outcome;
  if (!record) return outcome;
  const markers = known.flatMap(markersIn);
  const answered = markersIn(JSON.parse(record.json) as UpstreamRecord);
  if (record.id === upstreamId && answered.every((marker) => markers.includes(marker))) return outcome;
  const reason = `the dispatch centre responded with record ${record.id}, which is not the one that was sent`;
  return { ...rest, event: "ambiguous", code: ANOTHER_RECORD, reason };
}

/**
 * Whether an upstream record belongs to another entry. It does not if it is the event that this entry has sent and not that of
 * the other one, or if it carries only this entry's marker and is of neither: then the id was reused.
 */
export function belongsToOther(
  context: Pick<SyncContext, "store">,
  entry: OutboxEntry,
  row: MatchCandidate,
): boolean {
  const { store } = context;
  const owner = ownerOf(context, entry, row.id);
  if (!owner) return false;
  const [ours, theirs] = [entry, owner].map(({ interventionId }) =>
    store.markerOf(store.record(interventionId).uid),
  ) as [string, string];
  if (isMarkedAs(row, theirs)) return true;
  // A dispatcher may have replaced the notes of the other record by ours, and a centre may drop each marker.
  const isOurEvent = isSameEvent(row, store.sentOf(entry));
  const isTheirEvent = isSameEvent(row, JSON.parse(owner.base ?? "{}") as UpstreamRecord);
  if (isOurEvent !== isTheirEvent) return isTheirEvent;
  return !store.isMarked || !isMarkedAs(row, ours);
}

/**
 * Takes an upstream record for this entry. The entry that was linked to it is unlinked and all others are verified.
 */
export function claim(context: SyncContext, entry: OutboxEntry, row: MatchCandidate): void {
  const owner = ownerOf(context, entry, row.id);
  if (!owner) return;
  unlink(context, owner);
  noteRestore(context, row.id);
}

/** Unlinks a record whose id belongs to another one. It is searched for, and created again if not found. */
export function unlink(context: SyncContext, entry: OutboxEntry): void {
  const { store, clock } = context;
  const stored = store.record(entry.interventionId);
  const attempt = store.newAttempt({ ...entry, attempt: null }, stored);
  store.apply(entry, "mistaken", {
    // The base is kept: a found record may be unchanged, and a local change is still to be sent.
    upstreamId: null,
    attempt: { ...attempt, atMs: clock.wallMs() },
    ...inheritedInFlightValues(context, entry, attempt.key),
    watermark: 0,
    watermarkFingerprint: null,
    possiblyDuplicated: true,
    sends: 1,
    nextAtMs: 0,
    verifyAtMs: null,
    sweepAtMs: null,
    missingSinceMs: null,
    lastCode: null,
  });
  store.recordConflict(entry.interventionId, "unlinked", {
    phase: "unsure",
    reason: `record ${entry.upstreamId} of the dispatch centre is no longer this intervention; it is searched for and created again if not found`,
  });
}

function ownerOf(
  { store }: Pick<SyncContext, "store">,
  { interventionId }: OutboxEntry,
  upstreamId: number,
): OutboxEntry | undefined {
  const owner = store.outbox.findByUpstreamId(upstreamId);
  return owner?.interventionId === interventionId ? undefined : owner;
}
