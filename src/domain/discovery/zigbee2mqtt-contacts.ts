import type { MqttInput } from "../../generated/types.ts";
import type { Scalar } from "../plain-value.ts";
import type { ZoneKind } from "../zone.ts";
import type { Messages, Proposal } from "./device.ts";
import { kindOfName } from "./name-hints.ts";
import { listOf, pointerTo, sentOf, textOf, type Fields } from "./values.ts";

/** A binary, numeric or enumerated value of a device. */
export interface Exposed {
  readonly type: string;
  readonly name: string;
  readonly property: string;
  readonly endpoint: string | undefined;
  readonly fields: Fields;
}

/** How messages of one bridge are laid out. */
export interface Bridge {
  readonly base: string;
  /** Whether each value has a topic of its own instead of a field in one message. */
  readonly hasTopicForEachValue: boolean;
  readonly messages: Messages;
}

/** A button sends no release; long enough that one press is one trip. */
const BUTTON_RESTORE_S = 30;
/** In an option of the configuration. */
const VALUES_MAX = 16;

/** Kinds by the name of a binary value. Format: https://www.zigbee2mqtt.io/guide/usage/exposes.html */
const KINDS: Readonly<Record<string, ZoneKind>> = {
  contact: "intrusion",
  opening: "intrusion",
  window: "intrusion",
  garage_door_contact: "intrusion",
  occupancy: "motion",
  presence: "motion",
  motion: "motion",
  moving: "motion",
  vibration: "glass",
  glass_break: "glass",
  sound: "glass",
  smoke: "fire",
  heat: "fire",
  fire_alarm: "fire",
  gas: "gas",
  carbon_monoxide: "gas",
  water_leak: "flood",
  moisture: "flood",
  sos: "panic",
  emergency: "panic",
  panic: "panic",
};
/** Values that are true while the contact is closed, whatever their definition calls on. */
const CLOSED_IF_TRUE = ["garage_door_contact"];
/** States of a sensor of which the bridge does not know what it detects; those that can be set are of sirens. */
const UNNAMED = ["alarm", "alarm_1", "alarm_2"];
/** Kinds by the name of an enumerated state. */
const STATE_KINDS: Readonly<Record<string, ZoneKind>> = {
  contact_state: "intrusion",
  door_state: "intrusion",
  presence_state: "motion",
  motion_state: "motion",
  human_motion_state: "motion",
  smoke_state: "fire",
  smoke_sensor_state: "fire",
  gas_state: "gas",
  gas_sensor_state: "gas",
  co_state: "gas",
  watersensor_state: "flood",
  water_leak_state: "flood",
  vibration_state: "glass",
};
/** States in which nothing is detected; `static` is a person who does not move. */
const QUIET = ["none", "normal", "clear", "absent", "closed", "close", "idle", "no", "dry", "unoccupied"];
/** States of a sensor that does not know. */
const UNSURE = ["unknown", "detecting", "self_checking", "checking", "test", "fault"];
/** Actions of buttons and keypads that call for help. */
const HELP = ["emergency", "panic", "sos", "help"];
/** Parts of the actions of a button; a remote control's are commands to a lamp, and a cube's are movements. */
const PRESSES = [
  "single",
  "double",
  "triple",
  "quadruple",
  "quintuple",
  "many",
  "hold",
  "long",
  "press",
  "pressed",
  "click",
  "push",
];
const RELEASES = ["release", "released"];
/** Actions of a sensor on a window or a safe; a cube has others besides. */
const SHOCKS = ["vibration", "shake", "tilt", "drop", "strike", "triple_strike"];

export type Contact = Pick<Proposal, "kind" | "input" | "autoRestoreS" | "doubts"> & {
  readonly part: string;
};

/** The values of a device that could be zones. */
export function contactsOf(exposed: readonly Exposed[], device: string, bridge: Bridge): Contact[] {
  const binary = exposed.flatMap((value) => binaryContact(value, device, bridge) ?? []);
  const known = new Set(binary.map(({ kind }) => kind));
  // A radar has the state beside the value itself.
  const states = exposed
    .flatMap((value) => stateContact(value, device, bridge) ?? [])
    .filter(({ kind }) => !known.has(kind));
  const named = [...binary, ...states];
  const actions = exposed
    .flatMap((value) => actionContact(value, device, bridge) ?? [])
    .filter(({ kind }) => kind !== "glass" || !known.has(kind));
  if (named.length + actions.length > 0) return [...named, ...actions];
  return exposed.flatMap((value) => unnamedContact(value, device, bridge) ?? []);
}

