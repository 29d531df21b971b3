import type { OutboxPhase } from "./outbox-phase.ts";

/**
 * Where one record stands on its way to the centre. The entry says which revision is wanted there and which one is
 * known to be there; it is no list of operations, so any number of changes while the link is down is one request.
 */
export interface OutboxEntry {
  readonly interventionId: number;
  readonly phase: OutboxPhase;
  /** 0 goes first. */
  readonly priorityOrder: number;
  /** The record's revision that the centre should have. */
  readonly wantRev: number;
  /** The revision that the centre is known to have; 0 for none. */
  readonly syncedRev: number;
  /** The revision with which a trip last joined the record; 0 for none. What the centre lacks of it must come there. */
  readonly joinedRev: number;
  readonly deleted: boolean;
  /** The record's id at the centre; null until known. */
  readonly upstreamId: number | null;
  /** The centre's representation that both sides last agreed on, as JSON; null until known. */
  readonly base: string | null;
  /** The record's own fields as they were when both sides agreed, as JSON; a centre may write a value in another way. */
  readonly agreed: string | null;
  /** The attempt as it was first sent: every resend is the same key with the same bytes. Kept for the sweeps after it. */
  readonly attempt: OutboxAttempt | null;
  /** The centre's highest id before the first send: a record of ours that came in since is above it. Null before it. */
  readonly watermark: number | null;
  /** What the record of that id was known by, as JSON: without it there, ours may be below. Null where unknown. */
  readonly watermarkFingerprint: string | null;
  /** Whether a POST was ever left unanswered, so that a second one of it may exist or still come. */
  readonly possiblyDuplicated: boolean;
  /** Searches for such doubles so far. */
  readonly sweeps: number;
  /** Wall clock of the next one, milliseconds since 1970; null when none is needed. */
  readonly sweepAtMs: number | null;
  /** Values that unanswered updates put on the wire and that may still arrive: they are ours and no dispatcher's. */
  readonly inFlightValues: InFlightValues;
  /** Wall clock until which they may arrive, milliseconds since 1970; null when there are none. */
  readonly inFlightUntilMs: number | null;
  /** Wall clock at which the record is read again at the centre, milliseconds since 1970; null for never. */
  readonly verifyAtMs: number | null;
  /**
   * Wall clock since which the centre does not show the record, or shows one that may be another's, milliseconds since
   * 1970; null while there is no such doubt.
   */
  readonly missingSinceMs: number | null;
  /** How often the centre has refused an alarm's content since it last took it. */
  readonly refusals: number;
  /** How many POSTs may have landed at the centre. */
  readonly sends: number;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  /** Wall clock before which it is left alone, milliseconds since 1970. */
  readonly nextAtMs: number;
  /** Status code or error code of the last answer; null before the first. */
  readonly lastCode: string | null;
  /** The last answer in words; null after a success. */
  readonly lastError: string | null;
}

export interface OutboxAttempt {
  readonly key: string;
  readonly body: string;
  readonly rev: number;
  /** Wall clock of the last moment at which it was on the wire, milliseconds since 1970. */
  readonly atMs: number;
}

/** Field -> values. */
export type InFlightValues = Readonly<Record<string, readonly unknown[]>>;

/** A `verifyAtMs` that says: the centre was restored from a backup, and what it does not know it has lost. */
export const VERIFY_IMMEDIATELY = 0;
