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
 * Source of a zone's contact as text: equal for two zones with the same line, message or zone of an alarm panel. A simulated contact belongs
 * to its zone. The pull resistor of a line and `oneSensor`, with which the same messages only decide otherwise, are ignored.
 */
export function sensorOf({ id, input }: Zone): string {
  if (input.source === "gpio")
    return canonical({ gpio: input.gpio, chip: input.chip, contact: input.contact });
  if (input.source === "adc") return canonical({ adc: input.adc, channel: input.channel });
  if (input.source === "mqtt") return canonical({ ...input, oneSensor: undefined });
  return canonical(input.source === "simulated" ? { simulated: id } : input);
}

/** Source of a gate as text: equal for two gates that read the same in the same way. */
export function gateReadingOf(gate: Gate): string | undefined {
  if (gate.by === "gpio") return canonical({ gpio: gate.gpio, chip: gate.chip, contact: gate.contact });
  if (gate.by === "dc09") return gate.id;
  if (gate.by !== "mqtt") return undefined;
  const { exitDelayMs: _resolved, exitDelayS: _configured, ...reading } = gate;
  return canonical(reading);
}

/** Ids of the gates that report their state. */
export function gateIdsOf(zones: readonly Pick<Zone, "gate">[]): ReadonlySet<string> {
  return new Set(zones.flatMap(({ gate }) => ("id" in gate ? [gate.id] : [])));
}

/** Whether the source of a fault is the same in both configurations, so that its end will be detected. */
export function isFaultKept(fault: Fault, before: Zone, after: Zone): boolean {
  const sourceOf = FAULT_SOURCES[fault];
  return canonical(sourceOf(before)) === canonical(sourceOf(after));
}

/** Whether something can report the end of a zone's fault. An alarm panel and a simulated contact can, without a source of their own. */
export function hasFaultSource(fault: Fault, zone: Zone): boolean {
  const { source } = zone.input;
  return source === "dc09" || source === "simulated" || FAULT_SOURCES[fault](zone) !== undefined;
}

const FAULT_SOURCES: Readonly<Record<Fault, (zone: Zone) => unknown>> = {
  // A loop reports its own tamper.
  tamper: (zone) => (zone.input.source === "adc" ? sensorOf(zone) : zone.statusSources.tamper),
  battery: ({ statusSources }) => statusSources.battery,
  supervision: (zone) => [
    sensorOf(zone),
    zone.supervisionTimeoutMs !== null,
    zone.statusSources.availability,
    zone.statusSources.bridge,
  ],
  faulty: sensorOf,
};

/** JSON text of a plain value that does not depend on the order of keys. */
export function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`).join()}}`;
}
