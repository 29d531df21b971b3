import type { Availability, Battery, MessageCondition, MqttInput, Tamper } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import type { Proposal } from "./device.ts";
import type { Doubt } from "./doubt.ts";
import { kindOfName } from "./name-hints.ts";
import { fieldOf, pointerTo, textOf, type Fields } from "./values.ts";

/** A device of the second generation or later, as far as its zones depend on it. */
export interface ShellyParts {
  /** Prefix of its topics. */
  readonly address: string;
  readonly name: string;
  /** By key, such as `input:0`. */
  readonly components: ReadonlyMap<string, { readonly config: Fields; readonly status: Fields }>;
  /** Whether each component has a topic of its own. */
  readonly hasStatusTopics: boolean;
  /** Whether changes of all components are on one topic. */
  readonly hasNotifications: boolean;
}

const BATTERY_BELOW_PERCENT = 15;
const BUTTON_RESTORE_S = 30;
/** Objects of a Bluetooth sensor (https://bthome.io/format) that are contacts. */
const KIND_OF_OBJECT: Readonly<Record<number, ZoneKind>> = {
  0x11: "intrusion",
  0x1a: "intrusion",
  0x1b: "intrusion",
  0x2d: "intrusion",
  0x20: "flood",
  0x21: "motion",
  0x22: "motion",
  0x23: "motion",
  0x25: "motion",
  0x17: "gas",
  0x1c: "gas",
  0x1d: "fire",
  0x29: "fire",
  0x28: "panic",
  0x2a: "glass",
  0x2c: "glass",
};
const BATTERY_LEVEL = 0x01;
const BATTERY_LOW = 0x15;
const TAMPER = 0x2b;

/** The zones that the components of a device could be. */
export function proposalsFor(parts: ShellyParts): Proposal[] {
  const isSleeping = isOnBattery(parts);
  const online: Availability = {
    mqtt: `${parts.address}/online`,
    up: [true],
    // A sleeping device is offline most of the time.
    down: isSleeping ? [] : [false],
  };
  const own = [...parts.components].flatMap(([key, { config, status }]) => {
    const found = contactOf(key, config, status, parts);
    if (!found) return [];
    const label = textOf(config["name"]);
    const name = label === undefined ? `${parts.name} ${key.replace(":", " ")}` : `${parts.name} ${label}`;
    const battery = isSleeping ? { battery: levelOf(parts) } : {};
    return [{ ...found, name, ...battery, availability: online, device: parts.name }];
  });
  return [...own, ...bluetoothProposals(parts, online)].map((proposal) => ({
    ...proposal,
    doubts: [...proposal.doubts, ...(isReported(parts) ? [] : [SILENT])],
  }));
}

const SILENT: Doubt = { code: "notifications-off", values: { option: "RPC status notifications over MQTT" } };

function isReported({ hasStatusTopics, hasNotifications }: ShellyParts): boolean {
  return hasStatusTopics || hasNotifications;
}

type Contact = Pick<Proposal, "kind" | "input" | "autoRestoreS" | "doubts">;

function contactOf(key: string, config: Fields, status: Fields, parts: ShellyParts): Contact | undefined {
  const [type] = key.split(":");
  if (type === "input") return inputOf(key, config, status, parts);
  if (type === "smoke" || type === "flood") {
    const kind = type === "smoke" ? "fire" : "flood";
    return { kind, input: stateOf(key, "alarm", parts), doubts: [] };
  }
  const field = ["value", "state"].find((name) => typeof status[name] === "boolean");
  if (type === "presencezone" && field !== undefined)
    return { kind: "motion", input: stateOf(key, field, parts), doubts: [] };
  return undefined;
}

function inputOf(key: string, config: Fields, status: Fields, parts: ShellyParts): Contact | undefined {
  const type = textOf(config["type"]) ?? (typeof status["state"] === "boolean" ? "switch" : "button");
  const kind = kindOfName(textOf(config["name"]) ?? parts.name);
  const guessed: Doubt[] = kind === undefined ? [{ code: "kind-guessed" }] : [];
  if (type === "switch") {
    // A closed loop is true, so that a cut wire trips.
    const input = { ...stateOf(key, "state", parts), open: [false], normal: [true] } satisfies MqttInput;
    return { kind: kind ?? "intrusion", input, doubts: [{ code: "check-contact" }, ...guessed] };
  }
  if (type !== "button") return undefined;
  return {
    kind: kind ?? "panic",
    input: {
      mqtt: `${parts.address}/events/rpc`,
      where: [{ path: "/params/events/component", in: [key] }],
      path: "/params/events/event",
      open: ["btn_down"],
      normal: ["btn_up"],
    },
    autoRestoreS: BUTTON_RESTORE_S,
    doubts: guessed,
  };
}

