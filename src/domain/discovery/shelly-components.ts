import type { Availability, Battery, MqttInput } from "../../generated/types.ts";
import type { Proposal } from "./device.ts";
import type { Doubt } from "./doubt.ts";
import { kindOfName } from "./name-hints.ts";
import { bluetoothProposals } from "./shelly-bluetooth.ts";
import {
  EVENT_PATH,
  eventPlaceOf,
  eventsOf,
  componentState,
  componentStatus,
  type ShellyParts,
} from "./shelly-places.ts";
import { fieldOf, textOf, type Fields } from "./values.ts";

const BATTERY_BELOW_PERCENT = 15;
const BUTTON_RESTORE_S = 30;
/** The zones that the components of a device could be. */
export function proposalsFor(parts: ShellyParts): Proposal[] {
  const isSleeping = isOnBattery(parts);
  // A device with a battery sends its whole state whenever it wakes up, and those for smoke and water have one.
  const isRepeated = isSleeping || [...parts.components.keys()].some((key) => /^(?:smoke|flood):/.test(key));
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
    doubts: [
      ...proposal.doubts,
      ...(isReported(proposal, parts) ? [] : [SILENT]),
      ...(isRepeated || !isLevelInEvents(proposal, parts) ? [] : [MISSED]),
    ],
  }));
}

const SILENT: Doubt = { code: "notifications-off", values: { option: "RPC status notifications over MQTT" } };

const MISSED: Doubt = { code: "missed-on-events", values: { option: "Generic status update over MQTT" } };

/** Whether the common topic has the changes of a state, which it does not repeat after an interruption. */
function isLevelInEvents({ input }: Proposal, parts: ShellyParts): boolean {
  return input.normal !== undefined && input.mqtt === eventsOf(parts) && input.path !== EVENT_PATH;
}

/** Events are on the common topic only. */
function isReported({ input }: Proposal, parts: ShellyParts): boolean {
  return parts.hasNotifications || input.mqtt !== eventsOf(parts);
}

type Contact = Pick<Proposal, "kind" | "input" | "autoRestoreS" | "doubts">;

function contactOf(key: string, config: Fields, status: Fields, parts: ShellyParts): Contact | undefined {
  const [type] = key.split(":");
  // An input or zone that is switched off reports nothing.
  if (config["enable"] === false) return undefined;
  if (type === "input") return inputOf(key, config, status, parts);
  if (type === "smoke" || type === "flood") {
    const kind = type === "smoke" ? "fire" : "flood";
    const doubts: Doubt[] = config["alarm_mode"] === "rain" ? [{ code: "rain" }] : [];
    return { kind, input: componentState(key, "alarm", parts), doubts };
  }
  if (type !== "presencezone") return undefined;
  const field = ["value", "state"].find((name) => typeof status[name] === "boolean") ?? "value";
  return { kind: "motion", input: componentState(key, field, parts), doubts: [] };
}

function inputOf(key: string, config: Fields, status: Fields, parts: ShellyParts): Contact | undefined {
  const type = textOf(config["type"]) ?? (typeof status["state"] === "boolean" ? "switch" : "button");
  const kind = kindOfName(textOf(config["name"]) ?? parts.name);
  const guessed: Doubt[] = kind === undefined ? [{ code: "kind-guessed" }] : [];
  if (type === "switch") {
    // A closed loop is true, so that a cut wire trips.
    const input = {
      ...componentState(key, "state", parts),
      open: [false],
      normal: [true],
    } satisfies MqttInput;
    return { kind: kind ?? "intrusion", input, doubts: [{ code: "check-contact" }, ...guessed] };
  }
  if (type !== "button") return undefined;
  return {
    kind: kind ?? "panic",
    input: { ...eventPlaceOf([key], parts), open: ["btn_down"], normal: ["btn_up"] },
    autoRestoreS: BUTTON_RESTORE_S,
    doubts: guessed,
  };
}

function isOnBattery({ components }: ShellyParts): boolean {
  const power = components.get("devicepower:0")?.status;
  return power !== undefined && fieldOf(power["external"], "present") !== true;
}

function levelOf(parts: ShellyParts): Battery {
  return { ...componentStatus("devicepower:0", ["battery", "percent"], parts), below: BATTERY_BELOW_PERCENT };
}
