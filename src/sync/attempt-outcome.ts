import { fieldsOf, type Intervention } from "../domain/intervention.ts";
import { isMarkedAs } from "../domain/match-candidate.ts";
import { type UpstreamRecord, withInFlightValues } from "../domain/merge.ts";
import {
  CODES_OF_BUSY_CENTRE,
  ownFailures,
  type OutboxEntry,
  type RecoveryState,
  URGENT_PRIORITY_ORDER,
  WAITS_FOR_LINK,
} from "../domain/outbox.ts";
import {
  ALARM_RETRY_MS,
  ALARM_WAIT_MS_MAX,
  alarmBackOffMs,
  backOffMs,
  BLOCKED_RETRY_MS,
} from "../domain/backoff.ts";
import type { SyncContext } from "./context.ts";
import type { ReadOutcome, WriteOutcome } from "./reply-classification.ts";
import { lacksLines } from "./short-post.ts";
import { agreedOnceSent } from "./stuck-trip.ts";
import { answeredToPost } from "./unread-notes.ts";

/**
 * The outcome of a POST in the light of earlier sends. This send may certainly have failed, but an earlier one of the same
 * attempt may have been applied. A second conflict in a row may be one with the record that the attempt has created, if a
 * proxy has delivered it twice.
 */
export function effectiveOutcome(entry: OutboxEntry, outcome: WriteOutcome): WriteOutcome {
  const isConflictAgain = outcome.code === "409" && entry.lastCode === "409";
  const mayBeThere = entry.sends > 1 || isConflictAgain;
  return outcome.event !== "applied" && mayBeThere ? { ...outcome, event: "ambiguous" } : outcome;
}

/**
 * Turns a rejection into a retry: at once if the record has changed since it was sent, because what was rejected is no longer
 * what is to be sent; for an alarm up to the number of waits in `ALARM_RETRY_MS`. A gateway can send a stray 4xx, so one is
 * not enough to reject an alarm.
 * @param sentRev the revision that was sent
 */
export function retryRejection(
  { clock }: SyncContext,
  { priorityOrder, refusals, wantRev }: OutboxEntry,
  outcome: WriteOutcome,
  sentRev: number,
): { readonly outcome: WriteOutcome; readonly changes: Partial<OutboxEntry> } {
  const isAlarm = priorityOrder === URGENT_PRIORITY_ORDER;
  const isHeld = !isAlarm && CODES_OF_BUSY_CENTRE.has(outcome.code);
  if (wantRev > sentRev && CERTAIN_FAILURES.has(outcome.event) && !isHeld)
    return { outcome: { ...outcome, event: "not-applied" }, changes: { attempts: 0, nextAtMs: 0 } };
  const waitMs = ALARM_RETRY_MS[refusals];
  const isStray = outcome.event === "refused" || outcome.event === "missing" || outcome.code === "403";
  if (!isAlarm || !isStray || waitMs === undefined) return { outcome, changes: {} };
  // An earlier send may have arrived: it is searched for before the next one.
  const event = outcome.event === "ambiguous" ? outcome.event : "not-applied";
  return {
    outcome: { ...outcome, event },
    changes: { refusals: refusals + 1, nextAtMs: clock.wallMs() + waitMs },
  };
}

/** Outcomes after which nothing of the request can arrive. */
const CERTAIN_FAILURES: ReadonlySet<WriteOutcome["event"]> = new Set(["not-applied", "refused", "missing"]);

/** The changes of an entry after a POST, besides its phase. */
export function afterPost(
  context: SyncContext,
  entry: OutboxEntry,
  outcome: WriteOutcome,
): Partial<OutboxEntry> {
  const { event, record } = outcome;
  if (event === "applied" && record)
    return linkedTo(context, entry, record.id, answeredToPost(context, entry, record.json));
  const failure = afterFailure(context, entry, outcome);
  if (event === "ambiguous") {
    const attempt = entry.attempt && { ...entry.attempt, atMs: context.clock.wallMs() };
    return { ...failure, attempt, possiblyDuplicated: true };
  }
  const sends = Math.max(0, entry.sends - 1);
  // Nothing of it can still arrive: a search before the next attempt must not wait for it.
  const attempt = entry.attempt && sends === 0 ? { ...entry.attempt, atMs: 0 } : entry.attempt;
  return { ...failure, attempt, sends };
}

/**
 * The changes of an entry when its id at the dispatch centre becomes known.
 * @param base the record as last known there, as JSON; the next read is compared with it
 */
export function linkedTo(
  context: SyncContext,
  entry: OutboxEntry,
  upstreamId: number,
  base: string,
): Partial<OutboxEntry> {
  const sweepMs = firstSweepMs(context, entry);
  const wallMs = context.clock.wallMs();
  // With an id below the watermark it would count as an older record, and the sweep would not find another one.
  const isBelow = upstreamId <= (entry.watermark ?? 0) && isShownOurs(context, entry, base);
  return {
    ...(isBelow ? { watermark: upstreamId - 1, watermarkFingerprint: null } : {}),
    upstreamId,
    arrivedAtMs: wallMs,
    base,
    agreed: agreedOnceSent(context, entry) ?? base,
    unpulled: [],
    syncedRev: entry.attempt?.rev ?? entry.syncedRev,
    attempts: 0,
    nextAtMs: 0,
    // It was about the POST.
    lastCode: null,
    lastError: null,
    attempt: sweepMs === undefined ? null : entry.attempt,
    sweeps: 0,
    sweepAtMs: sweepMs === undefined ? null : wallMs + sweepMs,
    verifyAtMs: wallMs + context.timeouts.pullIntervalMs,
    missingSinceMs: null,
    refusals: 0,
    ...lacksLines(entry, wallMs),
  };
}

