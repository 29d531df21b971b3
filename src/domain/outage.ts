import type { SilenceQuery } from "./site-silence.ts";

/* Which silent sites have a common cause. */

/** The last report of a site. */
interface LastReport {
  readonly ref: string;
  /** Wall clock, milliseconds since 1970. */
  readonly reportedAtMs: number;
}

/** A site that is silent, or has not reported for half of its time. */
export interface StoppedSite extends LastReport {
  readonly isSilent: boolean;
}

/** Sites that stop together from this number on have a common cause, such as their provider. */
const TOGETHER_MIN = 10;
/** In a small fleet, half of it, but never fewer. */
const TOGETHER_SMALL_MIN = 3;

/** How long a silent site counts as part of an outage: a site that was removed must not keep the condition open. */
const OUTAGE_SHOWN_FOR_MS = 86_400_000;

/**
 * Compares the last reports of the sites that have stopped. Sites have stopped together if their last reports are at most half of
 * the time of a site apart. Sites that are silent since another hour do not count.
 */
export class StoppedSites {
  readonly #query: SilenceQuery;
  readonly #halfMs: (ref: string) => number;
  readonly #stopped: readonly StoppedSite[];
  readonly #timesMs: readonly number[];
  readonly #sites: number;

  /**
   * @param found `stopped`: those of `stoppedBeforeMs` whose last report is not before `stoppedSinceMs`, by the time of it;
   *   `sites`: number of all sites
   */
  constructor(
    query: SilenceQuery,
    { stopped, sites }: { readonly stopped: readonly StoppedSite[]; readonly sites: number },
  ) {
    this.#query = query;
    this.#halfMs = halfTimes(query);
    this.#stopped = stopped;
    this.#timesMs = stopped.map(({ reportedAtMs }) => reportedAtMs);
    this.#sites = sites;
  }

  /** Whether so many sites have stopped with one of them that one cause is likelier than many. */
  isCommon({ ref, reportedAtMs }: LastReport): boolean {
    const halfMs = this.#halfMs(ref);
    const together =
      countBefore(this.#timesMs, reportedAtMs + halfMs + 1) -
      countBefore(this.#timesMs, reportedAtMs - halfMs);
    return isOutage({ together, sites: this.#sites });
  }

  /**
   * The silent sites of the outages of the last day; 0 without one.
   * @param marked the sites that have become silent in this look
   */
  outage(marked: readonly { readonly ref: string }[]): number {
    const refs = new Set(marked.map(({ ref }) => ref));
    const shown = this.#stopped.filter(
      (site) => (site.isSilent || refs.has(site.ref)) && this.#isShown(site) && this.isCommon(site),
    );
    return isOutage({ together: shown.length, sites: this.#sites }) ? shown.length : 0;
  }

  #isShown({ ref, reportedAtMs }: LastReport): boolean {
    return reportedAtMs >= this.#query.nowMs - shownForMs(this.#halfMs(ref));
  }
}

/**
 * From which last report on the stopped sites are compared, wall clock, milliseconds since 1970.
 * @param overdue the sites that become silent in this look
 */
export function stoppedSinceMs(query: SilenceQuery, overdue: readonly LastReport[]): number {
  const halfMs = halfTimes(query);
  const { nowMs } = query;
  const limits = [query, ...query.own].map(
    ({ stoppedBeforeMs }) => nowMs - shownForMs(nowMs - stoppedBeforeMs),
  );
  return Math.min(...limits, ...overdue.map(({ ref, reportedAtMs }) => reportedAtMs - halfMs(ref)));
}

function shownForMs(halfMs: number): number {
  return Math.max(4 * halfMs, OUTAGE_SHOWN_FOR_MS);
}

/** Half of the time of each site. */
function halfTimes({ nowMs, stoppedBeforeMs, own }: SilenceQuery): (ref: string) => number {
  const limits = new Map(own.map((site) => [site.ref, site.stoppedBeforeMs]));
  return (ref) => nowMs - (limits.get(ref) ?? stoppedBeforeMs);
}

/** The number of times before a limit. @param timesMs in ascending order */
function countBefore(timesMs: readonly number[], limitMs: number): number {
  let [from, to] = [0, timesMs.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((timesMs[middle] ?? 0) < limitMs) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Whether so many sites have stopped together that one cause is likelier than many. */
function isOutage({ together, sites }: { readonly together: number; readonly sites: number }): boolean {
  return together >= TOGETHER_MIN || (together >= TOGETHER_SMALL_MIN && 2 * together >= sites);
}