function binaryContact(value: Exposed, device: string, bridge: Bridge): Contact | undefined {
  const { type, name, property, fields } = value;
  const kind = type === "binary" && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (kind === undefined || !isPublished(fields)) return undefined;
  const place = propertySource(property, device, bridge);
  const input: MqttInput = CLOSED_IF_TRUE.includes(name)
    ? { ...place, open: [false], normal: [true] }
    : { ...place, ...levelsOf(fields) };
  return { kind, input, part: partOf(value), doubts: [] };
}

function unnamedContact(value: Exposed, device: string, bridge: Bridge): Contact | undefined {
  const { type, name, property, fields } = value;
  if (type !== "binary" || !UNNAMED.includes(name) || !isPublished(fields) || isSettable(fields))
    return undefined;
  const input: MqttInput = { ...propertySource(property, device, bridge), ...levelsOf(fields) };
  const kind = kindOfName(device) ?? "intrusion";
  return { kind, input, part: partOf(value), doubts: [{ code: "kind-guessed" }] };
}

function levelsOf(fields: Fields): Pick<MqttInput, "open" | "normal"> {
  return { open: [scalarOr(fields["value_on"], true)], normal: [scalarOr(fields["value_off"], false)] };
}

function stateContact(value: Exposed, device: string, bridge: Bridge): Contact | undefined {
  const { type, name, property, fields } = value;
  const kind = type === "enum" && Object.hasOwn(STATE_KINDS, name) ? STATE_KINDS[name] : undefined;
  if (kind === undefined || !isPublished(fields)) return undefined;
  const values = textsIn(fields["values"]);
  const isQuiet = (text: string): boolean => QUIET.includes(text.toLowerCase());
  const open = atLeastOne(values.filter((text) => !isQuiet(text) && !UNSURE.includes(text.toLowerCase())));
  const normal = atLeastOne(values.filter(isQuiet));
  if (!open || !normal) return undefined;
  const input: MqttInput = { ...propertySource(property, device, bridge), open, normal };
  return { kind, input, part: partOf(value), doubts: [{ code: "check-contact" }] };
}

/** A call for help, or else any press of a button; of a sensor that has only these actions, any shock. */
function actionContact(value: Exposed, device: string, bridge: Bridge): Contact | undefined {
  const { type, name, property, fields } = value;
  if (type !== "enum" || name !== "action") return undefined;
  const actions = textsIn(fields["values"]);
  const having = (sought: readonly string[]): string[] =>
    actions.filter((action) => action.split(/[_ -]/).some((word) => sought.includes(word)));
  const place = propertySource(property, device, bridge);
  const part = partOf(value);
  const shocks = atLeastOne(actions.every((action) => SHOCKS.includes(action)) ? actions : []);
  if (shocks) {
    const doubts = [{ code: "kind-guessed" as const }];
    return { kind: "glass", input: { ...place, open: shocks }, part, autoRestoreS: BUTTON_RESTORE_S, doubts };
  }
  const calls = atLeastOne(having(HELP));
  const released = having(RELEASES);
  const presses = atLeastOne(having(PRESSES).filter((action) => !released.includes(action)));
  const open = calls ?? presses;
  if (!open) return undefined;
  return {
    kind: "panic",
    input: { ...place, open },
    part,
    autoRestoreS: BUTTON_RESTORE_S,
    doubts: [...(calls ? [] : [{ code: "kind-guessed" as const }]), { code: "button-restores-itself" }],
  };
}

function partOf({ endpoint, property }: Exposed): string {
  return endpoint === undefined || property.includes(endpoint) ? property : `${property} ${endpoint}`;
}

function textsIn(values: unknown): string[] {
  return listOf(values).flatMap((value) => textOf(value) ?? []);
}

function atLeastOne(values: readonly string[]): [string, ...string[]] | undefined {
  const [first, ...others] = values.slice(0, VALUES_MAX);
  return first === undefined ? undefined : [first, ...others];
}

/** Bit 0 of `access`: the value is in the messages of the device. */
function isPublished({ access }: Fields): boolean {
  return typeof access !== "number" || (access & 1) === 1;
}

/** Bit 1 of `access`: a client can set it. */
function isSettable({ access }: Fields): boolean {
  return typeof access === "number" && (access & 2) === 2;
}

export function scalarOr(value: unknown, otherwise: Scalar): Scalar {
  return sentOf(value) ?? otherwise;
}

export function propertySource(
  property: string,
  device: string,
  bridge: Bridge,
): { mqtt: string; path?: string } {
  const topic = `${bridge.base}/${device}`;
  return bridge.hasTopicForEachValue
    ? { mqtt: `${topic}/${property}` }
    : { mqtt: topic, path: pointerTo(property) };
}
