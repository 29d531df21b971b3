import { isFiltered } from "../../domain/chatter.ts";
import type { LineInput } from "../../domain/gpio-chip.ts";
import type { Contact, Zone } from "../../domain/zone.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import type { SimulatedLines } from "./gpio-port.ts";
import type { KeySwitch } from "./key-switch.ts";

/** A GPIO line and the consumer of its readings: a zone or a gate. */
export interface LineBinding {
  /** Id of the zone or gate. */
  readonly id: string;
  readonly input: LineInput;
  /**
   * Whether a pulse too short to be read counts as an opening. With filters it only counts as part of chatter; without
   * filters it would be a trip that could not be verified.
   */
  readonly countsPulses: boolean;
  /** @param contact `unknown` when the line cannot be read. @param atMs time on the monotonic clock; now if undefined */
  readonly take: (contact: Contact, atMs?: number) => void;
  /** Called when it changes too often to be followed. */
  readonly unsettle?: () => void;
}

/** The gate of a zone with a key switch. */
export type KeyGate = Extract<Zone["gate"], { by: "gpio" }>;

/**
 * The GPIO lines of a site. Gates first: the state of a gate must be known before its zones are read.
 * @param keyOf the key switch of a gate, the same for as long as the gate is read in one way
 */
export function lineBindingsOf(
  zones: readonly Zone[],
  monitor: ZoneEngine,
  keyOf: (gate: KeyGate) => KeySwitch,
): LineBinding[] {
  return [...gateBindings(zones, keyOf), ...zoneBindings(zones, monitor)];
}

function zoneBindings(zones: readonly Zone[], monitor: ZoneEngine): LineBinding[] {
  return zones.flatMap(({ id, input, rules }) =>
    input.source === "gpio"
      ? [{ id, input, countsPulses: isFiltered(rules), take: contactReporter(id, monitor) }]
      : [],
  );
}

/** A line that cannot be read makes its zone unavailable; what it showed before stays in force. */
function contactReporter(id: string, monitor: ZoneEngine): LineBinding["take"] {
  let isUp: boolean | undefined;
  return (contact, atMs) => {
    const up = contact !== "unknown";
    if (up !== isUp) monitor.take(id, { kind: "availability", up }, { live: true });
    isUp = up;
    if (up) monitor.read(id, contact, { live: true, atMs });
  };
}

/** One binding for each key switch, for all zones that use it. */
function gateBindings(zones: readonly Zone[], keyOf: (gate: KeyGate) => KeySwitch): LineBinding[] {
  const gates = new Map(zones.flatMap(({ gate }) => (gate.by === "gpio" ? [[gate.id, gate] as const] : [])));
  return [...gates].map(([id, input]) => {
    const { take, unsettle } = keyOf(input);
    return { id, input, countsPulses: false, take, unsettle };
  });
}

/** Contact state for a loop pulled up and closed to ground: a closed loop reads 0, an open or cut one 1. */
export function contactAt({ contact }: { contact: "nc" | "no" }, level: 0 | 1): Contact {
  const loopIsOpen = level === 1;
  return loopIsOpen === (contact === "nc") ? "open" : "normal";
}

/** The level that a contact reads when it is normal or open. */
export function levelOf({ contact }: { contact: "nc" | "no" }, contactState: "normal" | "open"): 0 | 1 {
  return (contact === "nc") === (contactState === "open") ? 1 : 0;
}

/** The lines that a zone reads: its contact and its key switch. */
export function gpioLinesOf({ input, gate }: Zone): LineInput[] {
  return [...(input.source === "gpio" ? [input] : []), ...(gate.by === "gpio" ? [gate] : [])];
}

/** Gives simulated lines that have no level their initial one: every contact normal, every key switch armed. */
export function initLevels(lines: SimulatedLines, zones: readonly Zone[]): void {
  const contacts = zones.flatMap(({ input }) => (input.source === "gpio" ? [input] : []));
  const keys = zones.flatMap(({ gate }) => (gate.by === "gpio" ? [gate] : []));
  for (const line of contacts) lines.chip(line.chip).know([[line.gpio, levelOf(line, "normal")]]);
  for (const line of keys) lines.chip(line.chip).know([[line.gpio, levelOf(line, "open")]]);
}
