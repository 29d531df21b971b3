/** State of the link to the dispatch centre at one time, and the age of the oldest unsent record. */
export interface LinkSample {
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
  readonly state: LinkSampleState;
  /** Seconds; null if all records were sent. */
  readonly oldestUnsentS: number | null;
}

/** `unknown`: nothing was sent since the start. */
export type LinkSampleState = "unknown" | "up" | "down";

/** Interval of samples while the state does not change, milliseconds. */
export const SAMPLE_EVERY_MS = 300_000;
/** Validity of a sample: without a newer one, the daemon did not run. */
const SAMPLE_VALID_MS = 2 * SAMPLE_EVERY_MS;

/** Shares of an interval in which the link was up or down; the rest is unknown. */
interface LinkInterval {
  readonly fromMs: number;
  readonly up: number;
  readonly down: number;
  /** Maximum age in this interval, seconds; 0 if all records were sent, null without samples. */
  readonly oldestUnsentS: number | null;
}

/**
 * Converts samples to intervals of equal length.
 * @param samples in order of time; the first one may be from before the range
 */
export function linkStretches(
  samples: readonly LinkSample[],
  { sinceMs, untilMs, count }: { sinceMs: number; untilMs: number; count: number },
): LinkInterval[] {
  const lengthMs = (untilMs - sinceMs) / count;
  const intervals = Array.from({ length: count }, (_, index) => ({
    fromMs: Math.round(sinceMs + index * lengthMs),
    up: 0,
    down: 0,
    oldestUnsentS: null as number | null,
  }));
  for (const [index, { atMs, state, oldestUnsentS }] of samples.entries()) {
    const validUntilMs = Math.min(samples[index + 1]?.atMs ?? untilMs, atMs + SAMPLE_VALID_MS, untilMs);
    const first = Math.max(0, Math.floor((atMs - sinceMs) / lengthMs));
    const last = Math.min(count - 1, Math.ceil((validUntilMs - sinceMs) / lengthMs) - 1);
    for (const [place, interval] of intervals.slice(first, last + 1).entries()) {
      const beginMs = sinceMs + (first + place) * lengthMs;
      const overlapMs = Math.min(validUntilMs, beginMs + lengthMs) - Math.max(atMs, beginMs);
      if (state !== "unknown") interval[state] += Math.max(0, overlapMs) / lengthMs;
      interval.oldestUnsentS = Math.max(interval.oldestUnsentS ?? 0, oldestUnsentS ?? 0);
    }
  }
  return intervals;
}
