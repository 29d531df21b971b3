import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import { withInFlightValues } from "../domain/merge.ts";
import type { OutboxEntry } from "../domain/outbox.ts";
import { URGENT_ORDER } from "../domain/priority-order.ts";
import { ALARM_RETRY_MS, backOffMs, BLOCKED_RETRY_MS, type SyncTimeouts } from "../domain/backoff.ts";
import type { WriteOutcome } from "./reply-classification.ts";

/** The wall clock, and a random number for the wait. */
export interface RetryContext {
  readonly wallMs: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * What the answer to a POST means once the entry's past is taken into account: this send may certainly not have
 * arrived, but an earlier one of the same attempt may have.
 */
export function effectiveOutcome(entry: OutboxEntry, outcome: WriteOutcome): WriteOutcome {
  return outcome.event !== "applied" && entry.sends > 1 ? { ...outcome, event: "ambiguous" } : outcome;
}

/** The `lastCode` of a record that the centre shows without our reference and without another proof. */
export const UNCLEAR = "UNCLEAR";

/**
 * The `lastCode` of a record whose answer was lost and whose list could not be read whole, once a person has asked for another
 * attempt: the person says that the centre does not have it.
 */
export const DENIED = "DENIED";

/**
 * What an answer that concerns an alarm's content is believed to mean: a gateway can say 4xx once by itself, so an alarm
 * is tried again before it counts as refused, forbidden or without an objective.
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

/** What the answer to a POST changes in its entry, besides the phase. */
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
    ...(isAmbiguous ? { possiblyDuplicated: true, attempt: atNow(entry, moment.wallMs) } : {}),
  };
}

/**
 * The entry once its record there is known.
 * @param base what to hold the centre's next answer against, as JSON
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
 * The entry once a search has found its record there: what was sent has arrived, or, where the record was known before and
 * has not been sent since, what was known then.
 */
export function foundAs(entry: OutboxEntry, upstreamId: number, linking: Linking): Partial<OutboxEntry> {
  const { attempt, base, agreed, syncedRev } = entry;
  const linked = linkedTo(entry, upstreamId, base ?? attempt?.body ?? "{}", linking);
  // What a dispatcher has already changed there is read at once.
  const found = { ...linked, verifyAtMs: linking.wallMs };
  return base === null ? found : { ...found, agreed: agreed ?? base, syncedRev };
}

export interface Linking {
  readonly timeouts: SyncTimeouts;
  readonly wallMs: number;
  /** Whether the centre makes no second record of a repeated key. */
  readonly honoursKeys: boolean;
}

/**
 * How long until the centre is searched for a second record; undefined for never. What was in doubt is searched for
 * more than once. What was answered at once is searched for when nothing of it can arrive any more: a proxy can deliver a
 * request twice and tell of one.
 */
function firstSweepMs(
  { possiblyDuplicated }: OutboxEntry,
  { sweepDelaysMs, resendAfterMs }: SyncTimeouts,
  honoursKeys: boolean,
): number | undefined {
  if (possiblyDuplicated) return sweepDelaysMs[0];
  return honoursKeys || sweepDelaysMs.length === 0 ? undefined : resendAfterMs.other;
}

/** What a try that failed changes: its count, its wait and its reason. */
export function afterFailure(
  entry: OutboxEntry,
  outcome: Pick<WriteOutcome, "link" | "code" | "reason" | "mayBeRecordSpecific" | "retryAfterMs"> & {
    event?: WriteOutcome["event"];
  },
  { wallMs, random }: RetryContext,
): Partial<OutboxEntry> {
  const { event, link, code, reason, mayBeRecordSpecific = false, retryAfterMs = 0 } = outcome;
  // Only somebody at the centre mends what is forbidden or missing.
  const leastMs = event === "missing" || code === "403" ? BLOCKED_RETRY_MS : retryAfterMs;
  // A link that is down holds everything back by itself; a record that it may have been down for waits on its own.
  const isLinkAlone = link !== "ok" && !mayBeRecordSpecific;
  const waitMs = isLinkAlone ? 0 : Math.max(leastMs, backOffMs(entry.attempts, random));
  return {
    lastCode: code,
    lastError: reason,
    attempts: entry.attempts + 1,
    nextAtMs: isLinkAlone ? 0 : wallMs + waitMs,
  };
}

/** What is changed when nothing is left to do there. Late copies of a doubted record are still looked for. */
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
 * The ghosts once another attempt follows one that was not answered: what that one sent may still arrive, and is ours
 * and no dispatcher's.
 * @param key the new attempt's
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

/** When an attempt that was not answered can no longer arrive, milliseconds since 1970. */
export function latestArrivalMs(entry: OutboxEntry, { resendAfterMs }: SyncTimeouts): number {
  return (
    (entry.attempt?.atMs ?? 0) +
    (entry.priorityOrder === URGENT_ORDER ? resendAfterMs.alarm : resendAfterMs.other)
  );
}

/** The settable fields of a JSON record. */
function fieldsIn(json: string): ReturnType<typeof fieldsOf> {
  return fieldsOf(JSON.parse(json) as Intervention);
}

function atNow({ attempt }: OutboxEntry, wallMs: number): OutboxEntry["attempt"] {
  return attempt && { ...attempt, atMs: wallMs };
}
