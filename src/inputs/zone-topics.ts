import { gateStateOf, type Gate, type GateState } from "../domain/gate.ts";
import { excludeEachOther } from "../domain/message-condition.ts";
import { plainValue } from "../domain/plain-value.ts";
import { canonical } from "../domain/zone-changes.ts";
import { hasWildcard, matchesFilter } from "../domain/topic-filter.ts";
import type { Zone, ZoneSignal } from "../domain/zone.ts";
import type { MqttInput } from "../generated/types.ts";
import { ActiveTopics } from "./active-topics.ts";
import { MessageContent, type MessageRule, type MessageView } from "./message-content.ts";
import { gateContactOf, valueAt } from "./message-values.ts";
import { noteTopicOf, sourcesOf, type SourceKind, type StatusSource } from "./topic-sources.ts";

/** What a message reports about its zones, and why part of it could not be read. */
interface MessageReading {
  readonly signals: readonly { readonly zoneId: string; readonly signal: ZoneSignal }[];
  /** What it reports about the gates that use its topic. */
  readonly gates: readonly { readonly gateId: string; readonly state: GateState }[];
  readonly refused: string | undefined;
  /** Whether its topic is used, but the message concerns no zone or gate. */
  readonly isUnmatched: boolean;
}

/** What a source reports: whether its owner is open, tampered, low, unavailable or armed. */
export interface ReportedState {
  readonly kind: SourceKind | "gate";
  /** A zone, bridge or gate. */
  readonly owner: string;
}

type MqttGate = Extract<Gate, { by: "mqtt" }>;

/** A topic may have 64 KiB, and zones keep topics; no sensor has a longer one. */
const TOPIC_LENGTH_MAX = 1_024;
const NOTHING: MessageReading = { signals: [], gates: [], refused: undefined, isUnmatched: false };

/** The zones of each topic, and how each reads a message: the same for every broker and every recording. */
export class ZoneTopics {
  readonly #byTopic = new Map<string, StatusSource[]>();
  readonly #broad: StatusSource[] = [];
  readonly #active: ActiveTopics;
  /** One for each message source of gates, for all zones that use it. */
  readonly #gates: readonly MqttGate[];

  /** The sources of each zone. */
  readonly #ofZones = new Map<
    string,
    { readonly signature: string; readonly sources: readonly StatusSource[] }
  >();

  /** @param active the states of topics, which outlive a configuration */
  constructor(zones: readonly Zone[], active = new ActiveTopics()) {
    this.#active = active;
    this.#gates = [
      ...new Map(
        zones.flatMap(({ gate }) => (gate.by === "mqtt" ? [[gate.id, gate] as const] : [])),
      ).values(),
    ];
    for (const zone of zones) {
      const neighbours = neighbourValues(zone, zones);
      const signature = canonical([zone.input, zone.statusSources, [...neighbours]]);
      this.#ofZones.set(zone.id, { signature, sources: sourcesOf(zone, neighbours, active) });
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

  /** The sources of several topics. @param isActive returns whether one may have an active topic */
  activeSources(isActive: (source: ReportedState) => boolean): ReadonlySet<string> {
    // What another topic of one sensor has ended stays known, so that what its topic retains is not news.
    const ofZones = this.#broad.flatMap(
      (source) => source.newest?.keys ?? (isActive(source) ? source.key : []),
    );
    const gates = this.#gates.filter(({ id }) => isActive({ kind: "gate", owner: id }));
    return new Set([...ofZones, ...gates.map(gateKey)]);
  }

