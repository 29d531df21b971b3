import type { Availability, Battery, Tamper } from "../../generated/types.ts";
import { CLASS_OF_KIND } from "../incident.ts";
import { hasWildcard } from "../topic-filter.ts";
import type { ZoneKind } from "../zone.ts";
import type { Proposal } from "./device.ts";
import type { Doubt } from "./doubt.ts";
import { lowBatteryOf } from "./home-assistant-battery.ts";
import type { TemplateValue } from "./home-assistant-condition.ts";
import { gateDoubts, gateOf } from "./home-assistant-gate.ts";
import { kindDoubts, kindOf } from "./home-assistant-kinds.ts";
import type { DiscoveredAvailability, DiscoveredSensor } from "./home-assistant-message.ts";
import { byNearness, type DeviceParts } from "./home-assistant-parts.ts";
import { PRESSED_WITHIN_S, WEEKLY } from "./presses.ts";

/** On means that there is mains power. */
const MAINS = "power";
const SUPERVISION_S = { min: 60, max: 604_800 } as const;
const AUTO_RESTORE_S_MAX = 3_600;

/** What the other announcements say about the device of a sensor. */
export interface SensorDevice {
  /** All its sensors. */
  readonly sensors: readonly DiscoveredSensor[];
  readonly parts: DeviceParts;
  /** What its zones have as their device; undefined if they are detectors of their own, or no device is announced. */
  readonly label: string | undefined;
  /** Whether its zones count as a device each, because they are those of an alarm panel. */
  readonly areDetectors: boolean;
  /** Whether any of its sensors reports movements. */
  readonly hasMovement: boolean;
  readonly isBridge: (availability: DiscoveredAvailability) => boolean;
}

/** The zone that a sensor could be. */
export function proposalFor(sensor: DiscoveredSensor, kind: ZoneKind, device: SensorDevice): Proposal {
  const { parts, label } = device;
  const { offDelayS, expireAfterS } = sensor;
  const isMains = sensor.deviceClass === MAINS && sensor.normal !== undefined;
  const open = isMains && sensor.normal ? sensor.normal : sensor.open;
  const normal = isMains ? sensor.open : sensor.normal;
  const gate = gateOf(sensor, kind, device.sensors);
  const tamper = kind === "tamper" ? undefined : parts.tamperOf(sensor);
  const { own, bridge, leftOut } = availabilitiesOf(sensor, device);
  const batterySensor = parts.batteryOf(sensor);
  const battery = batteryPart(batterySensor, sensor.topic);
  // Home Assistant has one state for each, whichever topic of its filter a message has.
  const isOneSensor = [sensor, tamper, batterySensor].some((one) => one && hasWildcard(one.topic));
  const isSupervised = battery.battery !== undefined && isPressed(sensor, kind) && expireAfterS === undefined;
  const timeoutS = isSupervised ? PRESSED_WITHIN_S : expireAfterS && supervisionOf(expireAfterS);
  return {
    name: sensor.name,
    kind,
    input: {
      mqtt: sensor.topic,
      ...placeOf(sensor),
      open: [...open],
      ...(offDelayS === undefined && normal ? { normal: [...normal] } : {}),
      ...(isOneSensor ? { oneSensor: true } : {}),
    },
    ...tamperPart(tamper, sensor.topic),
    ...battery,
    ...(own && { availability: availabilityOf(own) }),
    ...(bridge && { bridge: availabilityOf(bridge) }),
    ...(gate && { gate }),
    ...(offDelayS === undefined ? {} : { autoRestoreS: Math.min(Math.ceil(offDelayS), AUTO_RESTORE_S_MAX) }),
    ...(timeoutS === undefined ? {} : { supervisionTimeoutS: timeoutS }),
    ...(label === undefined ? {} : { device: label }),
    doubts: [
      ...valueDoubts(sensor),
      ...kindDoubts(sensor, device.hasMovement),
      ...gateDoubts(sensor, gate),
      ...(kind === "tamper" ? [] : tamperDoubts(tamper ?? parts.unreadTamperOf(sensor))),
      ...confirmationDoubts(kind, device),
      ...sharedCodeDoubts(sensor, device),
      ...(parts.hasTimedBattery && !battery.battery ? [{ code: "battery-left-out" } as const] : []),
      ...leftOutDoubts(leftOut),
      ...(isSupervised ? [WEEKLY] : []),
    ],
  };
}