/** A value of a component that is true while it is open. */
function stateOf(key: string, field: string, parts: ShellyParts): MqttInput {
  return { ...placeOf(key, [field], parts), open: [true], normal: [false] };
}

interface Place {
  readonly mqtt: string;
  readonly path: string;
  readonly where?: [MessageCondition];
}

function placeOf(key: string, fields: readonly string[], { address, hasStatusTopics }: ShellyParts): Place {
  if (hasStatusTopics) return { mqtt: `${address}/status/${key}`, path: pointerTo(...fields) };
  const path = pointerTo("params", key, ...fields);
  // On the common topic a message about another component is no sign of life of this one.
  return { mqtt: `${address}/events/rpc`, where: [{ path, exists: true }], path };
}

function isOnBattery({ components }: ShellyParts): boolean {
  const power = components.get("devicepower:0")?.status;
  return power !== undefined && fieldOf(power["external"], "present") !== true;
}

function levelOf(parts: ShellyParts): Battery {
  return { ...placeOf("devicepower:0", ["battery", "percent"], parts), below: BATTERY_BELOW_PERCENT };
}

/** The objects of one Bluetooth sensor behind this gateway. */
interface BluetoothSensor {
  readonly address: string;
  readonly objects: readonly { readonly key: string; readonly id: number; readonly config: Fields }[];
}

function bluetoothProposals(parts: ShellyParts, gateway: Availability): Proposal[] {
  return bluetoothSensors(parts).flatMap(({ address, objects }) => {
    const named = [...parts.components].find(
      ([key, { config }]) => key.startsWith("bthomedevice:") && config["addr"] === address,
    );
    const device = textOf(named?.[1].config["name"]) ?? `BLU ${address}`;
    const level = named && typeof named[1].status["battery"] === "number" ? named[0] : undefined;
    const status = { ...tamperOf(objects, parts), ...batteryOf(objects, level, parts) };
    const contacts = objects.flatMap(({ key, id, config }) => {
      const kind = KIND_OF_OBJECT[id];
      return kind === undefined ? [] : [{ key, kind, label: textOf(config["name"]) }];
    });
    return contacts.map(({ key, kind, label }) => ({
      name: label ?? (contacts.length > 1 ? `${device} ${key}` : device),
      kind,
      input: stateOf(key, "value", parts),
      ...status,
      bridge: gateway,
      device,
      doubts: [],
    }));
  });
}

function bluetoothSensors({ components }: ShellyParts): BluetoothSensor[] {
  const objects = [...components].flatMap(([key, { config }]) => {
    const address = textOf(config["addr"]);
    const id = config["obj_id"];
    const isSensor = key.startsWith("bthomesensor:") && address !== undefined && typeof id === "number";
    return isSensor ? [{ key, id, config, address }] : [];
  });
  const addresses = [...new Set(objects.map(({ address }) => address))];
  return addresses.map((address) => ({ address, objects: objects.filter((one) => one.address === address) }));
}

function tamperOf(objects: BluetoothSensor["objects"], parts: ShellyParts): { tamper?: Tamper } {
  const sensor = objects.find(({ id }) => id === TAMPER);
  return sensor ? { tamper: { ...placeOf(sensor.key, ["value"], parts), open: [true] } } : {};
}

/** @param device key of the device with its level, if that is known */
function batteryOf(
  objects: BluetoothSensor["objects"],
  device: string | undefined,
  parts: ShellyParts,
): { battery?: Battery } {
  const low = objects.find(({ id }) => id === BATTERY_LOW);
  if (low) return { battery: { ...placeOf(low.key, ["value"], parts), low: [true] } };
  const level = objects.find(({ id }) => id === BATTERY_LEVEL)?.key;
  const place =
    level === undefined
      ? device === undefined
        ? undefined
        : placeOf(device, ["battery"], parts)
      : placeOf(level, ["value"], parts);
  return place ? { battery: { ...place, below: BATTERY_BELOW_PERCENT } } : {};
}
