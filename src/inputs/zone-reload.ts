import { sensorOf } from "../domain/zone-changes.ts";
import type { ZoneState } from "../domain/zone-step.ts";
import { resumeZone } from "../domain/zone-resume.ts";
import type { Zone } from "../domain/zone.ts";

/** A zone that is watched, and how it stands. */
export interface WatchedZone {
  readonly zone: Zone;
  state: ZoneState;
  /** Wall clock of its last change, milliseconds since 1970; null before its first sight. */
  sinceWallMs: number | null;
  wakeAtMs: number | undefined;
}

/** How a zone of another configuration begins. */
export interface Successor extends WatchedZone {
  /** Whether it is the zone that was there before, with the same sensor. */
  readonly goesOn: boolean;
}

/**
 * How the zones of another configuration begin, out of those before.
 *
 * A zone that keeps its sensor goes on where it is, with its new rules from the next reading on. A zone that takes over
 * the sensor of another one, under another name or because two have been exchanged, knows that the contact was at rest:
 * an opening that has just begun is an edge for the one or the other. A contact that was open, and a sensor that nothing
 * has read, are seen for the first time.
 * @param settleMs how long no opening of a zone counts that is seen for the first time
 */
export function successorsOf(
  zones: readonly Zone[],
  before: readonly WatchedZone[],
  nowMs: number,
  settleMs: (zone: Zone) => number,
): Successor[] {
  const byId = new Map(before.map((watched) => [watched.zone.id, watched]));
  const bySensor = new Map(before.map((watched) => [sensorOf(watched.zone), watched]));
  return zones.map((zone) => {
    const own = byId.get(zone.id);
    const goesOn = own !== undefined && sensorOf(own.zone) === sensorOf(zone);
    const from = goesOn ? own : restingOnly(bySensor.get(sensorOf(zone)));
    // Without a first sight there is nothing to go on from, and `autoRestoreS` may be new.
    const isSeen =
      from !== undefined && (from.state.contact !== "unknown" || from.state.pending !== undefined);
    const state = isSeen ? from.state : resumeZone(zone.rules, undefined, nowMs, settleMs(zone));
    // Woken at once: with other rules what it waits for may be due.
    return { zone, state, sinceWallMs: isSeen ? from.sinceWallMs : null, wakeAtMs: nowMs, goesOn };
  });
}

function restingOnly(watched: WatchedZone | undefined): WatchedZone | undefined {
  return watched?.state.contact === "normal" ? watched : undefined;
}
