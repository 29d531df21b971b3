import { gateStateOf, type Gate, type GateState } from "../domain/gate.ts";
import { excludeEachOther } from "../domain/message-condition.ts";
import { plainValue, scalarOf, type Scalar } from "../domain/plain-value.ts";
import { canonical } from "../domain/zone-changes.ts";
import { hasWildcard, matchesFilter } from "../domain/topic-filter.ts";
import { bridgeNameOf } from "../domain/zone-rules.ts";
import type { ZoneSignal } from "../domain/zone.ts";
import type { Contact, Zone, AvailabilitySource } from "../domain/zone.ts";
import type { MqttInput } from "../generated/types.ts";
import {
  MessageContent,
  type MessageRule,
  type MessageView,
  availabilityOf,
  batteryOf,
  contactOf,
} from "./message-content.ts";

/** What a message reports about its zones, and why part of it could not be read. */
interface MessageReading {
  readonly signals: readonly { readonly zoneId: string; readonly signal: ZoneSignal }[];
  /** What it reports about the gates that use its topic. */
  readonly gates: readonly { readonly gateId: string; readonly state: GateState }[];
  readonly refused: string | undefined;
  /** Whether its topic is used, but the message concerns no zone or gate. */
  readonly isUnmatched: boolean;
}

/** A value that a zone reads from the messages of a filter. */
interface StatusSource extends MessageRule {
  readonly zoneId: string;
  readonly filter: string;
  /** @returns the signal of a message, or undefined */
  readonly signalOf: (view: MessageView, topic: string, isRetained: boolean) => ZoneSignal | undefined;
}
type MqttGate = Extract<Gate, { by: "mqtt" }>;

/** A topic may have 64 KiB, and zones keep topics; no sensor has a longer one. */
const TOPIC_LENGTH_MAX = 1_024;
/** Maximum number of topics tracked for one zone; a larger site has more than one zone. */
const TOPICS_OF_ZONE_MAX = 256;
const NOTHING: MessageReading = { signals: [], gates: [], refused: undefined, isUnmatched: false };

/** The zones of each topic, and how each reads a message: the same for every broker and every recording. */
export class ZoneTopics {
  readonly #byTopic = new Map<string, StatusSource[]>();
  readonly #broad: StatusSource[] = [];
  /** One for each message source of gates, for all zones that use it. */
  readonly #gates: readonly MqttGate[];

  /** The sources of each zone with their state. */
  readonly #ofZones = new Map<
    string,
    { readonly signature: string; readonly sources: readonly StatusSource[] }
  >();

