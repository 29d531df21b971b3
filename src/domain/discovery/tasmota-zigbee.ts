import type { Availability, Battery, MessageCondition } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import type { Proposal, ReceivedMessage } from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { kindOfName } from "./name-hints.ts";
import { fieldOf, fieldsOf, pointerTo, textOf, type Fields } from "./values.ts";

const BATTERY_BELOW_PERCENT = 15;
/** A Zigbee network of such a bridge has a few dozen. */
const SENSORS_MAX = 256;
const BATTERY = "BatteryPercentage";
/** Seconds without a message of a sensor that has not reported its battery. */
const RARELY_S = 604_800;
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

/**
 * State of an alarm zone as a number, which a bridge reports beside the value, or alone if it does not know the type of the zone. Its
 * bits are those of the ZigBee Cluster Library, 8.2.2.2.1.3; an alarm is the first or the second, by the type of the sensor.
 */
const STATUS = "ZoneStatusChange";
const ALARM = 1 + 2;
const TAMPER = 4;

/** The name of what a bridge has received, which its messages and its answers to `ZbInfo` have by default. */
const RECEIVED = "ZbReceived";
const ANSWERED = "ZbInfo";

/** What a message says about one Zigbee device. */
interface ZigbeeReport {
  readonly topic: string;
  /** An address, or by an option the device's name. */
  readonly key: string;
  /** Where its values are in a message. */
  readonly path: readonly string[];
  readonly fields: Fields;
  /** What tells its messages from those of other devices, if `path` does not. */
  readonly where: readonly MessageCondition[];
}

/** What a Zigbee bridge has received, or answers to `ZbInfo`: the devices by their address or name. */
export function zigbeeReports({ topic, json }: ReceivedMessage): ZigbeeReport[] {
  const named = [RECEIVED, ANSWERED].flatMap((name) => reportsIn(fieldOf(json, name), topic, [RECEIVED]));
  if (named.length > 0 || !/\/(SENSOR|ZbReceived|ZbInfo)$/.test(topic)) return named;
  // `SetOption100` leaves the name out, and `SetOption118` puts it at the end of the topic.
  return reportsIn(json, topic.replace(/ZbInfo$/, RECEIVED), []).filter(
    ({ fields }) => addressIn(fields) !== undefined,
  );
}

/** @param path of the reports in their message */
function reportsIn(reports: unknown, topic: string, path: readonly string[]): ZigbeeReport[] {
  const fields = fieldsOf(reports);
  const address = addressIn(fields);
  if (address !== undefined) {
    // With `SetOption119` the address is no key: the values are those of a single device.
    const where: MessageCondition[] = [{ path: pointerTo(...path, "Device"), in: [address] }];
    return [{ topic, key: address, path, fields, where }];
  }
  return Object.entries(fields).flatMap(([key, own]) =>
    textOf(key) === undefined ? [] : [{ topic, key, path: [...path, key], fields: fieldsOf(own), where: [] }],
  );
}

function addressIn(fields: Fields): string | undefined {
  const address = textOf(fields["Device"]);
  return address !== undefined && /^0x[0-9a-f]{4}$/i.test(address) ? address : undefined;
}

/** What tells messages about Zigbee devices apart; undefined for any other message. */
export function zigbeeMemberOf(message: ReceivedMessage): string | undefined {
  const members = zigbeeReports(message).map(({ key, fields }) => [key, ...contactsIn(fields)].join(" "));
  return members.length === 0 ? undefined : members.slice(0, 8).join();
}

function contactsIn(fields: Fields): string[] {
  const known = CONTACTS.flatMap(([value, , zoneType]) =>
    Object.hasOwn(fields, value) || fields["ZoneType"] === zoneType ? [value] : [],
  );
  return Object.hasOwn(fields, STATUS) ? [...known, STATUS] : known;
}

/** The zones of the Zigbee devices behind a bridge that it has reported. */
export function zigbeeProposals(
  messages: readonly ReceivedMessage[],
  bridge: Availability,
  onLeftOut: OnLeftOut,
): Proposal[] {
  const sensors = new Map<string, { report: ZigbeeReport; name: string; values: Set<string> }>();
  for (const report of messages.flatMap(zigbeeReports)) {
    const { topic, key, fields } = report;
    const id = `${topic} ${key}`;
    const known = sensors.get(id) ?? { report, name: key, values: new Set() };
    for (const value of contactsIn(fields)) known.values.add(value);
    if (Object.hasOwn(fields, BATTERY)) known.values.add(BATTERY);
    const name = textOf(fields["Name"])?.trim() ?? "";
    sensors.set(id, name === "" ? known : { ...known, name });
  }
  if (sensors.size > SENSORS_MAX) onLeftOut("components", SENSORS_MAX);
  return [...sensors.values()].slice(0, SENSORS_MAX).flatMap(({ report, name, values }) => {
    const own = CONTACTS.filter(([value]) => values.has(value));
    const common = {
      ...(values.has(STATUS) ? { tamper: { ...placeOf(report, STATUS), bits: TAMPER, open: [TAMPER] } } : {}),
      battery: { ...batteryPlaceOf(report), below: BATTERY_BELOW_PERCENT },
      // A battery is expected to be reported once a day, which not all sensors do.
      ...(values.has(BATTERY) ? {} : { supervisionTimeoutS: RARELY_S }),
      bridge,
      device: name,
    };
    const known = own.map(([value, kind]): Proposal => ({
      name: own.length > 1 ? `${name} ${value}` : name,
      kind,
      input: { ...placeOf(report, value), open: [1], normal: [0] },
      ...common,
      doubts: [],
    }));
    if (known.length > 0 || !values.has(STATUS)) return known;
    const place = placeOf(report, STATUS);
    const input: Proposal["input"] = { ...place, bits: ALARM, open: [1, 2, ALARM], normal: [0] };
    const kind = kindOfName(name) ?? "intrusion";
    return [{ name, kind, input, ...common, doubts: [{ code: "kind-guessed" }] }];
  });
}

/** Every message of the device is a sign of life, whatever it is about. */
function batteryPlaceOf({
  topic,
  path: names,
  where,
}: ZigbeeReport): Pick<Battery, "mqtt" | "where" | "path"> {
  const own: MessageCondition[] = names.length === 0 ? [] : [{ path: pointerTo(...names), exists: true }];
  const conditions = [...own, ...where];
  return {
    mqtt: topic,
    ...(conditions.length === 0 ? {} : { where: conditions }),
    path: pointerTo(...names, BATTERY),
  };
}

/** All devices share a topic, or each has one: messages without the value do not concern the zone. */
function placeOf(
  { topic, path: names, where }: ZigbeeReport,
  value: string,
): { mqtt: string; where: [MessageCondition, ...MessageCondition[]]; path: string } {
  const path = pointerTo(...names, value);
  return { mqtt: topic, where: [{ path, exists: true }, ...where], path };
}
