import type { Clock } from "../domain/clock.ts";
import { sensorOf } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import { tripDelayMs, type PersistedZoneState, type ZoneState } from "../domain/zone-step.ts";
import type { StoredZoneState } from "../store/zone-states.ts";

/** The wall clock's time of a monotonic moment: durations are monotonic, so a clock that was set moves no event. */
export function wallOf(clock: Clock, atMs: number): number {
  return Math.round(clock.wallMs() - (clock.monotonicMs() - atMs));
}

/** What of a zone outlives the process. A wire can be read again; what a message said is only here once it is acknowledged. */
export function storedOf(
  zone: Zone,
  { contact, autoRestored, pending }: ZoneState,
  sinceWallMs: number | null,
  clock: Clock,
): StoredZoneState {
  const kept = { contact, sinceWallMs, autoRestored, sensor: sensorOf(zone) };
  if (zone.input.source === "gpio" || !pending) return kept;
  const { sinceMs, live } = pending;
  return { ...kept, pending: { contact: pending.contact, live, sinceWallMs: wallOf(clock, sinceMs) } };
}

/** A machine that has been up for less has just got its power back, and so have the detectors. */
const POWER_UP_MS = 120_000;

/**
 * How long no opening of a zone counts after a start. Wires and detectors come to rest after a power-up; a message is
 * what has happened, whenever it comes.
 */
export function settleMsOf({ input, bootSettleMs }: Zone, hostUpMs: number): number {
  return input.source === "gpio" && hostUpMs < POWER_UP_MS ? bootSettleMs : 0;
}

/** What was stored, in the monotonic time of this process; undefined where it was read from another sensor. */
export function keptOf(
  zone: Zone,
  { contact, autoRestored, pending, sensor }: StoredZoneState,
  clock: Clock,
): PersistedZoneState | undefined {
  if (sensor !== null && sensor !== sensorOf(zone)) return undefined;
  if (!pending) return { contact, autoRestored };
  const elapsedMs = clock.wallMs() - pending.sinceWallMs;
  // Behind a clock that has gone back nobody knows how long it was; an alarm too many is better than one too few.
  const heldMs = elapsedMs < 0 ? tripDelayMs(zone.rules) : elapsedMs;
  const sinceMs = clock.monotonicMs() - heldMs;
  return { contact, autoRestored, pending: { contact: pending.contact, live: pending.live, sinceMs } };
}

/** Whether a zone has changed in something that must outlive the process although nothing has happened yet. */
export function isWorthKeeping({ input }: Zone, before: ZoneState, after: ZoneState): boolean {
  if (before.contact !== after.contact || before.autoRestored !== after.autoRestored) return true;
  const { pending: a } = before;
  const { pending: b } = after;
  const isSame = a?.contact === b?.contact && a?.sinceMs === b?.sinceMs && a?.live === b?.live;
  return input.source !== "gpio" && !isSame;
}