  /** What a person calls the sources that too many topics keep active. */
  get limitNames(): ReadonlyMap<string, string> {
    const ofZones = this.#broad.flatMap(({ key, limitName }) =>
      limitName === undefined ? [] : [[key, limitName] as const],
    );
    return new Map([...ofZones, ...this.#gates.map((gate) => [gateKey(gate), gate.mqtt] as const)]);
  }

  /** Whether a zone reports what the newest of several topics says. */
  hasOneSensor({ kind, owner }: ReportedState): boolean {
    const { sources = [] } = this.#ofZones.get(owner) ?? {};
    return sources.some((source) => source.kind === kind && source.newest !== undefined);
  }

  /** The topics of a zone with several that are open, or that report one of its faults. */
  activeTopics(zoneId: string, of: "contact" | "faults"): readonly string[] {
    const { sources = [] } = this.#ofZones.get(zoneId) ?? {};
    return sources.flatMap(({ kind, key, newest }) =>
      (kind === "contact") === (of === "contact") ? (newest?.open ?? this.#active.of(key)) : [],
    );
  }

  /** Whether any zone or gate uses a topic. */
  isUsed(topic: string): boolean {
    return this.#sourcesOf(topic).length > 0 || this.#gatesOf(topic).length > 0;
  }

  /**
   * Reads a message.
   * @param age isRetained: whether the broker sent a retained message, not a new one; isStale: whether it is one that newer
   * messages have not replaced, which must not disarm
   */
  read(
    topic: string,
    payload: Uint8Array,
    { isRetained, isStale = false }: { readonly isRetained: boolean; readonly isStale?: boolean },
  ): MessageReading {
    if (topic.length > TOPIC_LENGTH_MAX) return { ...NOTHING, refused: "topic-too-long" };
    const sources = this.#sourcesOf(topic);
    const matchingGates = this.#gatesOf(topic);
    if (sources.length + matchingGates.length === 0) return NOTHING;
    const content = MessageContent.of(payload);
    if ("refused" in content) return { ...NOTHING, refused: content.refused };
    const gone = payload.byteLength === 0 ? this.#forget(topic, sources, matchingGates) : NOTHING;
    if (gone !== NOTHING) return gone;
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
        const contact = gateContactOf(gate, valueAt(view, gate));
        // A message about something else leaves the gate unchanged. So does an old one that disarms, also for its topic.
        if (contact === "unknown" || (isStale && contact === "normal")) return [];
        const isOpen = noteTopicOf(this.#active, gateKey(gate), gate.mqtt)(topic, contact === "open");
        return [{ gateId: gate.id, state: gateStateOf(isOpen ? "open" : "normal") }];
      }),
    );
    const signals = sources.flatMap((source) =>
      viewsFor(source).flatMap((view) => {
        const signal = source.signalOf(view, { topic, text: content.text, isRetained });
        return signal ? [{ zoneId: source.zoneId, signal }] : [];
      }),
    );
    return { signals, gates, refused, isUnmatched: isUnmatched && refused === undefined };
  }

  /**
   * Reads an empty payload, with which a retained message is removed: a topic that was active is gone, as that of a renamed
   * sensor.
   * @returns NOTHING if that changes nothing
   */
  #forget(topic: string, sources: readonly StatusSource[], matching: readonly MqttGate[]): MessageReading {
    const signals = sources.flatMap(({ key, zoneId, newest, signalWithout }) => {
      const isActive = newest ? newest.forget(topic) : this.#active.forget(key, topic);
      const signal = isActive === undefined ? undefined : signalWithout(isActive);
      return signal ? [{ zoneId, signal }] : [];
    });
    const gates = matching.flatMap((gate) => {
      const isArmed = this.#active.forget(gateKey(gate), topic);
      // No keypad has disarmed: unless another one is armed, the state is unknown.
      const state: GateState = isArmed === true ? "open" : "unknown";
      return isArmed === undefined ? [] : [{ gateId: gate.id, state }];
    });
    return signals.length + gates.length === 0 ? NOTHING : { ...NOTHING, signals, gates };
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
    const { mqtt, path, bits, where = [] } = zone.input;
    const isSamePlace = mqtt === input.mqtt && path === input.path && bits === input.bits;
    return isSamePlace && !excludeEachOther(input.where ?? [], where) ? named(zone.input) : [];
  });
  return new Set(others.filter((value) => !own.has(value)));
}

/** Key of a gate for its topics; its id has how it reads. */
function gateKey({ id }: MqttGate): string {
  return canonical(["gate", id]);
}
