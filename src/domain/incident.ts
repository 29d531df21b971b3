import type { Intervention, InterventionUpdate } from "../generated/types.ts";
import type { RequestedServices, Timestamp, Trip } from "./trip.ts";
import type { ConfirmWith } from "./zone.ts";

/** One intervention and the trips that belong to it. */
export interface Incident {
  /** Key of the trip that opened it, and the Idempotency-Key of its intervention. */
  readonly key: string;
  /** What its trips have in common: class and objective, one fault of one zone, or one arming. */
  readonly subject: string;
  readonly interventionId: number;
  /** When its last trip was. */
  readonly last: Timestamp;
  /** Its zones in the order in which they joined. */
  readonly zones: readonly IncidentZone[];
}

/** A time in a line of the notes; `isDated` is false while the clock of that time was not trusted. */
export interface Stamp extends Timestamp {
  readonly isDated: boolean;
}

/** One zone in an incident: what its line in the notes says, and what confirms it. */
export interface IncidentZone {
  readonly zoneId: string;
  readonly name: string;
  /** What its first opening was, in the words of the site; empty for a plain one. */
  readonly remark: string;
  readonly first: Stamp;
  readonly last: Stamp;
  /** How often it has opened. */
  readonly openings: number;
  /** When it last closed; null while it has not. */
  readonly closed: Stamp | null;
  /** Its line as it is in the record; null while the record's description alone names it. */
  readonly line: string | null;
  /** Two signals of one device do not confirm each other; null for a zone that confirms nothing. */
  readonly device: string | null;
  /** Which zones confirm it and within which time; null for every other device. */
  readonly confirmWith: ConfirmWith | null;
}

/**
 * Whether a trip is part of an incident as far as time says; its intervention must also be unfinished. A fault has no
 * window: it is one record until a user closes it.
 */
export function isWithinWindow(
  { last }: Pick<Incident, "last">,
  trip: Pick<Trip, "type" | "moment">,
  windowMs: number,
): boolean {
  if (trip.type !== "trip") return true;
  const sinceLastMs = elapsedMs(last, trip.moment);
  // Behind a clock that has gone back over a reboot the time is unknown; a crew too many is better than one too few.
  const isBackwards = sinceLastMs < 0 && trip.moment.bootId !== last.bootId;
  return !isBackwards && sinceLastMs <= windowMs;
}

/** The largest `site.incidentWindowS` that a configuration can have, in milliseconds. */
export const INCIDENT_WINDOW_MS_MAX = 3_600_000;

/**
 * Whether a trip cannot join the newest incident of its subject, whatever the window is set to. A fault has none.
 * @param latest undefined where there has been no incident
 */
export function requiresNewIncident(
  trip: Pick<Trip, "type" | "moment">,
  latest: Pick<Incident, "last"> | undefined,
): boolean {
  if (trip.type !== "trip") return false;
  return latest === undefined || !isWithinWindow(latest, trip, INCIDENT_WINDOW_MS_MAX);
}

/** Whether work on a record goes on; undefined stands for one that was deleted. */
export function isUnfinished(record: Intervention | undefined): record is Intervention {
  return record !== undefined && record.status !== "done";
}

/** Whether a trip confirms an incident: another device has tripped in it, and each accepts the other's zone in time. */
export function confirms({ zones }: Incident, trip: Trip): boolean {
  const { device } = trip.signal;
  if (trip.confirmed === null || device === null) return false;
  return zones.some((zone) => {
    if (zone.device === null || zone.device === device || zone.zoneId === trip.zoneId) return false;
    const apartMs = Math.abs(elapsedMs(zone.last, trip.moment));
    return (
      accepts(trip.signal.confirmWith, zone.zoneId, apartMs) &&
      accepts(zone.confirmWith, trip.zoneId, apartMs)
    );
  });
}

function accepts(confirmWith: ConfirmWith | null, zoneId: string, apartMs: number): boolean {
  return confirmWith === null || (confirmWith.zones.includes(zoneId) && apartMs <= confirmWith.withinMs);
}

