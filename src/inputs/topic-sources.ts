import { plainValue, scalarOf, type Scalar } from "../domain/plain-value.ts";
import { hasWildcard } from "../domain/topic-filter.ts";
import { canonical } from "../domain/zone-changes.ts";
import { bridgeNameOf } from "../domain/zone-rules.ts";
import type { AvailabilitySource, Contact, Zone, ZoneSignal } from "../domain/zone.ts";
import type { Battery, MqttInput, Tamper } from "../generated/types.ts";
import type { ActiveTopics } from "./active-topics.ts";
import type { MessageRule, MessageView } from "./message-content.ts";
import { availabilityOf, batteryOf, chargeOf, contactOf, valueAt } from "./message-values.ts";

/** A value that a zone reads from the messages of a filter. */
export interface StatusSource extends MessageRule {
  readonly zoneId: string;
  readonly filter: string;
  /** Identifies it and how it reads, for its topics. */
  readonly key: string;
  readonly kind: SourceKind;
  /** Of what it reports: the zone, or its bridge. */
  readonly owner: string;
  /** Whether its topics have one sensor, so that the newest message decides. */
  readonly isOneSensor: boolean;
  /** @returns the signal of a message, or undefined */
  readonly signalOf: (view: MessageView, topic: string, isRetained: boolean) => ZoneSignal | undefined;
  /** The signal once a topic that was active is gone, and whether another one still is. */
  readonly signalWithout: (isActive: boolean) => ZoneSignal | undefined;
}

export type SourceKind = "contact" | "tamper" | "battery" | "availability" | "bridge";

/** Notes whether a topic of a source is active. @returns whether the source is; undefined if the message does not tell */
type NoteTopic = (topic: string, isActive: boolean, isRetained: boolean) => boolean | undefined;

/** With an exact filter there is one topic; with several, a source is active while any of them is. */
export function noteTopicOf(
  active: ActiveTopics,
  key: string,
  filter: string,
): (topic: string, isActive: boolean) => boolean {
  if (!hasWildcard(filter)) return (_topic, isActive) => isActive;
  return (topic, isActive) => active.note(key, topic, isActive);
}

/**
 * Of a sensor with several ways to the broker the newest message decides. A gateway that has missed it retains an older one, so a
 * retained message counts only if it differs from the last one of its topic, or while no topic is active.
 */
function noteNewestOf(active: ActiveTopics, key: string): NoteTopic {
  return (topic, isActive, isRetained) => {
    const wasActive = active.of(key).includes(topic);
    const isAnyActive = active.note(key, topic, isActive);
    const isOld = isRetained && wasActive === isActive && isAnyActive;
    return isOld ? undefined : isActive;
  };
}

/** What the sensor of a zone reports, not its bridge. */
const OF_SENSOR: ReadonlySet<SourceKind> = new Set(["contact", "tamper", "battery"]);
const CLOSED: ZoneSignal = { kind: "contact", contact: "normal", live: false };

