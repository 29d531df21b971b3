import type { Zone } from "./zone.ts";

/** How often a zone has tripped since it was last quiet. */
export interface SwingerCounters {
  /** Incidents that its trips have opened. */
  readonly incidents: number;
  readonly trips: number;
  /** Trips that were not written down one by one, because there were too many. */
  readonly counted: number;
  /** Its last trip, wall clock, milliseconds since 1970. */
  readonly lastWallMs: number;
}

/** A zone trips this often within its own incidents before it is shut down, so that no pendulum fills the notes. */
const TRIPS_MAX = 20;

/** Whether a zone is shut down: CP-01's swinger shutdown, never for what saves lives. */
export function isShutDown({ swinger }: Zone, swinging: SwingerCounters | undefined): boolean {
  if (swinger === null || swinging === undefined) return false;
  return swinging.incidents >= swinger.maxTrips || swinging.trips >= TRIPS_MAX;
}

/** How long a zone must be quiet until everything is forgotten, in milliseconds. */
export function quietResetMs({ swinger }: Zone): number {
  return swinger?.quietResetMs ?? LIFE_SAFETY_RESET_MS;
}

/** CP-01's eight hours, for the counters of zones that are never shut down. */
const LIFE_SAFETY_RESET_MS = 28_800_000;

/** The counters after one more trip. One that is held back anyway, as in a walk test, does not wear the zone out. */
export function countTrip(
  before: SwingerCounters | undefined,
  wallMs: number,
  { isStored, isSuppressed }: { readonly isStored: boolean; readonly isSuppressed: boolean },
): SwingerCounters {
  const { incidents = 0, trips = 0, counted = 0 } = before ?? {};
  return {
    incidents,
    trips: trips + (isSuppressed ? 0 : 1),
    counted: counted + (isStored ? 0 : 1),
    lastWallMs: isSuppressed && before ? before.lastWallMs : wallMs,
  };
}
