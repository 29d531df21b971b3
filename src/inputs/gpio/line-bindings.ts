import { isFiltered } from "../../domain/chatter.ts";
import { gateStateOf } from "../../domain/gate.ts";
import type { Contact, Zone } from "../../domain/zone.ts";
import type { GpioInput } from "../../generated/types.ts";
import type { ZoneEngine } from "../zone-engine.ts";

/** A line, and who wants to know what it says: a zone, or the gate of zones. */
export interface LineBinding {
  /** Id of the zone or gate. */
  readonly id: string;
  readonly input: Required<GpioInput>;
  /**
   * Whether a pulse that was too short to be read is worth a word: behind a filter it is swallowed unless it is one of
   * many; without one it would be a trip that nobody has seen.
   */
  readonly takesPulses: boolean;
  /** @param atMs when it was, on the monotonic clock; now where it is not known */
  readonly take: (contact: Contact, atMs?: number) => void;
}

/** The wires of a site. Gates first: what a key says must be known before the zones behind it are read. */
export function wiresOf(zones: readonly Zone[], monitor: ZoneEngine): LineBinding[] {
  return [...gateWires(zones, monitor), ...zoneWires(zones, monitor)];
}

function zoneWires(zones: readonly Zone[], monitor: ZoneEngine): LineBinding[] {
  return zones.flatMap(({ id, input, rules }) =>
    input.source === "gpio"
      ? [
          {
            id,
            input,
            takesPulses: isFiltered(rules),
            take: (contact: Contact, atMs?: number) => void monitor.read(id, contact, { live: true, atMs }),
          },
        ]
      : [],
  );
}

/** One wire for each key, however many zones follow it. */
function gateWires(zones: readonly Zone[], monitor: ZoneEngine): LineBinding[] {
  const gates = new Map(zones.flatMap(({ gate }) => (gate.by === "gpio" ? [[gate.id, gate] as const] : [])));
  return [...gates].map(([id, input]) => ({
    id,
    input,
    takesPulses: false,
    take: (contact) => monitor.setGate(id, gateStateOf(contact)),
  }));
}

/** With the loop pulled up and closed to ground: a closed loop reads 0, an open or cut one 1. */
export function contactAt({ contact }: { contact: "nc" | "no" }, level: 0 | 1): Contact {
  const loopIsOpen = level === 1;
  return loopIsOpen === (contact === "nc") ? "open" : "normal";
}

/** The level at which a zone's contact is at rest or open. */
export function levelOf({ contact }: { contact: "nc" | "no" }, wanted: "normal" | "open"): 0 | 1 {
  return (contact === "nc") === (wanted === "open") ? 1 : 0;
}
