import type { Zone } from "./zone.ts";

/** Counts of a zone since it was last quiet. */
export interface SwingerCounters {
  /** Incidents that its trips have opened. */
  readonly incidents: number;
  /** Trips in these incidents. */
  readonly trips: number;
  /** Trips that were only counted, because there were too many. */
  readonly counted: number;
  /** Its last trip, wall clock, milliseconds since 1970. */
  readonly lastWallMs: number;
}

/** Trips within its own incidents after which a zone enters swinger shutdown, so that it does not fill the notes. */
const TRIPS_MAX = 20;

/** Whether a zone is in CP-01's swinger shutdown; never for life safety zones. @param counters those in force */
export function isShutDown({ swinger }: Zone, counters: SwingerCounters | undefined): boolean {
  if (swinger === null || counters === undefined) return false;
  return counters.incidents >= swinger.maxTrips || counters.trips >= TRIPS_MAX;
}

/** How long a zone must be quiet until its counts are reset, in milliseconds. */
export function resetAfterQuietMs({ swinger }: Zone): number {
  return swinger?.resetAfterQuietMs ?? LIFE_SAFETY_RESET_MS;
}

/** CP-01's eight hours, for the counts of zones without swinger shutdown. */
const LIFE_SAFETY_RESET_MS = 28_800_000;

/**
 * The counts that apply now: none once the zone has been quiet long enough, although its row still exists.
 * @param wallMs now, wall clock
 */
export function applicableCounters(
  zone: Zone,
  counters: SwingerCounters | undefined,
  wallMs: number,
): SwingerCounters | undefined {
  if (counters === undefined) return undefined;
  return Math.abs(wallMs - counters.lastWallMs) < resetAfterQuietMs(zone) ? counters : undefined;
}

/**
 * Counts one more trip. A suppressed one, as in a walk test, and one of another zone's incident do not count towards a
 * shutdown.
 */
export function countTrip(
  before: SwingerCounters | undefined,
  wallMs: number,
  {
    isStored,
    isSuppressed,
    isOfOther = false,
  }: { readonly isStored: boolean; readonly isSuppressed: boolean; readonly isOfOther?: boolean },
): SwingerCounters {
  const { incidents = 0, trips = 0, counted = 0 } = before ?? {};
  return {
    incidents,
    trips: trips + (isSuppressed || isOfOther ? 0 : 1),
    counted: counted + (isStored ? 0 : 1),
    lastWallMs: isSuppressed && before ? before.lastWallMs : wallMs,
  };
}
