import { plainValue, scalarOf, type Scalar } from "../domain/plain-value.ts";
import { hasWildcard } from "../domain/topic-filter.ts";
import { canonical } from "../domain/zone-changes.ts";
import { bridgeNameOf } from "../domain/zone-rules.ts";
import type { AvailabilitySource, Contact, Zone, ZoneSignal } from "../domain/zone.ts";
import type { Battery, MqttInput, Tamper } from "../generated/types.ts";
import { OTHER_TOPICS, type ActiveTopics } from "./active-topics.ts";
import type { MessageRule, MessageView } from "./message-content.ts";
import { availabilityOf, batteryOf, chargeOf, contactOf, valueAt } from "./message-values.ts";
import { NewestTopics, type TopicMessage } from "./newest-topics.ts";

/** A value that a zone reads from the messages of a filter. */
export interface StatusSource extends MessageRule {
  readonly zoneId: string;
  readonly filter: string;
  /** Identifies it and how it reads, for its topics. */
  readonly key: string;
  readonly kind: SourceKind;
  /** Of what it reports: the zone, or its bridge. */
  readonly owner: string;
  /** Its topics if they have one sensor, so that the newest message decides. */
  readonly newest: NewestTopics | undefined;
  /** Its name in the condition about too many topics; undefined if they do not keep it active. */
  readonly limitName: string | undefined;
  /** @returns the signal of a message, or undefined */
  readonly signalOf: (view: MessageView, message: TopicMessage) => ZoneSignal | undefined;
  /** The signal once a topic that was active is gone, and whether another one still is. */
  readonly signalWithout: (isActive: boolean) => ZoneSignal | undefined;
}

export type SourceKind = "contact" | "tamper" | "battery" | "availability" | "bridge";

/** Notes whether a topic of a source is active. @returns whether the source is; undefined if the message does not tell */
type NoteTopic = (message: TopicMessage, isActive: boolean) => boolean | undefined;

/** With an exact filter there is one topic; with several, a source is active while any of them is. */
export function noteTopicOf(
  active: ActiveTopics,
  key: string,
  filter: string,
): (topic: string, isActive: boolean) => boolean {
  if (!hasWildcard(filter)) return (_topic, isActive) => isActive;
  return (topic, isActive) => active.note(key, topic, isActive);
}

/** What the sensor of a zone reports, not its bridge. */
const OF_SENSOR: ReadonlySet<SourceKind> = new Set(["contact", "tamper", "battery"]);
const CLOSED: ZoneSignal = { kind: "contact", contact: "normal", live: false };

/** A zone's sources, its contact first: if a later one fails, the trip is already stored. */
export function sourcesOf(
  { id, name, input, statusSources, rules }: Zone,
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
    // What its topics have reported last is the same with `oneSensor` and without.
    const { oneSensor: _newest, ...reading }: typeof rule & { readonly oneSensor?: boolean } = rule;
    const key = canonical([kind, id, reading]);
    const isOneSensor = hasOneSensor && OF_SENSOR.has(kind) && hasWildcard(rule.mqtt);
    const newest = isOneSensor ? new NewestTopics(active, key) : undefined;
    const owner = kind === "bridge" && bridge ? bridgeNameOf(bridge) : id;
    const noteTopic = noteTopicOf(active, key, rule.mqtt);
    const restoresItself = kind === "contact" && rules.autoRestoreMs !== undefined;
    const limitName = newest || restoresItself ? undefined : name;
    const note: NoteTopic = (message, isActive) => {
      if (newest) return newest.note(message, isActive);
      // It ends in any case, so topics beyond the limit need not keep it open.
      if (restoresItself && !isActive) active.forget(key, OTHER_TOPICS);
      return noteTopic(message.topic, isActive);
    };
    const place = { zoneId: id, filter: rule.mqtt, key, kind, owner, newest, limitName };
    found.push({ ...rule, ...place, signalOf: signalOf(note), signalWithout });
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
  return (view, message) => {
    const contact = contactOf(tamper, valueAt(view, tamper));
    if (contact === "unknown") return signOfLife(message);
    const open = note(message, contact === "open");
    return open === undefined ? undefined : { kind: "tamper", open };
  };
}

function batterySource(battery: Battery, note: NoteTopic): StatusSource["signalOf"] {
  return (view, message) => {
    const low = batteryOf(battery, valueAt(view, battery));
    const percent = chargeOf(battery, view);
    const isLow = low === undefined ? undefined : note(message, low);
    if (isLow === undefined) return signOfLife(message);
    return { kind: "battery", low: isLow, ...(percent === undefined ? {} : { percent }) };
  };
}

/** @param of the bridge, if it is that of one */
function availabilitySource(
  source: AvailabilitySource,
  note: NoteTopic,
  of: { readonly bridge?: string } = {},
): StatusSource["signalOf"] {
  return (view, message) => {
    const up = availabilityOf(source, stateOf(view, source));
    if (up === undefined) return undefined;
    return { kind: "availability", up: note(message, !up) !== true, ...of };
  };
}

/** A message of the sensor is a sign of life unless it is retained. */
function signOfLife({ isRetained }: TopicMessage): ZoneSignal | undefined {
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
  const signalOf = (contact: Contact, view: MessageView, { isRetained }: TopicMessage) => {
    const occasion = contact === "open" && input.dedupe ? scalarOf(view.at(input.dedupe.path)) : undefined;
    const part = occasion === undefined ? {} : { occasion: plainValue(occasion) };
    return { kind: "contact", contact, live: !isRetained, ...part } as const;
  };
  return (view, message) => {
    const value = valueAt(view, input);
    if (value !== undefined && neighbours.has(plainValue(value))) return undefined;
    const contact = contactOf(input, value);
    if (contact === "unknown") {
      const isUnnamed = value !== undefined && input.normal !== undefined;
      return { ...signalOf(contact, view, message), ...(isUnnamed ? { value } : {}) };
    }
    const isOpen = note(message, contact === "open");
    return signalOf(isOpen === (contact === "open") ? contact : "unknown", view, message);
  };
}
