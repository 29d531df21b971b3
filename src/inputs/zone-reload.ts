import { sensorOf } from "../domain/zone-changes.ts";
import type { ZoneState } from "../domain/zone-step.ts";
import { resumeZone } from "../domain/zone-resume.ts";
import type { Zone } from "../domain/zone.ts";

/** A zone with its current state. */
export interface WatchedZone {
  readonly zone: Zone;
  readonly state: ZoneState;
  /** Wall clock of its last change, milliseconds since 1970; null before its first reading. */
  readonly sinceWallMs: number | null;
  readonly wakeAtMs: number | undefined;
}

/** Initial state of a zone under another configuration. */
export interface Successor extends WatchedZone {
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
  before: readonly WatchedZone[],
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

function ifNormal(watched: WatchedZone | undefined): WatchedZone | undefined {
  return watched?.state.contact === "normal" ? watched : undefined;
}