/** A zone's sources, its contact first: if a later one fails, the trip is already stored. */
export function sourcesOf(
  { id, input, statusSources, rules }: Zone,
  neighbours: ReadonlySet<string>,
  active: ActiveTopics,
): StatusSource[] {
  const { tamper, battery, availability, bridge } = statusSources;
  const hasOneSensor = input.source === "mqtt" && input.oneSensor === true;
  const found: StatusSource[] = [];
  const add = (
    kind: SourceKind,
    rule: MessageRule & { readonly mqtt: string },
    signalOf: (note: NoteTopic) => StatusSource["signalOf"],
    signalWithout: StatusSource["signalWithout"],
  ): void => {
    const isOneSensor = hasOneSensor && OF_SENSOR.has(kind) && hasWildcard(rule.mqtt);
    const key = canonical([kind, id, rule, ...(isOneSensor ? ["newest"] : [])]);
    const owner = kind === "bridge" && bridge ? bridgeNameOf(bridge) : id;
    const place = { zoneId: id, filter: rule.mqtt, key, kind, owner, isOneSensor };
    const note = isOneSensor ? noteNewestOf(active, key) : noteTopicOf(active, key, rule.mqtt);
    // Of one sensor, another topic may only have missed the newest message.
    const without: typeof signalWithout = (isActive) =>
      isOneSensor && isActive ? undefined : signalWithout(isActive);
    found.push({ ...rule, ...place, signalOf: signalOf(note), signalWithout: without });
  };
  if (input.source === "mqtt")
    add(
      "contact",
      input,
      (note) => contactSource(input, note, neighbours),
      // A push button may send an empty payload after each press; its zone restores itself.
      (isOpen) => (isOpen || rules.autoRestoreMs !== undefined ? undefined : CLOSED),
    );
  if (tamper)
    add(
      "tamper",
      tamper,
      (note) => tamperSource(tamper, note),
      (open) => ({ kind: "tamper", open }),
    );
  if (battery)
    add(
      "battery",
      battery,
      (note) => batterySource(battery, note),
      (low) => ({ kind: "battery", low }),
    );
  if (availability)
    add(
      "availability",
      { ...availability, acceptsText: true },
      (note) => availabilitySource(availability, note),
      (isLost) => ({ kind: "availability", up: !isLost }),
    );
  if (bridge)
    add(
      "bridge",
      { ...bridge, acceptsText: true },
      (note) => availabilitySource(bridge, note, { bridge: bridgeNameOf(bridge) }),
      (isLost) => ({ kind: "availability", up: !isLost, bridge: bridgeNameOf(bridge) }),
    );
  return found;
}

function tamperSource(tamper: Tamper, note: NoteTopic): StatusSource["signalOf"] {
  return (view, topic, isRetained) => {
    const contact = contactOf(tamper, valueAt(view, tamper));
    if (contact === "unknown") return signOfLife(isRetained);
    const open = note(topic, contact === "open", isRetained);
    return open === undefined ? undefined : { kind: "tamper", open };
  };
}

function batterySource(battery: Battery, note: NoteTopic): StatusSource["signalOf"] {
  return (view, topic, isRetained) => {
    const low = batteryOf(battery, valueAt(view, battery));
    const percent = chargeOf(battery, view);
    const isLow = low === undefined ? undefined : note(topic, low, isRetained);
    if (isLow === undefined) return signOfLife(isRetained);
    return { kind: "battery", low: isLow, ...(percent === undefined ? {} : { percent }) };
  };
}

/** @param of the bridge, if it is that of one */
function availabilitySource(
  source: AvailabilitySource,
  note: NoteTopic,
  of: { readonly bridge?: string } = {},
): StatusSource["signalOf"] {
  return (view, topic, isRetained) => {
    const up = availabilityOf(source, stateOf(view, source));
    if (up === undefined) return undefined;
    return { kind: "availability", up: note(topic, !up, isRetained) !== true, ...of };
  };
}

/** A message of the sensor is a sign of life unless it is retained. */
function signOfLife(isRetained: boolean): ZoneSignal | undefined {
  return isRetained ? undefined : { kind: "sign-of-life" };
}

/** `online` or `{"state":"online"}`: zigbee2mqtt has used both, depending on release and option. */
function stateOf(view: MessageView, { path }: AvailabilitySource): Scalar | undefined {
  const whole = scalarOf(view.at(undefined));
  return scalarOf(view.at(path)) ?? whole ?? (path === undefined ? scalarOf(view.at("/state")) : undefined);
}

/** A zone with several topics is open while any of them is, like several contacts in series, unless they have one sensor. */
function contactSource(
  input: MqttInput,
  note: NoteTopic,
  neighbours: ReadonlySet<string>,
): StatusSource["signalOf"] {
  const signalOf = (contact: Contact, view: MessageView, isRetained: boolean): ZoneSignal => {
    const occasion = contact === "open" && input.dedupe ? scalarOf(view.at(input.dedupe.path)) : undefined;
    const part = occasion === undefined ? {} : { occasion: plainValue(occasion) };
    return { kind: "contact", contact, live: !isRetained, ...part };
  };
  return (view, topic, isRetained) => {
    const value = valueAt(view, input);
    if (value !== undefined && neighbours.has(plainValue(value))) return undefined;
    const contact = contactOf(input, value);
    if (contact === "unknown") return signalOf(contact, view, isRetained);
    const isOpen = note(topic, contact === "open", isRetained);
    return signalOf(isOpen === (contact === "open") ? contact : "unknown", view, isRetained);
  };
}
