import type { Incident } from "./incident.ts";
import type { Timestamp, Trip } from "./trip.ts";

/* Which incident a trip belongs to by its time: decision 0008. */

/**
 * Whether a trip belongs to an incident by its time; the intervention must also be unfinished. A fault has no window: it
 * is one record until a user closes it.
 */
export function isWithinWindow(
  { last }: Pick<Incident, "last">,
  trip: Pick<Trip, "type" | "moment">,
  windowMs: number,
): boolean {
  if (trip.type !== "trip") return true;
  const sinceLastMs = elapsedMs(last, trip.moment);
  // A trip may overtake another one. If the clock was set back over a reboot, the time is unknown; an extra crew is better
  // than none.
  const backwardsMs = trip.moment.bootId === last.bootId ? windowMs : OVERTAKEN_MS;
  return -sinceLastMs <= backwardsMs && sinceLastMs <= windowMs;
}

/** The longest entry delay, in which other trips overtake that of the door; also across a reboot. */
const OVERTAKEN_MS = 45_000;

/**
 * The incident that a trip may join: the one in whose window it is, with the last trip nearest to it. One of another boot whose
 * time is unknown comes after all others: it only seems to be near. The end of a fault and the like belong to the newest.
 * @param incidents of the trip's subject, newest first
 */
export function incidentNear<Of extends Pick<Incident, "last">>(
  incidents: readonly Of[],
  trip: Pick<Trip, "type" | "moment" | "isDated">,
  windowMs: number,
): Of | undefined {
  if (trip.type !== "trip") return incidents[0];
  const apartMs = ({ last }: Of): number => Math.abs(elapsedMs(last, trip.moment));
  const isUnknown = (incident: Of): number => Number(isTimeUnknown(incident, trip));
  return incidents
    .filter((incident) => isWithinWindow(incident, trip, windowMs))
    .toSorted((a, b) => isUnknown(a) - isUnknown(b) || apartMs(a) - apartMs(b))[0];
}

/**
 * Whether it cannot be known how long before a trip an incident was: across a reboot only the wall clock tells it, and it was
 * not trusted at the trip.
 */
export function isTimeUnknown(
  { last }: Pick<Incident, "last">,
  { type, moment, isDated }: Pick<Trip, "type" | "moment" | "isDated">,
): boolean {
  return type === "trip" && !isDated && moment.bootId !== last.bootId;
}

/** The later of two times. */
export function laterOf(one: Timestamp, other: Timestamp): Timestamp {
  return elapsedMs(one, other) < 0 ? one : other;
}

/** The largest `site.incidentWindowS` that a configuration allows, in milliseconds. */
export const INCIDENT_WINDOW_MS_MAX = 3_600_000;

/**
 * Whether a trip cannot join an incident of its subject with any configured window. Faults have no window.
 * @param newest the newest incidents
 */
export function requiresNewIncident(
  trip: Pick<Trip, "type" | "moment" | "isDated">,
  newest: readonly Pick<Incident, "last">[],
): boolean {
  return trip.type === "trip" && incidentNear(newest, trip, INCIDENT_WINDOW_MS_MAX) === undefined;
}

/** Time between two timestamps: by the monotonic clock within one boot, otherwise by the wall clock. */
export function elapsedMs(from: Timestamp, to: Timestamp): number {
  return from.bootId === to.bootId ? to.monotonicMs - from.monotonicMs : to.wallMs - from.wallMs;
}
