/**
 * How long things wait on the way to the centre. All of it is full jitter or a fixed number with its reason beside it.
 */

/**
 * Full-jitter back-off: a random wait between nothing and a ceiling that doubles with each failure. Many sites that
 * lost the same centre do not come back in step.
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
/** An objective that the centre lacks is looked for again so often; no record waits longer of its own accord. */
export const BLOCKED_RETRY_MS = 900_000;

/**
 * An alarm that is refused is tried again after each of these, ten minutes together, before it counts as refused: one
 * stray 4xx of a gateway must not park it.
 */
export const ALARM_RETRY_MS: readonly number[] = [30_000, 150_000, 420_000];

/** A record that the centre has is checked no later than this ahead. */
export const CHECK_INTERVAL_MS_MAX = 30 * 86_400_000;

/** What a person or a slower network may need; tests that show what these rules are for switch them off. */
export interface SyncTimeouts {
  /**
   * A POST that was not answered may still arrive. It is sent again only after so long: more than the time-outs of a
   * client, a proxy and a server together. For an alarm it is shorter, because a double is better than no crew.
   */
  readonly resendAfterMs: { readonly alarm: number; readonly other: number };
  /** After an unanswered POST the centre is searched for doubles that came late: each time so long after the last. */
  readonly sweepDelaysMs: readonly number[];
  /** An open record is read again so often, for what the dispatcher has changed. */
  readonly pullIntervalMs: number;
}

export const DEFAULT_SYNC_TIMEOUTS: SyncTimeouts = {
  resendAfterMs: { alarm: 15_000, other: 150_000 },
  sweepDelaysMs: [900_000, 86_400_000],
  pullIntervalMs: 300_000,
};
