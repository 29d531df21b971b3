import { plainValue, scalarOf, type Scalar } from "../domain/plain-value.ts";
import { hasWildcard } from "../domain/topic-filter.ts";
import { canonical } from "../domain/zone-changes.ts";
import { bridgeNameOf } from "../domain/zone-rules.ts";
import type { AvailabilitySource, Contact, Zone, ZoneSignal } from "../domain/zone.ts";
import type { Battery, MqttInput } from "../generated/types.ts";
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
  /** @returns the signal of a message, or undefined */
  readonly signalOf: (view: MessageView, topic: string, isRetained: boolean) => ZoneSignal | undefined;
  /** The signal once a topic that was active is gone, and whether another one still is. */
  readonly signalWithout: (isActive: boolean) => ZoneSignal | undefined;
}

export type SourceKind = "contact" | "tamper" | "battery" | "availability" | "bridge";

/** Notes whether a topic of a source is active. @returns whether any of them is */
type NoteTopic = (topic: string, isActive: boolean) => boolean;

/** With an exact filter there is one topic. */
export function noteTopicOf(active: ActiveTopics, key: string, filter: string): NoteTopic {
  if (!hasWildcard(filter)) return (_topic, isActive) => isActive;
  return (topic, isActive) => active.note(key, topic, isActive);
}

const CLOSED: ZoneSignal = { kind: "contact", contact: "normal", live: false };

/** A zone's sources, its contact first: if a later one fails, the trip is already stored. */
export function sourcesOf(
  { id, input, statusSources, rules }: Zone,
  neighbours: ReadonlySet<string>,
  active: ActiveTopics,
): StatusSource[] {
  const { tamper, battery, availability, bridge } = statusSources;
  const found: StatusSource[] = [];
  const add = (
    kind: SourceKind,
    rule: MessageRule & { readonly mqtt: string },
    signalOf: (note: NoteTopic) => StatusSource["signalOf"],
    signalWithout: StatusSource["signalWithout"],
  ): void => {
    const key = canonical([kind, id, rule]);
    const owner = kind === "bridge" && bridge ? bridgeNameOf(bridge) : id;
    const place = { zoneId: id, filter: rule.mqtt, key, kind, owner, signalWithout };
    found.push({ ...rule, ...place, signalOf: signalOf(noteTopicOf(active, key, rule.mqtt)) });
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
      (note) => (view, topic, isRetained) => {
        const contact = contactOf(tamper, valueAt(view, tamper));
        if (contact === "unknown") return signOfLife(isRetained);
        return { kind: "tamper", open: note(topic, contact === "open") };
      },
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
      (note) => (view, topic) => {
        const up = availabilityOf(availability, stateOf(view, availability));
        return up === undefined ? undefined : { kind: "availability", up: !note(topic, !up) };
      },
      (isLost) => ({ kind: "availability", up: !isLost }),
    );
  if (bridge)
    add(
      "bridge",
      { ...bridge, acceptsText: true },
      (note) => (view, topic) => {
        const up = availabilityOf(bridge, stateOf(view, bridge));
        const name = bridgeNameOf(bridge);
        return up === undefined ? undefined : { kind: "availability", up: !note(topic, !up), bridge: name };
      },
      (isLost) => ({ kind: "availability", up: !isLost, bridge: bridgeNameOf(bridge) }),
    );
  return found;
}

function batterySource(battery: Battery, note: NoteTopic): StatusSource["signalOf"] {
  return (view, topic, isRetained) => {
    const low = batteryOf(battery, valueAt(view, battery));
    const percent = chargeOf(battery, view);
    if (low === undefined) return signOfLife(isRetained);
    return { kind: "battery", low: note(topic, low), ...(percent === undefined ? {} : { percent }) };
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

/** A zone with several topics is open while any of them is, like several contacts in series. */
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
    const isAnyOpen = contact !== "unknown" && note(topic, contact === "open");
    const isStillOpen = contact === "normal" && isAnyOpen;
    return signalOf(isStillOpen ? "unknown" : contact, view, isRetained);
  };
}
