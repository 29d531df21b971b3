import { unlistedOf } from "../domain/fault.ts";
import type { NewTrip } from "../domain/trip.ts";
import { sensorOf, isFaultKept } from "../domain/zone-changes.ts";
import { bridgeOf } from "../domain/zone-rules.ts";
import type { ZoneState } from "../domain/zone-step.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import type { OpenFault } from "../store/faults.ts";
import type { ZoneExchange } from "../store/journal-changes.ts";
import type { Journal } from "../store/journal.ts";
import { isOfTest } from "./tested-tampers.ts";
import { resumeZone } from "./zone-state-persistence.ts";

/** A zone with its current state. */
export interface MonitoredZone {
  readonly zone: Zone;
  readonly state: ZoneState;
  /** Wall clock of its last change, milliseconds since 1970; null before its first reading. */
  readonly sinceWallMs: number | null;
  readonly wakeAtMs: number | undefined;
}

/** Current state of a zone. */
export interface ZoneSnapshot {
  readonly zone: Zone;
  readonly contact: Contact;
  /** Wall clock of its last change, milliseconds since 1970; null before its first reading. */
  readonly sinceWallMs: number | null;
  /** Whether the contact was read from the journal, because the sensor has not reported since the start. */
  readonly isCarriedOver: boolean;
}

/** The current state of a zone, for those that only read it. */
export function snapshotOf({ zone, state, sinceWallMs }: MonitoredZone): ZoneSnapshot {
  return { zone, contact: state.contact, sinceWallMs, isCarriedOver: state.isResumed };
}

/** Initial state of a zone under another configuration. */
interface Successor extends MonitoredZone {
  /** Whether the zone existed before with the same sensor. */
  readonly isContinued: boolean;
}

/**
 * Derives the initial states of the zones of another configuration from those before.
 *
 * A zone with the same sensor continues in its state, with its new rules from the next reading on. A zone that takes over
 * another zone's sensor resumes only a normal contact, so that an opening that has just begun is an edge. An open contact,
 * or a sensor without a reading, starts as unknown.
 * @param powerUpDelayMs time in which the first opening of a zone does not count
 */
export function successorsOf(
  zones: readonly Zone[],
  before: readonly MonitoredZone[],
  nowMs: number,
  powerUpDelayMs: (zone: Zone) => number,
): Successor[] {
  const byId = new Map(before.map((watched) => [watched.zone.id, watched]));
  const bySensor = new Map(before.map((watched) => [sensorOf(watched.zone), watched]));
  return zones.map((zone) => {
    const own = byId.get(zone.id);
    const isContinued = own !== undefined && sensorOf(own.zone) === sensorOf(zone);
    const from = isContinued ? own : ifNormal(bySensor.get(sensorOf(zone)));
    // Without a first reading there is nothing to resume, and `autoRestoreS` may be new.
    const hasReading =
      from !== undefined && (from.state.contact !== "unknown" || from.state.pending !== undefined);
    const state = hasReading ? from.state : resumeZone(zone.rules, undefined, nowMs, powerUpDelayMs(zone));
    // The timer runs at once: with other rules a confirmation may be due.
    return { zone, state, sinceWallMs: hasReading ? from.sinceWallMs : null, wakeAtMs: nowMs, isContinued };
  });
}

function ifNormal(watched: MonitoredZone | undefined): MonitoredZone | undefined {
  return watched?.state.contact === "normal" ? watched : undefined;
}

export type FaultSuccession = Pick<ZoneExchange, "ended" | "moved" | "found">;

/**
 * Changes to the open faults under another configuration. A fault whose end no source would report any longer ends; a
 * fault of a bridge moves to a zone that is still behind that bridge.
 * @param endOf returns the row that ends a fault
 */
export function faultSuccession(
  before: readonly Zone[],
  after: readonly Zone[],
  journal: Pick<Journal, "faults" | "losses" | "trips">,
  endOf: (zone: Zone, fault: OpenFault) => NewTrip,
): FaultSuccession {
  const ended: ZoneExchange["ended"][number][] = [];
  const moved: OpenFault[] = [];
  for (const open of journal.faults.list()) {
    const { owner, fault, zoneId } = open;
    const zone = before.find(({ id }) => id === zoneId);
    const successor = after.find(({ id }) => id === zoneId);
    // A fault of an unknown zone stays.
    if (!zone || (successor && isFaultKept(fault, zone, successor))) continue;
    const otherZone = owner === zoneId ? undefined : after.find((other) => bridgeOf(other) === owner);
    if (otherZone) moved.push({ ...open, zoneId: otherZone.id });
    else if (isOfTest(journal, open)) ended.push({ of: owner, fault });
    else ended.push({ of: owner, fault, row: endOf(zone, open) });
  }
  const kept = keptSources(before, after);
  return { ended, moved, found: journal.losses.list().flatMap(({ of }) => (kept.has(of) ? [] : [of])) };
}

/** Sources that may still be unavailable: zones with an unchanged sensor, and all bridges. */
function keptSources(before: readonly Zone[], after: readonly Zone[]): ReadonlySet<string | undefined> {
  const ids = after.flatMap((zone) => {
    const same = before.find(({ id }) => id === zone.id);
    return same && isFaultKept("supervision", same, zone) ? [zone.id, unlistedOf(zone.id)] : [];
  });
  return new Set([...ids, ...after.map(bridgeOf)]);
}