/** From one moment to another, by the monotonic clock within one boot of the machine, else by the wall clock. */
function elapsedMs(from: Timestamp, to: Timestamp): number {
  return from.bootId === to.bootId ? to.monotonicMs - from.monotonicMs : to.wallMs - from.wallMs;
}

/** The zone of an opening as part of an incident, before or after it has joined. */
export function withOpening(
  zone: IncidentZone | undefined,
  trip: Pick<Trip, "zoneId" | "moment" | "isDated" | "signal" | "confirmed" | "body">,
): IncidentZone {
  const { moment, isDated, signal } = trip;
  const stamp = { ...moment, isDated };
  if (zone) return { ...zone, last: stamp, openings: zone.openings + 1, closed: null };
  return {
    zoneId: trip.zoneId,
    name: signal.name,
    remark: signal.remark,
    first: stamp,
    last: stamp,
    openings: 1,
    closed: null,
    // A profile whose texts do not name the zone has its line from the beginning.
    line: trip.body.notes ?? null,
    device: trip.confirmed === null ? null : signal.device,
    confirmWith: signal.confirmWith,
  };
}

/**
 * A zone with its times of one boot as a trusted clock has them; the same zone where they were right.
 * @param wallMinusMonotonicMs of that boot
 */
export function redated(zone: IncidentZone, bootId: string, wallMinusMonotonicMs: number): IncidentZone {
  const dated = (stamp: Stamp): Stamp => {
    const wallMs = Math.round(stamp.monotonicMs + wallMinusMonotonicMs);
    const isRight = stamp.isDated && Math.abs(stamp.wallMs - wallMs) < CLOCK_STEP_MS;
    return stamp.bootId !== bootId || isRight ? stamp : { ...stamp, wallMs, isDated: true };
  };
  const [first, last] = [dated(zone.first), dated(zone.last)];
  const closed = zone.closed && dated(zone.closed);
  const isSame = first === zone.first && last === zone.last && closed === zone.closed;
  return isSame ? zone : { ...zone, first, last, closed };
}

/** A clock that differs by less was not set, but runs a little wrong. */
const CLOCK_STEP_MS = 30_000;

/** The zones that are not the same objects as before. */
export function changedZones(
  before: readonly IncidentZone[],
  after: readonly IncidentZone[],
): readonly IncidentZone[] {
  return after.filter((zone) => !before.includes(zone));
}

/** The zones of an incident with one of them changed or added. */
export function withZone(zones: readonly IncidentZone[], changed: IncidentZone): readonly IncidentZone[] {
  const isKnown = zones.some(({ zoneId }) => zoneId === changed.zoneId);
  return isKnown
    ? zones.map((zone) => (zone.zoneId === changed.zoneId ? changed : zone))
    : [...zones, changed];
}

/** What a trip raises in an open record. Nothing is ever lowered, and a flag that a person has set stays. */
export function escalation(record: Intervention, trip: Trip, isConfirmed: boolean): InterventionUpdate {
  const { priority = "low", crews = 1, police, ambulance, firetruck } = trip.body;
  const wanted: RequestedServices[] = [{ priority, crews, ...flagsOf({ police, ambulance, firetruck }) }];
  if (isConfirmed) wanted.push({ priority: "high", ...trip.confirmed });
  const changes: InterventionUpdate = {};
  for (const flags of wanted) {
    if (flags.priority && priorityLevel(flags.priority) > priorityLevel(changes.priority ?? record.priority))
      changes.priority = flags.priority;
    if (flags.crews !== undefined && flags.crews > (changes.crews ?? record.crews))
      changes.crews = flags.crews;
    for (const flag of SERVICES) if (flags[flag] === true && !record[flag]) changes[flag] = true;
  }
  return changes;
}

const SERVICES = ["police", "ambulance", "firetruck"] as const;

function flagsOf(flags: Partial<Record<(typeof SERVICES)[number], boolean | undefined>>): RequestedServices {
  return Object.fromEntries(SERVICES.filter((flag) => flags[flag] === true).map((flag) => [flag, true]));
}

function priorityLevel(priority: Intervention["priority"]): number {
  return ["low", "medium", "high"].indexOf(priority);
}
