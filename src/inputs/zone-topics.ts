import type { MqttInput } from "../generated/types.ts";
import { canonical } from "../domain/canonical.ts";
import { gateStateOf, type Gate, type GateState } from "../domain/gate.ts";
import { isBroad, isUnder } from "../domain/topic-filter.ts";
import type { ZoneSignal } from "../domain/zone-signal.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import { availabilityOf, batteryOf, contactOf, textOf, valueAt, type ValueReading } from "./payload.ts";

/** What a message says about the zones it concerns, and why part of it could not be read. */
export interface MessageReading {
  readonly signals: readonly { readonly zoneId: string; readonly signal: ZoneSignal }[];
  /** What it says about the gates that follow its topic. */
  readonly gates: readonly { readonly gateId: string; readonly state: GateState }[];
  readonly refused: string | undefined;
}

/** A value that a zone looks for in the messages of a filter. */
interface Sense {
  readonly zoneId: string;
  readonly filter: string;
  readonly path: string | undefined;
  /** @returns what the value says; undefined for nothing but that the sensor lives */
  readonly signalOf: (value: Value, topic: string, isRetained: boolean) => ZoneSignal | undefined;
}
type MqttGate = Extract<Gate, { by: "mqtt" }>;
type Value = Extract<ValueReading, { value: unknown }>["value"];

/** So many topics of one zone are told apart; a site that needs more has more than one zone. */
const TOPICS_OF_ZONE_MAX = 256;

/** Which zones a topic concerns, and what each makes of a message: the same for every broker and every recording. */
export class ZoneTopics {
  readonly #byTopic = new Map<string, Sense[]>();
  readonly #broad: Sense[] = [];
  /** One for each message that gates follow, however many zones do. */
  readonly #gates: readonly MqttGate[];

  /** What each zone looks for, with what it has seen so far. */
  readonly #ofZones = new Map<string, { readonly reads: string; readonly senses: readonly Sense[] }>();

  /** @param before what was listened to until now: a zone that reads the same goes on with what it has seen */
  constructor(zones: readonly Zone[], before?: ZoneTopics) {
    this.#gates = [
      ...new Map(
        zones.flatMap(({ gate }) => (gate.by === "mqtt" ? [[gate.id, gate] as const] : [])),
      ).values(),
    ];
    for (const zone of zones) {
      const reads = canonical([zone.input, zone.senses]);
      const known = before === undefined ? undefined : before.#ofZones.get(zone.id);
      this.#ofZones.set(zone.id, known?.reads === reads ? known : { reads, senses: sensesOf(zone) });
    }
    for (const sense of [...this.#ofZones.values()].flatMap(({ senses }) => senses)) {
      if (isBroad(sense.filter)) this.#broad.push(sense);
      else this.#byTopic.set(sense.filter, [...(this.#byTopic.get(sense.filter) ?? []), sense]);
    }
  }

