import type { Intervention, InterventionCreate, InterventionUpdate } from "../generated/types.ts";
import { elapsedMs } from "./incident-window.ts";
import type { RequestedServices, Timestamp, Trip } from "./trip.ts";
import type { ConfirmWith, ZoneKind, ZoneObjective } from "./zone.ts";

/** One intervention and the trips that belong to it. */
export interface Incident {
  /** Key of the trip that opened it, which is the Idempotency-Key of its intervention. */
  readonly key: string;
  /** What its trips have in common: class and objective, one fault of one zone, or one arming. */
  readonly subject: string;
  readonly interventionId: number;
  /** Time of its last trip. */
  readonly last: Timestamp;
  /** Its zones in the order of joining. */
  readonly zones: readonly IncidentZone[];
}

/** A time in a line of the notes; `isDated` is false if the clock was not trusted at that time. */
export interface NoteTimestamp extends Timestamp {
  readonly isDated: boolean;
}

/** One zone in an incident: the data of its line in the notes, and of its confirmation. */
export interface IncidentZone {
  readonly zoneId: string;
  readonly name: string;
  /** Remark on its first opening, in the site's language; empty for an ordinary trip. */
  readonly remark: string;
  readonly first: NoteTimestamp;
  readonly last: NoteTimestamp;
  /** Number of openings. */
  readonly openings: number;
  /** Time of its last restore; null if it is open. */
  readonly closed: NoteTimestamp | null;
  /** Its line in the notes; null if only the record's description names it. */
  readonly line: string | null;
  /** Two signals of one device do not confirm each other; null for a zone without confirmation, and one with test trips only. */
  readonly device: string | null;
  /** Zones that confirm it and the maximum time; null for any other device. */
  readonly confirmWith: ConfirmWith | null;
}

/** Whether a record is not done and not deleted (undefined). */
export function isUnfinished(record: Intervention | undefined): record is Intervention {
  return record !== undefined && record.status !== "done";
}

/** Whether a trip confirms an incident: another device has tripped in it, and each zone accepts the other in time. */
export function confirms({ zones }: Incident, trip: Trip): boolean {
  const device = confirmingDevice(trip);
  if (device === null) return false;
  return zones.some((zone) => {
    if (zone.device === null || zone.device === device || zone.zoneId === trip.zoneId) return false;
    const apartMs = Math.abs(elapsedMs(zone.last, trip.moment));
    return (
      accepts(trip.signal.confirmWith, zone.zoneId, apartMs) &&
      accepts(zone.confirmWith, trip.zoneId, apartMs)
    );
  });
}

/** The device whose signal a trip is; null for a zone without confirmation, and for a test trip, which no device has sent. */
function confirmingDevice({ confirmed, signal }: Pick<Trip, "confirmed" | "signal">): string | null {
  return confirmed === null || signal.isTest ? null : signal.device;
}

function accepts(confirmWith: ConfirmWith | null, zoneId: string, apartMs: number): boolean {
  return confirmWith === null || (confirmWith.zones.includes(zoneId) && apartMs <= confirmWith.withinMs);
}

/** Adds an opening to a zone of an incident; undefined for a new zone. */
export function withOpening(
  zone: IncidentZone | undefined,
  trip: Pick<Trip, "zoneId" | "moment" | "isDated" | "signal" | "confirmed" | "body">,
): IncidentZone {
  const { moment, isDated, signal } = trip;
  const stamp = { ...moment, isDated };
  if (zone) {
    // A trip that was rejected at first may come after later ones.
    const isEarlier = elapsedMs(zone.last, stamp) < 0;
    const times = isEarlier
      ? { first: elapsedMs(zone.first, stamp) < 0 ? stamp : zone.first }
      : { last: stamp, closed: null };
    const device = zone.device ?? confirmingDevice(trip);
    return { ...zone, ...times, device, openings: zone.openings + 1 };
  }
  return {
    zoneId: trip.zoneId,
    name: signal.name,
    remark: signal.remark,
    first: stamp,
    last: stamp,
    openings: 1,
    closed: null,
    // If the profile's texts do not name the zone, its line is in the notes from the start.
    line: trip.body.notes ?? null,
    device: confirmingDevice(trip),
    confirmWith: signal.confirmWith,
  };
}

/**
 * Corrects the times of one boot in a zone, now that the clock is trusted; returns the same object if they were right.
 * @param wallMinusMonotonicMs of that boot
 */
