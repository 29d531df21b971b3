import type { MqttInput } from "../generated/types.ts";
import { canonical } from "../domain/canonical.ts";
import { gateStateOf, type Gate, type GateState } from "../domain/gate.ts";
import { excludeEachOther } from "../domain/message-condition.ts";
import { plainValue, scalarOf, type Scalar } from "../domain/plain-value.ts";
import { hasWildcard, matchesFilter } from "../domain/topic-filter.ts";
import { bridgeNameOf, type AvailabilitySource } from "../domain/zone-status-sources.ts";
import type { ZoneSignal } from "../domain/zone-signal.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import { MessageContent, type MessageRule, type MessageView } from "./message-content.ts";
import { availabilityOf, batteryOf, contactOf } from "./payload.ts";

/** What a message says about the zones it concerns, and why part of it could not be read. */
export interface MessageReading {
  readonly signals: readonly { readonly zoneId: string; readonly signal: ZoneSignal }[];
  /** What it says about the gates that follow its topic. */
  readonly gates: readonly { readonly gateId: string; readonly state: GateState }[];
  readonly refused: string | undefined;
  /** Zones or gates listen to its topic, and it is about none of them. */
  readonly isUnmatched: boolean;
}

/** A value that a zone looks for in the messages of a filter. */
interface StatusSource extends MessageRule {
  readonly zoneId: string;
  readonly filter: string;
  /** @returns what the message says; undefined for nothing */
  readonly signalOf: (view: MessageView, topic: string, isRetained: boolean) => ZoneSignal | undefined;
}
type MqttGate = Extract<Gate, { by: "mqtt" }>;

/** So many topics of one zone are told apart; a site that needs more has more than one zone. */
const TOPICS_OF_ZONE_MAX = 256;
const NOTHING: MessageReading = { signals: [], gates: [], refused: undefined, isUnmatched: false };

/** Which zones a topic concerns, and what each makes of a message: the same for every broker and every recording. */
export class ZoneTopics {
  readonly #byTopic = new Map<string, StatusSource[]>();
  readonly #broad: StatusSource[] = [];
  /** One for each message that gates follow, however many zones do. */
  readonly #gates: readonly MqttGate[];

  /** What each zone looks for, with what it has seen so far. */
  readonly #ofZones = new Map<string, { readonly reads: string; readonly senses: readonly StatusSource[] }>();

  /** @param before what was listened to until now: a zone that reads the same goes on with what it has seen */
  constructor(zones: readonly Zone[], before?: ZoneTopics) {
    this.#gates = [
      ...new Map(
        zones.flatMap(({ gate }) => (gate.by === "mqtt" ? [[gate.id, gate] as const] : [])),
      ).values(),
    ];
    for (const zone of zones) {
      const neighbours = neighboursValues(zone, zones);
      const reads = canonical([zone.input, zone.senses, [...neighbours]]);
      const known = before === undefined ? undefined : before.#ofZones.get(zone.id);
      this.#ofZones.set(
        zone.id,
        known?.reads === reads ? known : { reads, senses: sensesOf(zone, neighbours) },
      );
    }
    for (const sense of [...this.#ofZones.values()].flatMap(({ senses }) => senses)) {
      if (hasWildcard(sense.filter)) this.#broad.push(sense);
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
    if (senses.length + followed.length === 0) return NOTHING;
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
    const gates = followed.flatMap((gate) =>
      viewsFor(gate).flatMap((view) => {
        const contact = contactOf(gate, scalarOf(view.at(gate.path)));
        // A message about something else leaves the gate as it was.
        return contact === "unknown" ? [] : [{ gateId: gate.id, state: gateStateOf(contact) }];
      }),
    );
    const signals = senses.flatMap((sense) =>
      viewsFor(sense).flatMap((view) => {
        const signal = sense.signalOf(view, topic, isRetained);
        return signal ? [{ zoneId: sense.zoneId, signal }] : [];
      }),
    );
    return { signals, gates, refused, isUnmatched: isUnmatched && refused === undefined };
  }

  #gatesOf(topic: string): readonly MqttGate[] {
    return this.#gates.filter(
      ({ mqtt }) => mqtt === topic || (hasWildcard(mqtt) && matchesFilter(topic, mqtt)),
    );
  }

  #sensesOf(topic: string): readonly StatusSource[] {
    const exact = this.#byTopic.get(topic) ?? [];
    return this.#broad.length === 0
      ? exact
      : [...exact, ...this.#broad.filter(({ filter }) => matchesFilter(topic, filter))];
  }
}

/**
 * Values at the place of a zone's contact that another zone names and this one does not, such as the code of another
 * transmitter: they say nothing about this zone.
 */
function neighboursValues({ id, input }: Zone, zones: readonly Zone[]): ReadonlySet<string> {
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

/** A zone's senses, its contact first: should anything fail behind it, the trip is written. */
function sensesOf({ id, input, senses }: Zone, neighbours: ReadonlySet<string>): StatusSource[] {
  const { tamper, battery, availability, bridge } = senses;
  const found: StatusSource[] = [];
  const add = (rule: MessageRule & { readonly mqtt: string }, signalOf: StatusSource["signalOf"]): void =>
    void found.push({ ...rule, zoneId: id, filter: rule.mqtt, signalOf });
  // What the sensor itself says shows that it lives, unless the broker had kept it.
  const orLives = (signal: ZoneSignal | undefined, isRetained: boolean): ZoneSignal | undefined =>
    signal ?? (isRetained ? undefined : { kind: "sign-of-life" });
  if (input.source === "mqtt") {
    const read = contactSense(input);
    add(input, (view, ...more) => {
      const value = scalarOf(view.at(input.path));
      const isNeighbours = value !== undefined && neighbours.has(plainValue(value));
      return isNeighbours ? undefined : read(view, ...more);
    });
  }
  if (tamper)
    add(tamper, (view, _topic, isRetained) => {
      const contact = contactOf(tamper, scalarOf(view.at(tamper.path)));
      return orLives(
        contact === "unknown" ? undefined : { kind: "tamper", open: contact === "open" },
        isRetained,
      );
    });
  if (battery)
    add(battery, (view, _topic, isRetained) => {
      const low = batteryOf(battery, scalarOf(view.at(battery.path)));
      return orLives(low === undefined ? undefined : { kind: "battery", low }, isRetained);
    });
  if (availability)
    add({ ...availability, acceptsText: true }, (view) => {
      const up = availabilityOf(availability, wordOf(view, availability));
      return up === undefined ? undefined : { kind: "availability", up };
    });
  if (bridge)
    add({ ...bridge, acceptsText: true }, (view) => {
      const up = availabilityOf(bridge, wordOf(view, bridge));
      return up === undefined ? undefined : { kind: "availability", up, bridge: bridgeNameOf(bridge) };
    });
  return found;
}

/** `online`, or the same as `{"state":"online"}`: zigbee2mqtt has sent both, by release and by option. */
function wordOf(view: MessageView, { path }: AvailabilitySource): Scalar | undefined {
  const whole = scalarOf(view.at(undefined));
  return scalarOf(view.at(path)) ?? whole ?? (path === undefined ? scalarOf(view.at("/state")) : undefined);
}

/** A zone of several topics is open while one of them is, as a loop of several contacts in series. */
function contactSense(input: MqttInput): StatusSource["signalOf"] {
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
