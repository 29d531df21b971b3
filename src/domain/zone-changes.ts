import { canonical } from "./canonical.ts";
import type { Fault } from "./fault.ts";
import type { Gate } from "./gate.ts";
import type { Zone } from "./zone.ts";

/** Ids of the zones in which two configurations differ, in the order of the file. */
export interface ZoneChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function zoneChanges(before: readonly Zone[], after: readonly Zone[]): ZoneChanges {
  const old = new Map(before.map((zone) => [zone.id, canonical(zone)]));
  const remaining = new Set(after.map(({ id }) => id));
  const isKnown = ({ id }: Zone): boolean => old.has(id);
  return {
    added: after.filter((zone) => !isKnown(zone)).map(({ id }) => id),
    removed: before.filter(({ id }) => !remaining.has(id)).map(({ id }) => id),
    changed: after
      .filter((zone) => isKnown(zone) && old.get(zone.id) !== canonical(zone))
      .map(({ id }) => id),
  };
}

/**
 * What a zone's contact is read from, as text: equal for two zones that the same wire or message opens. A simulated
 * contact belongs to its zone alone. The pull resistor of a line is not a part of it.
 */
export function sensorOf({ id, input }: Zone): string {
  if (input.source === "gpio") return canonical({ gpio: input.gpio, contact: input.contact });
  return canonical(input.source === "simulated" ? { simulated: id } : input);
}

/** A gate that a switch or a message closes, as text: equal for two that read the same in the same way. */
export function gateReadingOf(gate: Gate): string | undefined {
  if (gate.by === "gpio") return canonical({ gpio: gate.gpio, contact: gate.contact });
  if (gate.by !== "mqtt") return undefined;
  const { exitDelayMs: _later, ...reading } = gate;
  return canonical(reading);
}

/** Whether what a fault was seen by is the same in both configurations, so that its end will be seen too. */
export function isFaultKept(fault: Fault, before: Zone, after: Zone): boolean {
  const seenBy = SEEN_BY[fault];
  return canonical(seenBy(before)) === canonical(seenBy(after));
}

const SEEN_BY: Readonly<Record<Fault, (zone: Zone) => unknown>> = {
  tamper: ({ statusSources }) => statusSources.tamper,
  battery: ({ statusSources }) => statusSources.battery,
  supervision: (zone) => [
    sensorOf(zone),
    zone.silenceMs !== null,
    zone.statusSources.availability,
    zone.statusSources.bridge,
  ],
  faulty: sensorOf,
};
