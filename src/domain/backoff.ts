/** Waits and intervals of the synchronisation. */

/**
 * Full-jitter back-off: a random wait up to a ceiling that doubles with each failure, so that many sites do not reconnect
 * at the same time.
 * @param random uniform in [0, 1)
 * @returns milliseconds, at most `capMs`
 */
export function backOffMs(
  attempts: number,
  random: number,
  baseMs = BACK_OFF_BASE_MS,
  capMs = BACK_OFF_CAP_MS,
): number {
  return Math.floor(random * Math.min(capMs, baseMs * 2 ** Math.min(attempts, 30)));
}

const BACK_OFF_BASE_MS = 5_000;
const BACK_OFF_CAP_MS = 600_000;
/** Maximum wait of an alarm, for a centre that asks for more time and after any number of failures. */
export const ALARM_WAIT_MS_MAX = 60_000;
/**
 * Maximum random part of the wait of an alarm for a centre that responds and is busy, as while its database fails over: it will work
 * again within seconds. It is longer for a centre that asks for more time, because many sites wait then.
 */
const BUSY_ALARM_BACK_OFF_MS_MAX = 10_000;

/**
 * The wait of an alarm after a failure: short for a busy centre, which says itself how long it needs at least.
 * @param attempts failures before
 * @param random uniform in [0, 1)
 * @param busy undefined for a centre that is not reached; retryAfterMs: what it asks for, 0 for nothing
 * @returns milliseconds, at most a minute
 */
export function alarmBackOffMs(
  attempts: number,
  random: number,
  busy?: { readonly retryAfterMs: number },
): number {
  if (!busy) return backOffMs(attempts, random, undefined, ALARM_WAIT_MS_MAX);
  const capMs = Math.max(BUSY_ALARM_BACK_OFF_MS_MAX, busy.retryAfterMs);
  const backOff = backOffMs(attempts, random, undefined, capMs);
  return Math.min(busy.retryAfterMs + backOff, ALARM_WAIT_MS_MAX);
}

/** Interval at which a missing objective is checked; the longest automatic wait of a record. */
export const BLOCKED_RETRY_MS = 900_000;

/**
 * Waits before an alarm that was rejected is sent again, ten minutes in total, before it counts as rejected. A single 4xx
 * of a gateway must not stop an alarm.
 */
export const ALARM_RETRY_MS: readonly number[] = [30_000, 150_000, 420_000];

/** A linked record is checked at least at this interval. */
export const CHECK_INTERVAL_MS_MAX = 30 * 86_400_000;

/** Time-outs for slow networks or manual work; some tests shorten or disable them. */
export interface SyncTimeouts {
  /**
   * Wait before an unanswered POST is sent again: longer than the time-outs of client, proxy and server together. Shorter
   * for an alarm, because a duplicate is better than no crew.
   */
  readonly resendAfterMs: { readonly alarm: number; readonly other: number };
  /** Waits between the searches for late duplicates after an unanswered POST. */
  readonly sweepDelaysMs: readonly number[];
  /** Interval at which an open record is read, for changes by dispatchers. */
  readonly pullIntervalMs: number;
}

export const DEFAULT_SYNC_TIMEOUTS: SyncTimeouts = {
  resendAfterMs: { alarm: 15_000, other: 150_000 },
  sweepDelaysMs: [900_000, 86_400_000],
  pullIntervalMs: 300_000,
};
