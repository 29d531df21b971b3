/** How the link to the centre stood at a moment, and how old the oldest record was that had not left. */
export interface LinkSample {
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
  readonly state: LinkSampleState;
  /** Seconds; null when everything had left. */
  readonly oldestUnsentS: number | null;
}

/** `unknown`: nothing has been sent since the start. */
export type LinkSampleState = "unknown" | "up" | "down";

/** So often the link is written down while nothing changes, milliseconds. */
export const SAMPLE_EVERY_MS = 300_000;
/** A sample says nothing about later than this: after it the daemon was not there to look. */
const SAMPLE_VALID_MS = 2 * SAMPLE_EVERY_MS;

/** A stretch of time: for which part of it the link was up or down; what is missing to 1 nobody knows. */
export interface LinkInterval {
  readonly fromMs: number;
  readonly up: number;
  readonly down: number;
  /** The highest age in this stretch, seconds; 0 when everything had left, null when nobody looked. */
  readonly oldestUnsentS: number | null;
}

/**
 * The samples as stretches of equal length.
 * @param samples in the order of their time; one from before the span may lead
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
    const holdsToMs = Math.min(samples[index + 1]?.atMs ?? untilMs, atMs + SAMPLE_VALID_MS, untilMs);
    const first = Math.max(0, Math.floor((atMs - sinceMs) / lengthMs));
    const last = Math.min(count - 1, Math.ceil((holdsToMs - sinceMs) / lengthMs) - 1);
    for (const [place, stretch] of intervals.slice(first, last + 1).entries()) {
      const beginMs = sinceMs + (first + place) * lengthMs;
      const overlapMs = Math.min(holdsToMs, beginMs + lengthMs) - Math.max(atMs, beginMs);
      if (state !== "unknown") stretch[state] += Math.max(0, overlapMs) / lengthMs;
      stretch.oldestUnsentS = Math.max(stretch.oldestUnsentS ?? 0, oldestUnsentS ?? 0);
    }
  }
  return intervals;
}