export function redated(zone: IncidentZone, bootId: string, wallMinusMonotonicMs: number): IncidentZone {
  const dated = (stamp: NoteTimestamp): NoteTimestamp => {
    const wallMs = Math.round(stamp.monotonicMs + wallMinusMonotonicMs);
    const isRight = stamp.isDated && Math.abs(stamp.wallMs - wallMs) < CLOCK_STEP_MS;
    return stamp.bootId !== bootId || isRight ? stamp : { ...stamp, wallMs, isDated: true };
  };
  const [first, last] = [dated(zone.first), dated(zone.last)];
  const closed = zone.closed && dated(zone.closed);
  const isSame = first === zone.first && last === zone.last && closed === zone.closed;
  return isSame ? zone : { ...zone, first, last, closed };
}

/** A smaller difference is clock drift, not a clock step. */
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

/** Values that a trip raises in an open record. Nothing is lowered, and services requested by a user stay. */
export function escalation(
  record: Pick<Intervention, "priority" | "crews"> & RequestedServices,
  trip: Trip,
  isConfirmed: boolean,
): InterventionUpdate {
  const { priority = "low", crews = 1, police, ambulance, firetruck } = trip.body;
  const requests: RequestedServices[] = [{ priority, crews, ...flagsOf({ police, ambulance, firetruck }) }];
  if (isConfirmed) requests.push({ priority: "high", ...trip.confirmed });
  const changes: InterventionUpdate = {};
  for (const flags of requests) {
    if (flags.priority && priorityLevel(flags.priority) > priorityLevel(changes.priority ?? record.priority))
      changes.priority = flags.priority;
    if (flags.crews !== undefined && flags.crews > (changes.crews ?? record.crews))
      changes.crews = flags.crews;
    for (const flag of SERVICES) if (flags[flag] === true && !record[flag]) changes[flag] = true;
  }
  return changes;
}

/** The body of a trip that opens a record of its own although it confirms an incident. */
export function confirmedBody(trip: Trip): InterventionCreate {
  const { priority = "low", crews = 1 } = trip.body;
  return { ...trip.body, ...escalation({ ...trip.body, priority, crews }, trip, true) };
}

const SERVICES = ["police", "ambulance", "firetruck"] as const;

function flagsOf(flags: Partial<Record<(typeof SERVICES)[number], boolean | undefined>>): RequestedServices {
  return Object.fromEntries(SERVICES.filter((flag) => flags[flag] === true).map((flag) => [flag, true]));
}

function priorityLevel(priority: Intervention["priority"]): number {
  return ["low", "medium", "high"].indexOf(priority);
}

/** Class of an incident. Trips of one class at one objective join one intervention; different classes never do. */
export type IncidentClass =
  | "burglary"
  | "hold-up"
  | "fire"
  | "gas"
  | "medical"
  | "flood"
  | "technical"
  | "power";

/** Class of each zone type. A tamper loop is an ordinary zone: its opening is a burglary alarm. */
export const CLASS_OF_KIND: Readonly<Record<ZoneKind, IncidentClass>> = {
  intrusion: "burglary",
  perimeter: "burglary",
  motion: "burglary",
  glass: "burglary",
  tamper: "burglary",
  panic: "hold-up",
  holdup: "hold-up",
  fire: "fire",
  gas: "gas",
  medical: "medical",
  flood: "flood",
  technical: "technical",
  power: "power",
};

/** Life safety classes: never gated, never delayed, never in swinger shutdown. */
const LIFE_SAFETY: ReadonlySet<IncidentClass> = new Set(["hold-up", "fire", "gas", "medical"]);

/** Whether a zone type is life safety: fire, gas, medical, hold-up and panic. */
export function isLifeSafety(kind: ZoneKind): boolean {
  return LIFE_SAFETY.has(CLASS_OF_KIND[kind]);
}

/** The life safety classes as a subject begins with them. */
export const LIFE_SAFETY_CLASSES: readonly IncidentClass[] = [...LIFE_SAFETY];

/** Whether the trips of a subject are life safety, see `subjectOfTrip`. */
export function isLifeSafetySubject(subject: string): boolean {
  return LIFE_SAFETY_CLASSES.some((one) => subject.startsWith(`${one}/`));
}

/** Subject of the trips of one incident, see `Trip.subject`: class and objective. */
export function subjectOfTrip({
  kind,
  objective,
}: {
  readonly kind: ZoneKind;
  readonly objective: ZoneObjective;
}): string {
  return `${CLASS_OF_KIND[kind]}/${objective.type}/${objective.id}`;
}