  /** @param before the sources until now: a zone with unchanged sources keeps its state */
  constructor(zones: readonly Zone[], before?: ZoneTopics) {
    this.#gates = [
      ...new Map(
        zones.flatMap(({ gate }) => (gate.by === "mqtt" ? [[gate.id, gate] as const] : [])),
      ).values(),
    ];
    for (const zone of zones) {
      const neighbours = neighbourValues(zone, zones);
      const signature = canonical([zone.input, zone.statusSources, [...neighbours]]);
      const known = before === undefined ? undefined : before.#ofZones.get(zone.id);
      this.#ofZones.set(
        zone.id,
        known?.signature === signature ? known : { signature, sources: sourcesOf(zone, neighbours) },
      );
    }
    for (const source of [...this.#ofZones.values()].flatMap(({ sources }) => sources)) {
      if (hasWildcard(source.filter)) this.#broad.push(source);
      else this.#byTopic.set(source.filter, [...(this.#byTopic.get(source.filter) ?? []), source]);
    }
  }

  /** The filters to subscribe to. */
  get filters(): readonly string[] {
    const broad = this.#broad.map(({ filter }) => filter);
    return [...new Set([...this.#byTopic.keys(), ...broad, ...this.#gates.map(({ mqtt }) => mqtt)])];
  }

  get gateIds(): readonly string[] {
    return this.#gates.map(({ id }) => id);
  }

  /** The filters of zones and gates that read differently than before: retained messages are new to them. */
  newFiltersSince(before: ZoneTopics): readonly string[] {
    const known = new Set(before.#gates.map(canonical));
    const zones = [...this.#ofZones].flatMap(([id, { signature, sources }]) =>
      before.#ofZones.get(id)?.signature === signature ? [] : sources.map(({ filter }) => filter),
    );
    const gates = this.#gates.filter((gate) => !known.has(canonical(gate))).map(({ mqtt }) => mqtt);
    return [...new Set([...zones, ...gates])];
  }

  /** Whether any zone or gate uses a topic. */
  isUsed(topic: string): boolean {
    return this.#sourcesOf(topic).length > 0 || this.#gatesOf(topic).length > 0;
  }

  /** Reads a message. @param isRetained whether the broker sent a retained message, not a new one */
  read(topic: string, payload: Uint8Array, isRetained: boolean): MessageReading {
    if (topic.length > TOPIC_LENGTH_MAX) return { ...NOTHING, refused: "topic-too-long" };
    const sources = this.#sourcesOf(topic);
    const matchingGates = this.#gatesOf(topic);
    if (sources.length + matchingGates.length === 0) return NOTHING;
    const content = MessageContent.of(payload);
    if ("refused" in content) return { ...NOTHING, refused: content.refused };
    let refused: string | undefined;
    let isUnmatched = true;
    const viewsFor = (rule: MessageRule): readonly MessageView[] => {
      const views = content.viewsFor(rule);
      if ("refused" in views) refused = views.refused;
      else if (views.length > 0) isUnmatched = false;
      return "refused" in views ? [] : views;
    };
    const gates = matchingGates.flatMap((gate) =>
      viewsFor(gate).flatMap((view) => {
        const contact = contactOf(gate, scalarOf(view.at(gate.path)));
        // A message about something else leaves the gate unchanged.
        return contact === "unknown" ? [] : [{ gateId: gate.id, state: gateStateOf(contact) }];
      }),
    );
    const signals = sources.flatMap((source) =>
      viewsFor(source).flatMap((view) => {
        const signal = source.signalOf(view, topic, isRetained);
        return signal ? [{ zoneId: source.zoneId, signal }] : [];
      }),
    );
    return { signals, gates, refused, isUnmatched: isUnmatched && refused === undefined };
  }

  #gatesOf(topic: string): readonly MqttGate[] {
    return this.#gates.filter(
      ({ mqtt }) => mqtt === topic || (hasWildcard(mqtt) && matchesFilter(topic, mqtt)),
    );
  }

  #sourcesOf(topic: string): readonly StatusSource[] {
    const exact = this.#byTopic.get(topic) ?? [];
    return this.#broad.length === 0
      ? exact
      : [...exact, ...this.#broad.filter(({ filter }) => matchesFilter(topic, filter))];
  }
}

/**
 * Values that only another zone with the same topic and path names, such as another transmitter's code. They do not
 * concern this zone.
 */
function neighbourValues({ id, input }: Zone, zones: readonly Zone[]): ReadonlySet<string> {
  if (input.source !== "mqtt") return new Set();
  const named = ({ open, normal = [] }: MqttInput): string[] => [...open, ...normal].map(plainValue);
  const own = new Set(named(input));
  const others = zones.flatMap((zone) => {
    if (zone.id === id || zone.input.source !== "mqtt") return [];
    const { mqtt, path, where = [] } = zone.input;
    const isSamePlace = mqtt === input.mqtt && path === input.path;
    return isSamePlace && !excludeEachOther(input.where ?? [], where) ? named(zone.input) : [];
  });
  return new Set(others.filter((value) => !own.has(value)));
}

/** A zone's sources, its contact first: if a later one fails, the trip is already stored. */
function sourcesOf({ id, input, statusSources }: Zone, neighbours: ReadonlySet<string>): StatusSource[] {
  const { tamper, battery, availability, bridge } = statusSources;
  const found: StatusSource[] = [];
  const add = (rule: MessageRule & { readonly mqtt: string }, signalOf: StatusSource["signalOf"]): void =>
    void found.push({ ...rule, zoneId: id, filter: rule.mqtt, signalOf });
  // A message of the sensor is a sign of life unless it is retained.
  const orSignOfLife = (signal: ZoneSignal | undefined, isRetained: boolean): ZoneSignal | undefined =>
    signal ?? (isRetained ? undefined : { kind: "sign-of-life" });
  if (input.source === "mqtt") {
    const read = contactSource(input);
    add(input, (view, ...rest) => {
      const value = scalarOf(view.at(input.path));
      const isNeighbours = value !== undefined && neighbours.has(plainValue(value));
      return isNeighbours ? undefined : read(view, ...rest);
    });
  }
  if (tamper)
    add(tamper, (view, _topic, isRetained) => {
      const contact = contactOf(tamper, scalarOf(view.at(tamper.path)));
      return orSignOfLife(
        contact === "unknown" ? undefined : { kind: "tamper", open: contact === "open" },
        isRetained,
      );
    });
  if (battery)
    add(battery, (view, _topic, isRetained) => {
      const low = batteryOf(battery, scalarOf(view.at(battery.path)));
      return orSignOfLife(low === undefined ? undefined : { kind: "battery", low }, isRetained);
    });
  if (availability)
    add({ ...availability, acceptsText: true }, (view) => {
      const up = availabilityOf(availability, stateOf(view, availability));
      return up === undefined ? undefined : { kind: "availability", up };
    });
  if (bridge)
    add({ ...bridge, acceptsText: true }, (view) => {
      const up = availabilityOf(bridge, stateOf(view, bridge));
      return up === undefined ? undefined : { kind: "availability", up, bridge: bridgeNameOf(bridge) };
    });
  return found;
}

/** `online` or `{"state":"online"}`: zigbee2mqtt has used both, depending on release and option. */
function stateOf(view: MessageView, { path }: AvailabilitySource): Scalar | undefined {
  const whole = scalarOf(view.at(undefined));
  return scalarOf(view.at(path)) ?? whole ?? (path === undefined ? scalarOf(view.at("/state")) : undefined);
}

/** A zone with several topics is open while any of them is, like several contacts in series. */
function contactSource(input: MqttInput): StatusSource["signalOf"] {
  const signalOf = (contact: Contact, view: MessageView, isRetained: boolean): ZoneSignal => {
    const occasion = contact === "open" && input.dedupe ? scalarOf(view.at(input.dedupe.path)) : undefined;
    const part = occasion === undefined ? {} : { occasion: plainValue(occasion) };
    return { kind: "contact", contact, live: !isRetained, ...part };
  };
  if (!hasWildcard(input.mqtt))
    return (view, _topic, isRetained) =>
      signalOf(contactOf(input, scalarOf(view.at(input.path))), view, isRetained);
  const contacts = new Map<string, Contact>();
  return (view, topic, isRetained) => {
    const contact = contactOf(input, scalarOf(view.at(input.path)));
    if (contact !== "unknown") contacts.set(topic, contact);
    const oldest = contacts.size > TOPICS_OF_ZONE_MAX ? contacts.keys().next().value : undefined;
    if (oldest !== undefined) contacts.delete(oldest);
    const isStillOpen = contact === "normal" && [...contacts.values()].includes("open");
    return signalOf(isStillOpen ? "unknown" : contact, view, isRetained);
  };
}
