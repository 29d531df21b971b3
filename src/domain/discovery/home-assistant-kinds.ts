import type { ZoneKind } from "../zone.ts";
import type { Doubt } from "./doubt.ts";
import type { DiscoveredSensor } from "./home-assistant-message.ts";
import { kindOfName } from "./name-hints.ts";

/** Zone type for each of Home Assistant's device classes of binary sensors; other classes are not zones. */
const KIND_OF_CLASS: Readonly<Record<string, ZoneKind>> = {
  door: "intrusion",
  garage_door: "intrusion",
  window: "intrusion",
  opening: "intrusion",
  lock: "intrusion",
  vibration: "glass",
  sound: "glass",
  motion: "motion",
  moving: "motion",
  occupancy: "motion",
  presence: "motion",
  smoke: "fire",
  heat: "fire",
  carbon_monoxide: "gas",
  gas: "gas",
  moisture: "flood",
  problem: "technical",
  cold: "technical",
  power: "power",
};
/** The same for events; a bell at the door calls for no crew. */
const KIND_OF_EVENT: Readonly<Record<string, ZoneKind>> = { button: "panic", motion: "motion" };
/** Covers that are doors; others are blinds and shutters. */
const KIND_OF_COVER: Readonly<Record<string, ZoneKind>> = {
  door: "intrusion",
  garage: "intrusion",
  gate: "perimeter",
  window: "intrusion",
};
/** On means that something or someone is there. */
const PRESENT = "presence";
/** On means that something is not safe; only its name may say what. */
const UNSAFE = "safety";

/** The zone type of an entity; undefined if it is no zone. */
export function kindOf(sensor: DiscoveredSensor): ZoneKind | undefined {
  const { entity, deviceClass, isMeasurement, isAuxiliary, name } = sensor;
  if (isMeasurement) return undefined;
  if (entity === "alarm-panel") return "intrusion";
  if (entity === "event")
    return isAuxiliary ? undefined : kindOfClass(deviceClass ?? "button", KIND_OF_EVENT);
  if (entity === "trigger") return "panic";
  if (entity === "cover") return kindOfClass(deviceClass ?? "", KIND_OF_COVER);
  if (deviceClass === undefined) return isAuxiliary ? undefined : (kindOfName(name) ?? "intrusion");
  if (deviceClass === UNSAFE) return kindOfName(name) ?? "panic";
  return kindOfClass(deviceClass, KIND_OF_CLASS);
}

/** Whether a sensor reports movements; what is only present may also be a phone or a key fob. */
export function isOfMovement({ deviceClass }: DiscoveredSensor): boolean {
  return deviceClass !== undefined && deviceClass !== PRESENT && KIND_OF_CLASS[deviceClass] === "motion";
}

/** What to check about the zone type of an entity. @param hasMovement whether its device reports movements as well */
export function kindDoubts({ entity, deviceClass, name }: DiscoveredSensor, hasMovement: boolean): Doubt[] {
  if (entity === "alarm-panel") return [];
  if (entity === "trigger" || (entity === "event" && deviceClass !== "motion"))
    return [{ code: "kind-guessed" }, { code: "button-restores-itself" }];
  if (deviceClass === UNSAFE || (deviceClass === PRESENT && !hasMovement)) return [{ code: "kind-guessed" }];
  if (deviceClass !== undefined) return [];
  return [{ code: kindOfName(name) === undefined ? "no-device-class" : "kind-guessed" }];
}

function kindOfClass(deviceClass: string, kinds: Readonly<Record<string, ZoneKind>>): ZoneKind | undefined {
  return Object.hasOwn(kinds, deviceClass) ? kinds[deviceClass] : undefined;
}
