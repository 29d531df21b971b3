/* When a site that reports to this daemon counts as silent. */

/**
 * Reporting times in seconds, the longest time until a failed path is reported, by the names of the single path categories of
 * EN 50136-1. The times are defaults of this product: they were not checked against the text of the standard.
 */
const REPORTING_TIMES_S: Readonly<Record<string, number>> = {
  SP2: 90_000,
  SP3: 1_800,
  SP4: 180,
  SP5: 90,
  SP6: 20,
};

/**
 * The time without a report after which a site is silent, in seconds.
 * @param option seconds, or the name of a reporting time; both validated by the schema
 */
export function silentSecondsOf(option: number | string): number {
  return typeof option === "number" ? option : (REPORTING_TIMES_S[option] ?? Number(option));
}

/** What a look for silent sites asks of the store, all wall clock, milliseconds since 1970. */
export interface SilenceQuery {
  /** Sites without a report since then are silent. */
  readonly reportedBeforeMs: number;
  /**
   * Sites whose last report is in this span stopped together. It begins at half of the time, so that the first of them already
   * finds the others.
   */
  readonly togetherMs: { readonly from: number; readonly to: number };
  readonly nowMs: number;
}

/** How long a silent site counts as part of an outage: a site that was removed must not keep the condition open. */
const OUTAGE_SHOWN_FOR_MS = 86_400_000;

/**
 * Plans a look for silent sites. A centre that was down itself, or whose clock was set, has missed reports: it must have listened
 * for the whole time before it can call a site silent.
 * @param nowMs until when it is known which sites have reported
 * @param watchingSinceMs since when reports were received without interruption, by the same clock as `nowMs`
 * @returns undefined while that is too short
 */
export function silenceQuery(
  nowMs: number,
  watchingSinceMs: number,
  silentMs: number,
): SilenceQuery | undefined {
  if (nowMs - watchingSinceMs < silentMs) return undefined;
  const togetherMs = { from: nowMs - Math.max(2 * silentMs, OUTAGE_SHOWN_FOR_MS), to: nowMs - silentMs / 2 };
  return { reportedBeforeMs: nowMs - silentMs, togetherMs, nowMs };
}

/** Sites that stop together from this number on have a common cause, such as their provider. */
const TOGETHER_MIN = 10;
/** In a small fleet, half of it, but never fewer. */
const TOGETHER_SMALL_MIN = 3;

/** Whether so many sites are silent together that one cause is likelier than many. */
export function isOutage({
  together,
  sites,
}: {
  readonly together: number;
  readonly sites: number;
}): boolean {
  return together >= TOGETHER_MIN || (together >= TOGETHER_SMALL_MIN && 2 * together >= sites);
}