/**
 * Whether a record of the centre shows that it is the one that was sent. At a centre without references nothing better than its
 * answer exists.
 * @param json the record
 */
export function isShownOurs(
  { store }: Pick<SyncContext, "store">,
  entry: OutboxEntry,
  json: string,
): boolean {
  const isMarked = store.isMarked && store.facts.lostReference === null;
  return !isMarked || isMarkedAs(JSON.parse(json) as UpstreamRecord, store.markerSent(entry));
}

/**
 * Milliseconds until the first sweep for duplicates; undefined for none. Unconfirmed records are swept several
 * times. Confirmed ones are swept once, when no copy can still arrive: a proxy can deliver a request twice and
 * report only one response.
 */
function firstSweepMs(
  { timeouts: { sweepDelaysMs, resendAfterMs }, store }: SyncContext,
  { possiblyDuplicated }: RecoveryState,
): number | undefined {
  if (possiblyDuplicated) return sweepDelaysMs[0];
  return store.facts.honoursKeys || sweepDelaysMs.length === 0 ? undefined : resendAfterMs.other;
}

/** The changes of an entry after a failed attempt: count, next time and reason. */
export function afterFailure(
  { clock, random }: Pick<SyncContext, "clock" | "random">,
  entry: OutboxEntry,
  outcome: ReadOutcome & { event?: WriteOutcome["event"] },
): Partial<OutboxEntry> {
  const { event, link, code, reason, mayBeRecordSpecific = false, retryAfterMs = 0 } = outcome;
  const isAlarm = entry.priorityOrder === URGENT_PRIORITY_ORDER;
  // Only the staff of the dispatch centre can fix a missing right or objective. An alarm is worth asking again earlier.
  const askedMs = isAlarm ? 0 : retryAfterMs;
  // A read that is denied keeps the line of a trip from its record. After a POST that may be there, a search is next.
  const isReadNext = event === undefined || event === "ambiguous";
  const deniedMs = isAlarm && isReadNext ? ALARM_WAIT_MS_MAX : BLOCKED_RETRY_MS;
  const leastMs = event === "missing" || code === "403" ? deniedMs : askedMs;
  // While the link is down nothing is sent anyway. Only a record that may have caused the fault waits on its own.
  const isLinkFault = link !== "ok" && !mayBeRecordSpecific;
  const failures = ownFailures(entry);
  const backOff =
    isAlarm && CODES_OF_BUSY_CENTRE.has(code)
      ? alarmBackOffMs(failures, random(), { retryAfterMs })
      : backOffMs(failures, random());
  const waitMs = isLinkFault ? 0 : Math.max(leastMs, backOff);
  return {
    lastCode: code,
    lastError: reason,
    attempts: (isLinkFault ? entry.attempts : failures) + 1,
    nextAtMs: isLinkFault ? WAITS_FOR_LINK : clock.wallMs() + waitMs,
  };
}

/** Counts an attempt to create a record that has ended before it was sent, in a transaction: it waits for the link alone. */
export function countAttempt(store: SyncContext["store"], interventionId: number): undefined {
  const entry = store.entry(interventionId);
  if (entry.phase === "new" || entry.phase === "blocked")
    store.outbox.save({ ...entry, attempts: entry.attempts + 1, nextAtMs: WAITS_FOR_LINK });
}

/** The changes of an entry for which no update can still arrive. */
export const NOTHING_IN_FLIGHT: Pick<RecoveryState, "inFlightValues" | "inFlightUntilMs"> = {
  inFlightValues: {},
  inFlightUntilMs: null,
};

/**
 * The changes of an entry that needs no further request. Late copies of an unconfirmed record are still swept
 * for.
 */
export function closing({ timeouts, clock }: SyncContext, entry: OutboxEntry): Partial<OutboxEntry> {
  const [firstMs] = timeouts.sweepDelaysMs;
  const { deleted, upstreamId } = entry;
  const needsSweep = entry.possiblyDuplicated && firstMs !== undefined;
  return {
    upstreamId: null,
    // A restored centre may bring a deleted record back, under this id.
    base: deleted && upstreamId !== null ? JSON.stringify({ id: upstreamId }) : null,
    agreed: null,
    unpulled: [],
    syncedRev: entry.wantRev,
    attempts: 0,
    lastError: null,
    attempt: needsSweep ? entry.attempt : null,
    sweeps: 0,
    sweepAtMs: needsSweep ? clock.wallMs() + firstMs : null,
    verifyAtMs: null,
    missingSinceMs: null,
    refusals: 0,
    ...NOTHING_IN_FLIGHT,
  };
}

/**
 * In-flight values for an attempt that follows an unconfirmed one. Values of the earlier attempt may still
 * arrive and must not count as a dispatcher's changes.
 * @param key idempotency key of the new attempt
 */
export function inheritedInFlightValues(
  { timeouts, clock }: Pick<SyncContext, "timeouts" | "clock">,
  { possiblyDuplicated, attempt: earlier, inFlightValues }: OutboxEntry,
  key: string,
): Partial<OutboxEntry> {
  if (!possiblyDuplicated || !earlier || earlier.key === key) return {};
  const sent = fieldsOf(JSON.parse(earlier.body) as Intervention);
  return {
    inFlightValues: withInFlightValues(inFlightValues, sent),
    inFlightUntilMs: clock.wallMs() + timeouts.sweepDelaysMs.reduce((sum, ms) => sum + ms, 0),
  };
}