  /** The filters to subscribe to. */
  get filters(): readonly string[] {
    const broad = this.#broad.map(({ filter }) => filter);
    return [...new Set([...this.#byTopic.keys(), ...broad, ...this.#gates.map(({ mqtt }) => mqtt)])];
  }

  /** The filters of zones and gates that read otherwise than before: what a broker keeps there is news to them. */
  newsBehind(before: ZoneTopics): readonly string[] {
    const known = new Set(before.#gates.map(canonical));
    const zones = [...this.#ofZones].flatMap(([id, { reads, senses }]) =>
      before.#ofZones.get(id)?.reads === reads ? [] : senses.map(({ filter }) => filter),
    );
    const gates = this.#gates.filter((gate) => !known.has(canonical(gate))).map(({ mqtt }) => mqtt);
    return [...new Set([...zones, ...gates])];
  }

  /** Whether any zone or gate listens to a topic. */
  concerns(topic: string): boolean {
    return this.#sensesOf(topic).length > 0 || this.#gatesOf(topic).length > 0;
  }

  /** Reads a message. @param isRetained a value that the broker had kept, not one that comes as it happens */
  read(topic: string, payload: Uint8Array, isRetained: boolean): MessageReading {
    const senses = this.#sensesOf(topic);
    const followed = this.#gatesOf(topic);
    if (senses.length + followed.length === 0) return { signals: [], gates: [], refused: undefined };
    const content = textOf(payload);
    if ("refused" in content) return { signals: [], gates: [], refused: content.refused };
    let refused: string | undefined;
    const gates = followed.flatMap((gate) => {
      const reading = valueAt(content.text, gate.path);
      if ("refused" in reading) {
        refused = reading.refused;
        return [];
      }
      const contact = contactOf(gate, reading.value);
      // A message about something else leaves the gate as it was.
      return contact === "unknown" ? [] : [{ gateId: gate.id, state: gateStateOf(contact) }];
    });
    const signals = senses.flatMap(({ zoneId, path, signalOf }) => {
      const reading = valueAt(content.text, path);
      if ("refused" in reading) {
        refused = reading.refused;
        return [];
      }
      const signal = signalOf(reading.value, topic, isRetained);
      if (signal) return [{ zoneId, signal }];
      // What a broker had kept is no sign of life.
      return isRetained ? [] : [{ zoneId, signal: { kind: "sign-of-life" } as const }];
    });
    return { signals, gates, refused };
  }

  #gatesOf(topic: string): readonly MqttGate[] {
    return this.#gates.filter(({ mqtt }) => mqtt === topic || (isBroad(mqtt) && isUnder(topic, mqtt)));
  }

  #sensesOf(topic: string): readonly Sense[] {
    const exact = this.#byTopic.get(topic) ?? [];
    return this.#broad.length === 0
      ? exact
      : [...exact, ...this.#broad.filter(({ filter }) => isUnder(topic, filter))];
  }
}

/** A zone's senses, its contact first: should anything fail behind it, the trip is written. */
function sensesOf({ id, input, senses }: Zone): Sense[] {
  const { tamper, battery, availability, bridge } = senses;
  const found: Sense[] = [];
  const add = (
    { mqtt, path }: { readonly mqtt: string; readonly path?: string },
    signalOf: Sense["signalOf"],
  ): void => void found.push({ zoneId: id, filter: mqtt, path, signalOf });
  if (input.source === "mqtt") add(input, contactSense(input));
  if (tamper)
    add(tamper, (value) => {
      const contact = contactOf(tamper, value);
      return contact === "unknown" ? undefined : { kind: "tamper", open: contact === "open" };
    });
  if (battery)
    add(battery, (value) => {
      const low = batteryOf(battery, value);
      return low === undefined ? undefined : { kind: "battery", low };
    });
  if (availability)
    add(availability, (value) => {
      const up = availabilityOf(availability, value);
      return up === undefined ? undefined : { kind: "availability", up };
    });
  if (bridge)
    add(bridge, (value) => {
      const up = availabilityOf(bridge, value);
      return up === undefined ? undefined : { kind: "availability", up, bridge: bridge.mqtt };
    });
  return found;
}

/** A zone of several topics is open while one of them is, as a loop of several contacts in series. */
function contactSense(input: MqttInput): Sense["signalOf"] {
  if (!isBroad(input.mqtt))
    return (value, _topic, isRetained) => ({
      kind: "contact",
      contact: contactOf(input, value),
      live: !isRetained,
    });
  const contacts = new Map<string, Contact>();
  return (value, topic, isRetained) => {
    const contact = contactOf(input, value);
    if (contact !== "unknown") contacts.set(topic, contact);
    const oldest = contacts.size > TOPICS_OF_ZONE_MAX ? contacts.keys().next().value : undefined;
    if (oldest !== undefined) contacts.delete(oldest);
    const isStillOpen = contact === "normal" && [...contacts.values()].includes("open");
    return { kind: "contact", contact: isStillOpen ? "unknown" : contact, live: !isRetained };
  };
}
