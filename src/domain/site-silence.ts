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

/** Maximum of `upstream.reportS`. */
const REPORT_S_MAX = 3_600;

/**
 * The interval of the reports of a site, in seconds: one of them may be lost before the site is silent.
 * @param option seconds, or the name of a reporting time; both validated by the schema
 */
export function reportSecondsOf(option: number | string): number {
  return typeof option === "number"
    ? option
    : Math.min(REPORT_S_MAX, Math.floor(silentSecondsOf(option) / 2));
}

/** After how many seconds without a report a site is silent. */
export interface SilenceTimes {
  readonly silentS: number;
  /** The times of sites that differ, by `site.ref`. */
  readonly sites: Readonly<Record<string, number>>;
}

/** The time of one site. */
export function silentSecondsFor(ref: string, { silentS, sites }: SilenceTimes): number {
  return (Object.hasOwn(sites, ref) ? sites[ref] : undefined) ?? silentS;
}

/** All times in use, each once. */
export function differentTimes({ silentS, sites }: SilenceTimes): readonly number[] {
  return [...new Set([silentS, ...Object.values(sites)])];
}

/** The limits of the sites with one time, all wall clock, milliseconds since 1970. */
interface SilenceLimits {
  /** Sites without a report since then are silent; 0 while it is not known which of them have reported. */
  readonly reportedBeforeMs: number;
  /**
   * Sites without a report since then have stopped: those that are silent already, and the others if it is known that they have not
   * reported. It is half of the time ago, so that the first of an outage already finds the others.
   */
  readonly stoppedBeforeMs: number;
}

/** What a look for silent sites asks of the store. */
export interface SilenceQuery extends SilenceLimits {
  /** The limits of sites with a time of their own. */
  readonly own: readonly (SilenceLimits & { readonly ref: string })[];
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Plans a look for silent sites. A centre that was down itself, or whose clock was set, has missed reports: it must have listened
 * for the whole time of a site before it can call that one silent.
 * @param nowMs until when it is known which sites have reported
 * @param watchingSinceMs since when reports were received without interruption, by the same clock as `nowMs`; a function if that
 *   depends on the time of a site, in seconds
 * @returns undefined while that is too short for every site
 */
export function silenceQuery(
  nowMs: number,
  watchingSinceMs: number | ((silentS: number) => number),
  times: SilenceTimes,
): SilenceQuery | undefined {
  const watchedMsOf = (silentS: number): number =>
    nowMs - (typeof watchingSinceMs === "number" ? watchingSinceMs : watchingSinceMs(silentS));
  if (differentTimes(times).every((silentS) => watchedMsOf(silentS) < silentS * 1000)) return undefined;
  const limits = (silentS: number): SilenceLimits =>
    limitsOf(silentS * 1000, { nowMs, watchedMs: watchedMsOf(silentS) });
  const own = Object.entries(times.sites).map(([ref, silentS]) => ({ ref, ...limits(silentS) }));
  return { ...limits(times.silentS), own, nowMs };
}

function limitsOf(
  silentMs: number,
  { nowMs, watchedMs }: { readonly nowMs: number; readonly watchedMs: number },
): SilenceLimits {
  const reportedBeforeMs = watchedMs < silentMs ? 0 : nowMs - silentMs;
  return { reportedBeforeMs, stoppedBeforeMs: nowMs - silentMs / 2 };
}
