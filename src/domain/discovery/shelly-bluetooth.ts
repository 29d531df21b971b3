import type { Availability, Battery, Tamper } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import type { Proposal } from "./device.ts";
import { PRESSED_WITHIN_S, WEEKLY } from "./presses.ts";
import { eventPlaceOf, componentState, componentStatus, type ShellyParts } from "./shelly-places.ts";
import { fieldOf, textOf, type Fields } from "./values.ts";

const BATTERY_BELOW_PERCENT = 15;
const BUTTON_RESTORE_S = 30;
/** Objects of a Bluetooth sensor (https://bthome.io/format) that are contacts. */
const KIND_OF_OBJECT: Readonly<Record<number, ZoneKind>> = {
  0x11: "intrusion",
  0x1a: "intrusion",
  0x1b: "intrusion",
  0x1f: "intrusion",
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
  0x2a: "glass",
  0x2c: "glass",
};
const BATTERY_LEVEL = 0x01;
const BATTERY_LOW = 0x15;
const TAMPER = 0x2b;
const BUTTON = 0x3a;
/** Makers' codes of devices that are buttons; others have a button beside their sensor. */
const BUTTON_NAME = /^SB(BT|RC)-/i;
const PRESSES = [
  "single_push",
  "double_push",
  "triple_push",
  "long_push",
  "long_double_push",
  "long_triple_push",
] as const;

/** A component with its configuration. */
interface BluetoothObject {
  readonly key: string;
  readonly id: number;
  readonly config: Fields;
}

/** One Bluetooth device behind this gateway. */
interface BluetoothDevice {
  /** Its own, whichever gateway receives it. */
  readonly address: string;
  readonly name: string;
  readonly objects: readonly BluetoothObject[];
  /** Key of its own component; undefined for one that has only objects. */
  readonly key: string | undefined;
  readonly config: Fields;
  readonly status: Fields;
}

/** The zones of the Bluetooth devices behind a gateway. */
export function bluetoothProposals(parts: ShellyParts, gateway: Availability): Proposal[] {
  return bluetoothDevices(parts).flatMap((device) => {
    const { address, name, objects } = device;
    const status = { ...tamperOf(objects, parts), ...batteryOf(device, parts) };
    const contacts = objects.flatMap(({ key, id, config }) => {
      const kind = KIND_OF_OBJECT[id];
      return kind === undefined ? [] : [{ key, kind, label: textOf(config["name"]) }];
    });
    const own = contacts.map(({ key, kind, label }) => ({
      name: label ?? (contacts.length > 1 ? `${name} ${key}` : name),
      kind,
      input: componentState(key, "value", parts),
      doubts: [],
    }));
    const proposals = own.length > 0 ? own : buttonOf(device, parts);
    const isSupervised = own.length === 0 && status.battery !== undefined;
    return proposals.map(({ doubts, ...proposal }) => ({
      ...proposal,
      ...status,
      ...(isSupervised ? { supervisionTimeoutS: PRESSED_WITHIN_S } : {}),
      bridge: gateway,
      // Two gateways may have it with different names, and their zones are one detector.
      device: `BLU ${address.toLowerCase()}`,
      doubts: [...doubts, ...(isSupervised ? [WEEKLY] : [])],
    }));
  });
}

function bluetoothDevices({ components }: ShellyParts): BluetoothDevice[] {
  const objects = new Map<string, BluetoothObject[]>();
  const own = new Map<string, Pick<BluetoothDevice, "key" | "config" | "status">>();
  for (const [key, { config, status }] of components) {
    const address = textOf(config["addr"]);
    if (address === undefined) continue;
    const id = config["obj_id"];
    if (key.startsWith("bthomedevice:")) own.set(address, { key, config, status });
    else if (key.startsWith("bthomesensor:") && typeof id === "number")
      objects.set(address, [...(objects.get(address) ?? []), { key, id, config }]);
  }
  return [...new Set([...objects.keys(), ...own.keys()])].map((address) => {
    const { key, config = {}, status = {} } = own.get(address) ?? { key: undefined };
    const name = textOf(config["name"]) ?? `BLU ${address}`;
    return { address, name, objects: objects.get(address) ?? [], key, config, status };
  });
}

/**
 * Since firmware 1.6 a button has no object of its own, and its device reports the presses. It is known by the maker's code, or by
 * a press.
 */
function buttonOf(
  { name, objects, key, config }: BluetoothDevice,
  parts: ShellyParts,
): Pick<Proposal, "name" | "kind" | "input" | "autoRestoreS" | "doubts">[] {
  const buttons = objects.filter(({ id }) => id === BUTTON).map((object) => object.key);
  const code = textOf(fieldOf(fieldOf(config["meta"], "ui"), "local_name"));
  const isButton = buttons.length > 0 || (code !== undefined && BUTTON_NAME.test(code));
  const keys = [...(key === undefined ? [] : [key]), ...buttons].slice(0, 16);
  const [first, ...others] = keys;
  if (first === undefined || !(isButton || keys.some((one) => parts.pressed.has(one)))) return [];
  return [
    {
      name,
      kind: "panic",
      input: { ...eventPlaceOf([first, ...others], parts), open: [...PRESSES] },
      autoRestoreS: BUTTON_RESTORE_S,
      doubts: [{ code: "kind-guessed" }, { code: "button-restores-itself" }],
    },
  ];
}

function tamperOf(objects: readonly BluetoothObject[], parts: ShellyParts): { tamper?: Tamper } {
  const sensor = objects.find(({ id }) => id === TAMPER);
  return sensor ? { tamper: { ...componentStatus(sensor.key, ["value"], parts), open: [true] } } : {};
}

function batteryOf({ objects, key, status }: BluetoothDevice, parts: ShellyParts): { battery?: Battery } {
  const low = objects.find(({ id }) => id === BATTERY_LOW);
  if (low) return { battery: { ...componentStatus(low.key, ["value"], parts), low: [true] } };
  const level = objects.find(({ id }) => id === BATTERY_LEVEL)?.key;
  if (level !== undefined)
    return { battery: { ...componentStatus(level, ["value"], parts), below: BATTERY_BELOW_PERCENT } };
  if (key === undefined || typeof status["battery"] !== "number") return {};
  return { battery: { ...componentStatus(key, ["battery"], parts), below: BATTERY_BELOW_PERCENT } };
}