/** Whether a button reports presses, and nothing between them. */
function isPressed({ entity }: DiscoveredSensor, kind: ZoneKind): boolean {
  return entity === "trigger" || (entity === "event" && kind === "panic");
}

function valueDoubts({ template, isEndless, open }: DiscoveredSensor): Doubt[] {
  if (template !== undefined) return [{ code: "computed-value", values: { template } }];
  return isEndless ? [{ code: "radio-code", values: { code: open.join(", ") } }] : [];
}

function tamperDoubts(tamper: DiscoveredSensor | undefined): Doubt[] {
  const { template } = tamper ?? {};
  return template === undefined ? [] : [{ code: "tamper-computed", values: { template } }];
}

/** Only a second burglary zone asks for more. */
function confirmationDoubts(kind: ZoneKind, { areDetectors }: SensorDevice): Doubt[] {
  return areDetectors && CLASS_OF_KIND[kind] === "burglary" ? [{ code: "zones-confirm" }] : [];
}

/** The codes of several transmitters on one topic may be those of one detector, or of one each. */
function sharedCodeDoubts(sensor: DiscoveredSensor, { sensors }: SensorDevice): Doubt[] {
  if (!isBurglaryCode(sensor)) return [];
  const isShared = sensors.some(
    (other) =>
      other !== sensor && other.topic === sensor.topic && other.path === sensor.path && isBurglaryCode(other),
  );
  return isShared ? [{ code: "codes-one-device" }] : [];
}

/** Whether a sensor only says that something has happened, such as a transmitter with its code. */
function isBurglaryCode(sensor: DiscoveredSensor): boolean {
  const kind = kindOf(sensor);
  const isCode = sensor.entity === "sensor" && sensor.offDelayS !== undefined;
  return isCode && kind !== undefined && CLASS_OF_KIND[kind] === "burglary";
}

function leftOutDoubts(availabilities: readonly DiscoveredAvailability[]): Doubt[] {
  if (availabilities.length === 0) return [];
  const topics = [...new Set(availabilities.map(({ topic }) => topic))].join(", ");
  return [{ code: "availability-left-out", values: { topics } }];
}

/** A zone reads its own availability, and that of one bridge. */
function availabilitiesOf(
  sensor: DiscoveredSensor,
  { isBridge }: SensorDevice,
): {
  own: DiscoveredAvailability | undefined;
  bridge: DiscoveredAvailability | undefined;
  leftOut: DiscoveredAvailability[];
} {
  const { availability } = sensor;
  const [own, another] = byNearness(
    availability.filter((one) => !isBridge(one)),
    sensor,
  );
  const bridge = availability.find(isBridge) ?? another;
  const leftOut = availability.filter(({ topic }) => topic !== own?.topic && topic !== bridge?.topic);
  return { own, bridge, leftOut };
}

function supervisionOf(expireAfterS: number): number {
  return Math.min(Math.max(Math.ceil(expireAfterS), SUPERVISION_S.min), SUPERVISION_S.max);
}

function tamperPart(sensor: DiscoveredSensor | undefined, topic: string): { tamper?: Tamper } {
  if (!sensor) return {};
  const normal = sensor.normal ? { normal: [...sensor.normal] } : {};
  return {
    tamper: { ...topicPart(sensor.topic, topic), ...placeOf(sensor), open: [...sensor.open], ...normal },
  };
}

function batteryPart(sensor: DiscoveredSensor | undefined, topic: string): { battery?: Battery } {
  const low = sensor && lowBatteryOf(sensor);
  return low ? { battery: { ...topicPart(sensor.topic, topic), ...placeOf(sensor), ...low } } : {};
}

function availabilityOf({ topic, path, up, down }: DiscoveredAvailability): Availability {
  const isUsual = up.join() === "online" && down.join() === "offline";
  return { mqtt: topic, ...placeOf({ path }), ...(isUsual ? {} : { up: [...up], down: [...down] }) };
}

function topicPart(topic: string, inputTopic: string): { mqtt?: string } {
  return topic === inputTopic ? {} : { mqtt: topic };
}

function placeOf({ path, bits }: TemplateValue): { path?: string; bits?: number } {
  return { ...(path === undefined ? {} : { path }), ...(bits === undefined ? {} : { bits }) };
}
