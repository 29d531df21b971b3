import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import { withInFlightValues } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { URGENT_ORDER } from "../domain/priority-order.ts";
import { ALARM_RETRY_MS, backOffMs, BLOCKED_RETRY_MS, type SyncTimeouts } from "../domain/backoff.ts";
import type { WriteOutcome } from "./reply-classification.ts";

/** Input of a back-off: the wall clock in milliseconds since 1970, and a random number. */
export interface RetryContext {
  readonly wallMs: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * The outcome of a POST in the light of earlier sends. This send may certainly have failed, but an earlier one
 * of the same attempt may have been applied.
 */
export function effectiveOutcome(entry: OutboxEntry, outcome: WriteOutcome): WriteOutcome {
  return outcome.event !== "applied" && entry.sends > 1 ? { ...outcome, event: "ambiguous" } : outcome;
}

/** `lastCode` of a record that is shown without our marker and without other proof of identity. */
export const UNCLEAR = "UNCLEAR";

/**
 * `lastCode` of an unconfirmed record whose list could not be read completely, after a user has ordered a
 * retry. The user confirms that the dispatch centre does not have the record.
 */
export const DENIED = "DENIED";

/**
 * Turns a rejection of an alarm into a retry, up to the number of waits in `ALARM_RETRY_MS`. A gateway can send
 * a stray 4xx, so one is not enough to reject an alarm.
 */
export function retryAlarmRejection(
  { priorityOrder, refusals }: OutboxEntry,
  outcome: WriteOutcome,
  wallMs: number,
): { readonly outcome: WriteOutcome; readonly changes: Partial<OutboxEntry> } {
  const waitMs = ALARM_RETRY_MS[refusals];
  const isStray = outcome.event === "refused" || outcome.event === "missing" || outcome.code === "403";
  if (priorityOrder !== URGENT_ORDER || !isStray || waitMs === undefined) return { outcome, changes: {} };
  return {
    outcome: { ...outcome, event: "not-applied" },
    changes: { refusals: refusals + 1, nextAtMs: wallMs + waitMs },
  };
}

/** The changes of an entry after a POST, besides its phase. */
export function afterPost(
  entry: OutboxEntry,
  outcome: WriteOutcome,
  moment: RetryContext,
  { timeouts, honoursKeys }: Omit<Linking, "wallMs">,
): Partial<OutboxEntry> {
  const { event, record } = outcome;
  if (event === "applied" && record)
    return linkedTo(entry, record.id, record.json, { timeouts, wallMs: moment.wallMs, honoursKeys });
  const isAmbiguous = event === "ambiguous";
  return {
    ...afterFailure(entry, outcome, moment),
    sends: isAmbiguous ? entry.sends : Math.max(0, entry.sends - 1),
    ...(isAmbiguous ? { possiblyDuplicated: true, attempt: withTime(entry, moment.wallMs) } : {}),
  };
}

/**
 * The changes of an entry when its id at the dispatch centre becomes known.
 * @param base the record as last known there, as JSON; the next read is compared with it
 */
export function linkedTo(
  entry: OutboxEntry,
  upstreamId: number,
  base: string,
  { timeouts, wallMs, honoursKeys }: Linking,
): Partial<OutboxEntry> {
  const sweepMs = firstSweepMs(entry, timeouts, honoursKeys);
  return {
    upstreamId,
    base,
    agreed: entry.attempt?.body ?? base,
    syncedRev: entry.attempt?.rev ?? entry.syncedRev,
    attempts: 0,
    nextAtMs: 0,
    lastError: null,
    attempt: sweepMs === undefined ? null : entry.attempt,
    sweeps: 0,
    sweepAtMs: sweepMs === undefined ? null : wallMs + sweepMs,
    verifyAtMs: wallMs + timeouts.pullIntervalMs,
    missingSinceMs: null,
    refusals: 0,
  };
}

/**
 * The changes of an entry when a search has found its record. The attempt has been applied. If the record was
 * known before and not sent since, the earlier base is kept.
 */
export function foundAs(entry: OutboxEntry, upstreamId: number, linking: Linking): Partial<OutboxEntry> {
  const { attempt, base, agreed, syncedRev } = entry;
  const linked = linkedTo(entry, upstreamId, base ?? attempt?.body ?? "{}", linking);
  // Verify at once: a dispatcher may already have changed the record.
  const found = { ...linked, verifyAtMs: linking.wallMs };
  return base === null ? found : { ...found, agreed: agreed ?? base, syncedRev };
}

export interface Linking {
  readonly timeouts: SyncTimeouts;
  readonly wallMs: number;
  /** Whether a repeated idempotency key never creates a second record. */
  readonly honoursKeys: boolean;
}

/**
 * Milliseconds until the first sweep for duplicates; undefined for none. Unconfirmed records are swept several
 * times. Confirmed ones are swept once, when no copy can still arrive: a proxy can deliver a request twice and
 * report only one response.
 */
function firstSweepMs(
  { possiblyDuplicated }: OutboxEntry,
  { sweepDelaysMs, resendAfterMs }: SyncTimeouts,
  honoursKeys: boolean,
): number | undefined {
  if (possiblyDuplicated) return sweepDelaysMs[0];
  return honoursKeys || sweepDelaysMs.length === 0 ? undefined : resendAfterMs.other;
}

/** The changes of an entry after a failed attempt: count, next time and reason. */
export function afterFailure(
  entry: OutboxEntry,
  outcome: Pick<WriteOutcome, "link" | "code" | "reason" | "mayBeRecordSpecific" | "retryAfterMs"> & {
    event?: WriteOutcome["event"];
  },
  { wallMs, random }: RetryContext,
): Partial<OutboxEntry> {
  const { event, link, code, reason, mayBeRecordSpecific = false, retryAfterMs = 0 } = outcome;
  // Only the staff of the dispatch centre can fix a missing right or objective.
  const leastMs = event === "missing" || code === "403" ? BLOCKED_RETRY_MS : retryAfterMs;
  // While the link is down nothing is sent anyway. Only a record that may have caused the fault waits on its
  // own.
  const isLinkFault = link !== "ok" && !mayBeRecordSpecific;
  const waitMs = isLinkFault ? 0 : Math.max(leastMs, backOffMs(entry.attempts, random));
  return {
    lastCode: code,
    lastError: reason,
    attempts: entry.attempts + 1,
    nextAtMs: isLinkFault ? 0 : wallMs + waitMs,
  };
}

/**
 * The changes of an entry that needs no further request. Late copies of an unconfirmed record are still swept
 * for.
 */
export function closing(entry: OutboxEntry, timeouts: SyncTimeouts, wallMs: number): Partial<OutboxEntry> {
  const [firstMs] = timeouts.sweepDelaysMs;
  const needsSweep = entry.possiblyDuplicated && firstMs !== undefined;
  return {
    upstreamId: null,
    base: null,
    agreed: null,
    syncedRev: entry.wantRev,
    attempts: 0,
    lastError: null,
    attempt: needsSweep ? entry.attempt : null,
    sweeps: 0,
    sweepAtMs: needsSweep ? wallMs + firstMs : null,
    verifyAtMs: null,
    missingSinceMs: null,
    refusals: 0,
    inFlightValues: {},
    inFlightUntilMs: null,
  };
}

/**
 * In-flight values for an attempt that follows an unconfirmed one. Values of the earlier attempt may still
 * arrive and must not count as a dispatcher's changes.
 * @param key idempotency key of the new attempt
 */
export function inheritedInFlightValues(
  { possiblyDuplicated, attempt: earlier, inFlightValues }: OutboxEntry,
  key: string,
  { sweepDelaysMs }: SyncTimeouts,
  wallMs: number,
): Partial<OutboxEntry> {
  if (!possiblyDuplicated || !earlier || earlier.key === key) return {};
  return {
    inFlightValues: withInFlightValues(inFlightValues, fieldsIn(earlier.body)),
    inFlightUntilMs: wallMs + sweepDelaysMs.reduce((sum, ms) => sum + ms, 0),
  };
}

/** When an unconfirmed attempt can no longer arrive, milliseconds since 1970. */
export function latestArrivalMs(entry: OutboxEntry, { resendAfterMs }: SyncTimeouts): number {
  return (
    (entry.attempt?.atMs ?? 0) +
    (entry.priorityOrder === URGENT_ORDER ? resendAfterMs.alarm : resendAfterMs.other)
  );
}

/** The writable fields of a JSON record. */
function fieldsIn(json: string): ReturnType<typeof fieldsOf> {
  return fieldsOf(JSON.parse(json) as Intervention);
}

function withTime({ attempt }: OutboxEntry, wallMs: number): OutboxEntry["attempt"] {
  return attempt && { ...attempt, atMs: wallMs };
}
