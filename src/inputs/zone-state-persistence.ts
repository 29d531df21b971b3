import type { Clock } from "../domain/clock.ts";
import { CLASS_OF_KIND } from "../domain/incident.ts";
import { sensorOf } from "../domain/zone-changes.ts";
import { isWired } from "../domain/zone-rules.ts";
import { tripDelayMs, type PersistedZoneState, type ZoneState } from "../domain/zone-step.ts";
import type { Zone, ZoneRules } from "../domain/zone.ts";
import { isDamage } from "../store/integrity.ts";
import type { Journal } from "../store/journal.ts";
import type { StoredZoneState } from "../store/zone-states.ts";

/** Wall clock time of a monotonic time: durations are monotonic, so setting the clock does not move events. */
export function toWallMs(clock: Clock, atMs: number): number {
  return Math.round(clock.wallMs() - (clock.monotonicMs() - atMs));
}

/** The stored state of a zone. A wire can be read again; an acknowledged message is not sent again. */
export function toStoredZoneState(
  zone: Zone,
  { contact, autoRestored, pending }: ZoneState,
  sinceWallMs: number | null,
  clock: Clock,
): StoredZoneState {
  const stored = { contact, sinceWallMs, autoRestored, sensor: sensorOf(zone) };
  if (isWired(zone.input) || !pending) return stored;
  const { sinceMs, live } = pending;
  return { ...stored, pending: { contact: pending.contact, live, sinceWallMs: toWallMs(clock, sinceMs) } };
}

/** With a shorter uptime, power has just returned to the machine and the detectors. */
const POWER_UP_MS = 120_000;

/**
 * How long no opening of a zone counts after a start. GPIO lines and detectors are unstable after power-up; a message
 * always reports a real event.
 */
export function powerUpDelayMsOf({ input, powerUpDelayMs }: Zone, hostUpMs: number): number {
  return isWired(input) && hostUpMs < POWER_UP_MS ? powerUpDelayMs : 0;
}

/** The stored state in the monotonic time of this process; undefined if it was read from another sensor. */
export function resumedOf(
  zone: Zone,
  { contact, autoRestored, pending, sensor }: StoredZoneState,
  clock: Clock,
): PersistedZoneState | undefined {
  if (sensor !== null && sensor !== sensorOf(zone)) return undefined;
  if (!pending) return { contact, autoRestored };
  const elapsedMs = clock.wallMs() - pending.sinceWallMs;
  // If the clock was set back, the elapsed time is unknown; an extra alarm is better than a missed one.
  const openForMs = elapsedMs < 0 ? tripDelayMs(zone.rules) : elapsedMs;
  const sinceMs = clock.monotonicMs() - openForMs;
  return { contact, autoRestored, pending: { contact: pending.contact, live: pending.live, sinceMs } };
}

/**
 * The state of a zone, with the mark of a life safety zone that is open without a recorded opening of its class: only a retained
 * message has shown it open, or it had another type then. The next live message trips.
 */
export function withOldValue<State extends PersistedZoneState>(
  { id, kind, rules }: Zone,
  kept: State,
  journal: Journal,
): State {
  if (kept.contact !== "open" || !rules.tripsAtFirstSight) return kept;
  try {
    const opening = journal.restores.currentOpening(id);
    const isOfOtherClass = opening?.type === "trip" && !opening.subject.startsWith(`${CLASS_OF_KIND[kind]}/`);
    return opening && !isOfOtherClass ? kept : { ...kept, isOpenByOldValue: true };
  } catch (error) {
    // On a damaged page: an extra alarm is better than a missed one.
    if (!isDamage(error)) throw error;
    journal.noteError(error);
    return { ...kept, isOpenByOldValue: true };
  }
}

/** Whether a zone's stored state has changed although no event occurred. */
export function hasStoredChange({ input }: Zone, before: ZoneState, after: ZoneState): boolean {
  if (before.contact !== after.contact || before.autoRestored !== after.autoRestored) return true;
  const { pending: a } = before;
  const { pending: b } = after;
  const isSame = a?.contact === b?.contact && a?.sinceMs === b?.sinceMs && a?.live === b?.live;
  return !isWired(input) && !isSame;
}

/**
 * State of a zone at the start.
 * @param kept stored state; undefined for a zone without a reading
 * @param powerUpDelayMs how long no opening counts, see `ZoneState.notBeforeMs`
 */
export function resumeZone(
  rules: ZoneRules,
  kept: PersistedZoneState | undefined,
  atMs: number,
  powerUpDelayMs = 0,
): ZoneState {
  const contact = kept?.contact ?? "unknown";
  const hasAutoRestore = rules.autoRestoreMs !== undefined;
  // A zone with automatic restore is normal until a message reports otherwise.
  const isNormalByDefault = contact === "unknown" && hasAutoRestore;
  return {
    contact: isNormalByDefault ? "normal" : contact,
    ...(kept?.pending ? { pending: kept.pending } : {}),
    ...(kept?.isOpenByOldValue ? { isOpenByOldValue: true } : {}),
    ...(contact === "open" ? { lastOpenMs: atMs } : {}),
    // A pending change was read before the restart.
    isResumed: contact !== "unknown" && !kept?.pending,
    autoRestored: isNormalByDefault || (kept?.autoRestored ?? false),
    notBeforeMs: atMs + powerUpDelayMs,
    level: contact,
    activity: [],
  };
}
