import type { Availability, MessageCondition } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import type { Proposal, ReceivedMessage } from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { fieldOf, fieldsOf, pointerTo, textOf, type Fields } from "./values.ts";

const BATTERY_BELOW_PERCENT = 15;
/** A Zigbee network of such a bridge has a few dozen. */
const SENSORS_MAX = 256;
const BATTERY = "BatteryPercentage";
/**
 * Values that are 1 while something is detected, with the type of the alarm zone that has each.
 * Format: https://tasmota.github.io/docs/Zigbee/
 */
const CONTACTS: readonly (readonly [value: string, kind: ZoneKind, zoneType: number])[] = [
  ["Contact", "intrusion", 0x15],
  ["Occupancy", "motion", 0x0d],
  ["Fire", "fire", 0x28],
  ["Water", "flood", 0x2a],
  ["CO", "gas", 0x2b],
  ["PersonalAlarm", "panic", 0x2c],
  ["Movement", "glass", 0x2d],
  ["Panic", "panic", 0x10f],
  ["GlassBreak", "glass", 0x226],
];

/** What a message says about one Zigbee device. */
interface ZigbeeReport {
  readonly topic: string;
  /** Its key in the message: an address, or by an option its name. */
  readonly key: string;
  readonly fields: Fields;
}

/** What a Zigbee bridge has received, or answers to `ZbInfo`: the devices by their address or name. */
export function zigbeeReports({ topic, json }: ReceivedMessage): ZigbeeReport[] {
  const reports = { ...fieldsOf(fieldOf(json, "ZbReceived")), ...fieldsOf(fieldOf(json, "ZbInfo")) };
  return Object.entries(reports).flatMap(([key, fields]) =>
    textOf(key) === undefined ? [] : [{ topic, key, fields: fieldsOf(fields) }],
  );
}

/** What tells messages about Zigbee devices apart; undefined for any other message. */
export function zigbeeMemberOf(message: ReceivedMessage): string | undefined {
  const members = zigbeeReports(message).map(({ key, fields }) => [key, ...contactsIn(fields)].join(" "));
  return members.length === 0 ? undefined : members.slice(0, 8).join();
}

function contactsIn(fields: Fields): string[] {
  return CONTACTS.flatMap(([value, , zoneType]) =>
    Object.hasOwn(fields, value) || fields["ZoneType"] === zoneType ? [value] : [],
  );
}

/** The zones of the Zigbee devices behind a bridge that it has reported. */
export function zigbeeProposals(
  messages: readonly ReceivedMessage[],
  bridge: Availability,
  onLeftOut: OnLeftOut,
): Proposal[] {
  const sensors = new Map<string, { report: ZigbeeReport; name: string; contacts: Set<string> }>();
  for (const report of messages.flatMap(zigbeeReports)) {
    const { topic, key, fields } = report;
    const id = `${topic} ${key}`;
    const known = sensors.get(id) ?? { report, name: key, contacts: new Set() };
    for (const value of contactsIn(fields)) known.contacts.add(value);
    const name = textOf(fields["Name"])?.trim() ?? "";
    sensors.set(id, name === "" ? known : { ...known, name });
  }
  if (sensors.size > SENSORS_MAX) onLeftOut("components", SENSORS_MAX);
  return [...sensors.values()].slice(0, SENSORS_MAX).flatMap(({ report, name, contacts }) => {
    const own = CONTACTS.filter(([value]) => contacts.has(value));
    return own.map(([value, kind]): Proposal => ({
      name: own.length > 1 ? `${name} ${value}` : name,
      kind,
      input: { ...placeOf(report, value), open: [1], normal: [0] },
      battery: { ...placeOf(report, BATTERY), below: BATTERY_BELOW_PERCENT },
      bridge,
      device: name,
      doubts: [],
    }));
  });
}

/** All devices share a topic, or each has one: messages without the value do not concern the zone. */
function placeOf(
  { topic, key }: ZigbeeReport,
  value: string,
): { mqtt: string; where: [MessageCondition]; path: string } {
  const path = pointerTo("ZbReceived", key, value);
  return { mqtt: topic, where: [{ path, exists: true }], path };
}
