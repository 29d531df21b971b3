import { isWithdrawable, nextPhase, type OutboxPhase } from "./outbox-phase.ts";
import type { Priority } from "../generated/types.ts";

/**
 * Sync state of one record: the revision that should be at the centre and the one known to be there. It is not a list of
 * operations, so any number of changes while the link is down needs one request.
 */
export interface OutboxEntry extends RecoveryState {
  readonly interventionId: number;
  readonly phase: OutboxPhase;
  /** Queue order; 0 is sent first. */
  readonly priorityOrder: number;
  /** Revision that the centre should have. */
  readonly wantRev: number;
  /** Revision that the centre is known to have; 0 for none. */
  readonly syncedRev: number;
  /** Revision with which a trip last joined the record; 0 for none. It must reach the centre. */
  readonly joinedRev: number;
  /** Wall clock since which the centre lacks a trip that has joined, milliseconds since 1970; null if it lacks none. */
  readonly joinedAtMs: number | null;
  readonly deleted: boolean;
  /** The record's id at the centre; null until known. */
  readonly upstreamId: number | null;
  /** Wall clock when it became known that the centre has it, milliseconds since 1970; null until then. */
  readonly arrivedAtMs: number | null;
  /** The centre's record that both sides last agreed on, as JSON; null until known. */
  readonly base: string | null;
  /** The local fields when both sides agreed, as JSON; a centre may write a value in another way. */
  readonly agreed: string | null;
  /** Fields whose value at the centre is not valid here, so that it was not taken over. Nothing is sent over such a value. */
  readonly unpulled: readonly string[];
  /** The attempt as first sent: every resend has the same key and the same bytes. Kept for later sweeps. */
  readonly attempt: OutboxAttempt | null;
  /** Wall clock of the next check of the record at the centre, milliseconds since 1970; null for never. */
  readonly verifyAtMs: number | null;
  /** How often the centre has rejected an alarm's content since it last accepted it. */
  readonly refusals: number;
  /** Failed attempts since the last success; those on a link that was down until the centre responds again. */
  readonly attempts: number;
  /** Wall clock of the next attempt, milliseconds since 1970, or `WAITS_FOR_LINK`. */
  readonly nextAtMs: number;
  /** Status or error code of the last response; null before the first. */
  readonly lastCode: string | null;
  /** Text of the last response; null after a success. */
  readonly lastError: string | null;
}

/**
 * What an entry stores in case it becomes uncertain what the centre has of its record. A push without faults sets only
 * `sends`, the watermark and the time of one sweep.
 */
export interface RecoveryState {
  /** Number of POSTs that may have arrived at the centre. */
  readonly sends: number;
  /** The centre's highest id before the first attempt; newer records are above it. Null before the first attempt. */
  readonly watermark: number | null;
  /** Fingerprint of the record with that id, as JSON: if it is missing there, ours may have a lower id. Null if unknown. */
  readonly watermarkFingerprint: string | null;
  /** Whether a POST ever had no response, so that a second copy may exist or still arrive. */
  readonly possiblyDuplicated: boolean;
  /** Number of searches for such duplicates. */
  readonly sweeps: number;
  /** Wall clock of the next sweep, milliseconds since 1970; null if none is needed. */
  readonly sweepAtMs: number | null;
  /** Values of unconfirmed updates that may still arrive; they are not changes by a dispatcher. */
  readonly inFlightValues: InFlightValues;
  /** Wall clock until which they may arrive, milliseconds since 1970; null if there are none. */
  readonly inFlightUntilMs: number | null;
  /**
   * Wall clock since which the record is missing at the centre or may belong to another record, milliseconds since 1970; null if
   * neither applies.
   */
  readonly missingSinceMs: number | null;
}

export interface OutboxAttempt {
  readonly key: string;
  readonly body: string;
  readonly rev: number;
  /** Wall clock of the last time it was sent, milliseconds since 1970. */
  readonly atMs: number;
}

/** Values by field. */
export type InFlightValues = Readonly<Record<string, readonly unknown[]>>;

/** A `verifyAtMs` after a restore of the centre from a backup: records that it does not have were lost. */
export const VERIFY_IMMEDIATELY = 0;

/**
 * How long others must have been due before they are verified ahead of an alarm, of a record that the centre may have lost, and of
 * one that it has changed. Neither kind can hold the other up for longer.
 */
export const VERIFY_AHEAD_MS = 3_600_000;

/** The `verifyAtMs` of an entry that is verified ahead of others. */
export function verifyAheadAtMs({ verifyAtMs }: Pick<OutboxEntry, "verifyAtMs">, nowMs: number): number {
  if (verifyAtMs === VERIFY_IMMEDIATELY) return VERIFY_IMMEDIATELY;
  return Math.max(VERIFY_IMMEDIATELY + 1, Math.min(verifyAtMs ?? nowMs, nowMs) - VERIFY_AHEAD_MS);
}

/** A `nextAtMs` after an attempt on a link that was down: the entry is due, and waits for the link alone. */
export const WAITS_FOR_LINK = -1;

