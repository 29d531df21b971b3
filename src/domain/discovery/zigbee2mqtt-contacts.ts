import type { MqttInput } from "../../generated/types.ts";
import { isOneOf, type Scalar } from "../plain-value.ts";
import type { ZoneKind } from "../zone.ts";
import type { Doubt } from "./doubt.ts";
import { kindOfName } from "./name-hints.ts";
import { BUTTON_RESTORE_S } from "./presses.ts";
import { textOf, textsOf, type Fields } from "./values.ts";
import { actionContacts } from "./zigbee2mqtt-actions.ts";
import {
  isClosedIfTrue,
  isGuessedByDevice,
  isPlain,
  isQuiet,
  isUnnamed,
  isUnsure,
  kindOfStates,
  kindOfValue,
} from "./zigbee2mqtt-names.ts";
import {
  atLeastOne,
  partOf,
  propertySource,
  scalarOr,
  SWITCHED,
  type Bridge,
  type Contact,
  type Described,
  type Exposed,
} from "./zigbee2mqtt-values.ts";

/** Bits of `access`: the value is in the messages of the device; a client can set it. */
const PUBLISHED = 1;
const SETTABLE = 2;

/** States of a sensor of which the bridge does not know what it detects; those that can be set are of sirens. */
const UNNAMED = ["alarm", "alarm_1", "alarm_2", "input"];
/** States with a name that any device may have. */
const UNNAMED_STATES = [
  "state",
  "status",
  "sensor_state",
  "sensor_status",
  "alarm",
  "alarm_state",
  "alarm_status",
];
const HEATED_OR_MOVED = ["climate", "cover"];

/** The values of a device that could be zones; of one that detects nothing, such as a siren, its tamper. */
export function contactsOf(device: Described, bridge: Bridge): Contact[] {
  const detected = detectedBy(device, bridge);
  return detected.length > 0 ? detected : coverOf(device, bridge);
}

function coverOf(device: Described, bridge: Bridge): Contact[] {
  const value = tamperIn(device.exposed);
  if (!value) return [];
  const input: MqttInput = { ...propertySource(value.property, device.name, bridge), ...levelsOf(value) };
  const doubts: Doubt[] = isNoSensor(device) ? [] : [{ code: "tamper-only" }];
  return [{ kind: "tamper", input, part: partOf(value), doubts }];
}

/** The value of a device that reports its tamper; undefined without one. */
export function tamperIn(exposed: readonly Exposed[]): Exposed | undefined {
  return exposed.find(({ type, name }) => type === "binary" && kindOfValue(name) === "tamper");
}

function detectedBy(device: Described, bridge: Bridge): Contact[] {
  const exposed = device.exposed.filter(({ name, fields }) => isReading(name, fields, device));
  const binary = exposed.flatMap((value) => binaryContact(value, device, bridge) ?? []);
  const known = new Set(binary.map(({ kind }) => kind));
  // A radar has the state beside the value itself.
  const states = exposed
    .flatMap((value) => stateContact(value, device, bridge) ?? [])
    .filter(({ kind }) => !known.has(kind));
  const named = [...binary, ...states];
  const actions = exposed
    .flatMap((value) => actionContacts(value, device, bridge))
    .filter(({ kind }) => kind !== "glass" || !known.has(kind));
  if (named.length + actions.length > 0 || isNoSensor(device)) return [...named, ...actions];
  return exposed.flatMap((value) => unnamedContact(value, device, bridge) ?? []);
}

/** Whether a value is what a sensor reports: not a setting, nor what a heating makes of its own readings. */
function isReading(name: string, { access, category }: Fields, { types }: Described): boolean {
  const bits = typeof access === "number" ? access : PUBLISHED;
  // Some definitions say by mistake that a contact can be set.
  const isSetting = category === "config" || ((bits & SETTABLE) !== 0 && !isClosedIfTrue(name));
  const isGuess = types.some((type) => HEATED_OR_MOVED.includes(type)) && isGuessedByDevice(name);
  return (bits & PUBLISHED) !== 0 && !isSetting && !isGuess;
}

/** Whether states without a telling name are those of the device itself: of a switch, a valve, or a siren that sounds. */
function isNoSensor({ name, description, types, exposed }: Described): boolean {
  if (types.some((one) => SWITCHED.includes(one))) return true;
  if (/sensor|detector/i.test(description) || kindOfName(name) !== undefined) return false;
  const sounds = ["warning", "siren", "melody"];
  return (
    /siren|sounder|chime|doorbell/i.test(description) || exposed.some((one) => sounds.includes(one.name))
  );
}