/** Failed attempts of an entry by which its own back-off grows: those on a link that was down say nothing about the record. */
export function ownFailures({ attempts, nextAtMs }: Pick<OutboxEntry, "attempts" | "nextAtMs">): number {
  return nextAtMs === WAITS_FOR_LINK ? 0 : attempts;
}

/** Counts of outbox entries for status displays. */
export interface OutboxSummary {
  /** Records whose latest revision is not at the centre and is sent automatically. */
  readonly waiting: number;
  /** Those of high priority, which are tried sooner than the others while the link is down. */
  readonly waitingAlarms: number;
  readonly blocked: number;
  readonly rejected: number;
  readonly gone: number;
  /** Records that were not found in the last check, which is not certain yet. */
  readonly doubtful: number;
  /** Records of high priority that are rejected or wait for their objective. */
  readonly rejectedAlarms: number;
  /**
   * Wall clock of the oldest waiting record's last change, or of the first trip that the centre lacks of it, milliseconds since
   * 1970; null when none waits.
   */
  readonly oldestWaitingMs: number | null;
}

/**
 * How long the oldest record has waited, in milliseconds; 0 if none waits. A time in the future is from before the clock was set
 * back: the wait is unknown, and counts as that long.
 */
export function waitingForMs(
  { oldestWaitingMs }: Pick<OutboxSummary, "oldestWaitingMs">,
  nowMs: number,
): number {
  return oldestWaitingMs === null ? 0 : Math.abs(nowMs - oldestWaitingMs);
}

/** The order of high priority, which has a queue of its own and is sent first. */
export const URGENT_PRIORITY_ORDER = 0;

/** The position of a priority among the queued records: the lowest number is sent first. */
export function priorityOrderOf(priority: Priority): number {
  return { high: URGENT_PRIORITY_ORDER, medium: 1, low: 2 }[priority];
}

/** A local change of a record by a user or a trip. */
interface RecordChange {
  readonly event: "edited" | "deleted";
  /** The record's revision after the change. */
  readonly rev: number;
  readonly priorityOrder: number;
  /** Whether a trip joins the record with the change. */
  readonly hasTripJoined: boolean;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
  /** First sweep for copies that may still be in flight, wall clock, milliseconds since 1970. */
  readonly firstSweepMs: number;
}

/** The outbox entry of a record after a local change. */
export function changedEntry(entry: OutboxEntry, change: RecordChange): OutboxEntry {
  const { event, rev, priorityOrder, hasTripJoined, nowMs, firstSweepMs } = change;
  const outcome = event === "deleted" ? deletionOf(entry) : event;
  const phase = nextPhase(entry.phase, outcome, entry.upstreamId !== null);
  return {
    ...entry,
    phase,
    priorityOrder,
    wantRev: rev,
    joinedRev: hasTripJoined ? rev : entry.joinedRev,
    // Of the first of several.
    joinedAtMs: hasUnsentTrip(entry) ? entry.joinedAtMs : hasTripJoined ? nowMs : null,
    deleted: event === "deleted",
    // What was rejected is no longer what is to be sent.
    refusals: 0,
    // An edit restarts a rejected entry.
    ...(phase === entry.phase ? dueAfterEdit(entry, priorityOrder) : { attempts: 0, nextAtMs: 0 }),
    // A copy of an earlier attempt may still be in flight: it is searched for and removed there.
    ...(phase === "closed" && entry.possiblyDuplicated ? { sweeps: 0, sweepAtMs: firstSweepMs } : {}),
  };
}

/** Whether the centre lacks a trip that has joined the record. */
export function hasUnsentTrip({
  joinedRev,
  syncedRev,
}: Pick<OutboxEntry, "joinedRev" | "syncedRev">): boolean {
  return joinedRev > syncedRev;
}

/** Codes with which the centre asks for time, whatever the content. */
export const CODES_OF_BUSY_CENTRE: ReadonlySet<string> = new Set(["429", "503"]);

/**
 * When an entry is due whose phase an edit does not change: at once, because an earlier failure may have been about its
 * content. It keeps its time while an earlier request may still arrive, while it is doubtful that the centre has the record,
 * and while the centre has asked for time, which an alarm does not grant.
 */
function dueAfterEdit(
  { phase, missingSinceMs, lastCode, ...before }: OutboxEntry,
  priorityOrder: number,
): Partial<OutboxEntry> {
  // An unconfirmed alarm waits for a shorter time.
  if (phase === "unsure") return priorityOrder < before.priorityOrder ? { nextAtMs: 0 } : {};
  const isAlarm = priorityOrder === URGENT_PRIORITY_ORDER;
  const isHeld = missingSinceMs !== null || (!isAlarm && CODES_OF_BUSY_CENTRE.has(lastCode ?? ""));
  return (phase === "new" || phase === "linked") && !isHeld ? { nextAtMs: Math.min(before.nextAtMs, 0) } : {};
}

/** Outcome of deleting a record for its entry: `withdrawn` only if no copy can be at the centre. */
function deletionOf({ phase, upstreamId, sends }: OutboxEntry): "withdrawn" | "deleted" {
  const canBeThere = upstreamId !== null || sends > 0 || !isWithdrawable(phase);
  return canBeThere ? "deleted" : "withdrawn";
}