function binaryContact(value: Exposed, device: Described, bridge: Bridge): Contact | undefined {
  const kind = value.type === "binary" ? kindOfValue(value.name) : undefined;
  const isOfPerson = kind === "motion" && isCarried(device);
  if (kind === undefined || kind === "tamper" || isOfPerson) return undefined;
  const input: MqttInput = { ...propertySource(value.property, device.name, bridge), ...levelsOf(value) };
  return { input, part: partOf(value), ...ofKind(kind, value, []) };
}

function ofKind(
  kind: ZoneKind,
  { property }: Exposed,
  doubts: readonly Doubt[],
): Pick<Contact, "kind" | "doubts" | "autoRestoreS" | "isPressed"> {
  if (kind !== "panic") return { kind, doubts };
  // Many a button never sends that it is released, and its bridge repeats the press with each report of its battery.
  const ofButton: Doubt[] = [
    { code: "button-restores-itself" },
    { code: "press-repeated", values: { option: `filtered_cache: [${property}]` } },
  ];
  return { kind, autoRestoreS: BUTTON_RESTORE_S, isPressed: true, doubts: [...doubts, ...ofButton] };
}

/** Whether a person carries a device, so that its presence is that of the person. */
function isCarried({ description }: Described): boolean {
  return /arrival|key ?fob/i.test(description);
}

function unnamedContact(value: Exposed, device: Described, bridge: Bridge): Contact | undefined {
  const { type, name, property, fields } = value;
  const isAlarm = UNNAMED.includes(name);
  if (type !== "binary" || (!isAlarm && (!isUnnamed(name) || fields["category"] === "diagnostic")))
    return undefined;
  const own = kindOfName(textOf(fields["description"]) ?? "");
  // A name with a word that is not known counts if its own description tells what it is.
  const suggested = isAlarm || own !== undefined || isPlain(name);
  const kind = suggested ? (kindOfName(device.name) ?? own ?? kindOfName(device.description)) : undefined;
  if (kind === undefined && !isAlarm) return undefined;
  const input: MqttInput = { ...propertySource(property, device.name, bridge), ...levelsOf(value) };
  const wired: Doubt[] = name === "input" ? [{ code: "check-contact" }] : [];
  const doubts: Doubt[] = [...wired, { code: "kind-guessed" }];
  return { input, part: partOf(value), ...ofKind(kind ?? "intrusion", value, doubts) };
}

/** The kind that the description of a value or of its device suggests. */
function describedKind({ fields }: Exposed, { description }: Described): ZoneKind | undefined {
  return kindOfName(textOf(fields["description"]) ?? "") ?? kindOfName(description);
}

/** Which of two values is open: the one that is called on, unless it is a closed contact, as `true` or in words. */
function levelsOf({ name, fields }: Exposed): { open: [Scalar]; normal: [Scalar] } {
  const on = scalarOr(fields["value_on"], true);
  const off = scalarOr(fields["value_off"], false);
  const isTruth = isOneOf([true], on) || isOneOf([true], off);
  const isOnClosed =
    isClosedIfTrue(name) && isTruth ? isOneOf([true], on) : isQuiet(String(on)) && !isQuiet(String(off));
  return isOnClosed ? { open: [off], normal: [on] } : { open: [on], normal: [off] };
}

function stateContact(value: Exposed, device: Described, bridge: Bridge): Contact | undefined {
  const { type, name, property, fields } = value;
  if (type !== "enum") return undefined;
  const values = textsOf(fields["values"]);
  const isUnnamed = UNNAMED_STATES.includes(name);
  const kind = isUnnamed ? (kindOfStates(values) ?? describedKind(value, device)) : kindOfValue(name);
  const open = atLeastOne(values.filter((text) => !isQuiet(text) && !isUnsure(text)));
  const normal = atLeastOne(values.filter(isQuiet));
  if (kind === undefined || kind === "tamper" || !open || !normal || (isUnnamed && isNoSensor(device)))
    return undefined;
  const input: MqttInput = { ...propertySource(property, device.name, bridge), open, normal };
  return { kind, input, part: partOf(value), doubts: [{ code: "check-contact" }] };
}
