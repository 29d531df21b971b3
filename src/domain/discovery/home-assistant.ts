import type { Availability, Battery, Tamper } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type Proposal,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { gateDoubts, gateOf } from "./home-assistant-gate.ts";
import { lowBatteryOf } from "./home-assistant-battery.ts";
import { byNearness, DeviceParts } from "./home-assistant-parts.ts";
import { kindDoubts, kindOf } from "./home-assistant-kinds.ts";
import {
  discoveredSensors,
  type DiscoveredAvailability,
  type DiscoveredSensor,
} from "./home-assistant-message.ts";

/** On means that there is mains power. */
const MAINS = "power";
const SUPERVISION_S = { min: 60, max: 604_800 } as const;
const AUTO_RESTORE_S_MAX = 3_600;

/**
 * Home Assistant's discovery, which ESPHome, ring-mqtt and many bridges publish: one entity in each message, or a device
 * with its components.
 */
export const homeAssistant: DiscoverySource = {
  name: "home-assistant",
  filters: ["homeassistant/#"],
  isAnnouncement: (topic) => topic.endsWith("/config"),
  devices: (messages, { prefix, own, onLeftOut = () => {} }) =>
    devicesOf(
      sensorsIn(messages, prefix, onLeftOut).filter(({ topic }) => !topic.startsWith(own)),
      onLeftOut,
    ),
};

/** With their batteries and covers, the sensors of more zones than a configuration can have. */
const SENSORS_MAX = 4_000;

function sensorsIn(messages: Messages, prefix: string, onLeftOut: OnLeftOut): DiscoveredSensor[] {
  const sensors: DiscoveredSensor[] = [];
  for (const { topic, json } of messages) {
    if (!topic.startsWith(`${prefix}/`)) continue;
    if (sensors.length >= SENSORS_MAX) {
      onLeftOut("devices", SENSORS_MAX);
      break;
    }
    sensors.push(...discoveredSensors(topic.slice(prefix.length + 1), json, onLeftOut));
  }
  return sensors;
}

/** The devices of the announced sensors, each with the zones that it could be. */
export function devicesOf(
  sensors: readonly DiscoveredSensor[],
  onLeftOut: OnLeftOut = () => {},
): DiscoveredDevice[] {
  const proposals = proposalsFor(sensors);
  return devicesUpToLimit(
    sensorsByDevice(sensors),
    ([id, own]) => {
      const [first] = own;
      const device = {
        id,
        source: "home-assistant" as const,
        name: first?.deviceName ?? first?.name ?? id,
        model: first?.model,
        topics: [...new Set(own.map(({ topic }) => topic))],
        proposals: own.flatMap((sensor) => proposals.get(sensor) ?? []),
      };
      return [device];
    },
    onLeftOut,
  );
}

function sensorsByDevice(sensors: readonly DiscoveredSensor[]): Map<string, DiscoveredSensor[]> {
  const found = new Map<string, DiscoveredSensor[]>();
  for (const sensor of sensors) {
    const own = found.get(sensor.device);
    if (own) own.push(sensor);
    else found.set(sensor.device, [sensor]);
  }
  return found;
}

function proposalsFor(sensors: readonly DiscoveredSensor[]): Map<DiscoveredSensor, Proposal> {
  const devicesAt = new Map<string, Set<string>>();
  const firstAt = new Map<string, DiscoveredSensor>();
  const ofDevice = sensorsByDevice(sensors);
  for (const sensor of sensors) {
    const { device, topic, path, availability } = sensor;
    for (const one of availability)
      devicesAt.set(one.topic, (devicesAt.get(one.topic) ?? new Set()).add(device));
    if (!firstAt.has(`${topic} ${path}`)) firstAt.set(`${topic} ${path}`, sensor);
  }
  const contactsIn = new Map<string, number>();
  for (const sensor of firstAt.values())
    if (kindOf(sensor) !== undefined && (sensor.entity === "sensor" || sensor.entity === "cover"))
      contactsIn.set(sensor.device, (contactsIn.get(sensor.device) ?? 0) + 1);
  // An availability topic shared by several devices is their bridge's; with one device it is recognised by its name.
  const isBridge = ({ topic }: DiscoveredAvailability): boolean =>
    isBridgeTopic(topic) || (devicesAt.get(topic)?.size ?? 0) > 1;
  const partsOf = new Map(
    [...ofDevice].map(([device, own]) => [device, new DeviceParts(own, contactsIn.get(device) ?? 0)]),
  );
  const proposals = new Map<DiscoveredSensor, Proposal>();
  for (const sensor of firstAt.values()) {
    const ownDevice = ofDevice.get(sensor.device) ?? [];
    const parts = partsOf.get(sensor.device);
    const kind = kindOf(sensor) ?? tamperKind(sensor, ownDevice);
    if (kind === undefined) continue;
    const [ownAvailability, another] = byNearness(
      sensor.availability.filter((one) => !isBridge(one)),
      sensor,
    );
    const bridge = sensor.availability.find(isBridge) ?? another;
    const { offDelayS, expireAfterS, template } = sensor;
    const isMains = sensor.deviceClass === MAINS && sensor.normal !== undefined;
    const open = isMains && sensor.normal ? sensor.normal : sensor.open;
    const normal = isMains ? sensor.open : sensor.normal;
    const gate = gateOf(sensor, kind, ownDevice);
    proposals.set(sensor, {
      name: sensor.name,
      kind,
      input: {
        mqtt: sensor.topic,
        ...pathPart(sensor.path),
        open: [...open],
        ...(offDelayS === undefined && normal ? { normal: [...normal] } : {}),
      },
      ...(kind === "tamper" ? {} : tamperPart(parts?.tamperOf(sensor), sensor.topic)),
      ...batteryPart(parts?.batteryOf(sensor), sensor.topic),
      ...(ownAvailability && { availability: availabilityOf(ownAvailability) }),
      ...(bridge && { bridge: availabilityOf(bridge) }),
      ...(gate && { gate }),
      ...(offDelayS === undefined
        ? {}
        : { autoRestoreS: Math.min(Math.ceil(offDelayS), AUTO_RESTORE_S_MAX) }),
      ...(expireAfterS === undefined ? {} : { supervisionTimeoutS: supervisionOf(expireAfterS) }),
      doubts: [
        ...(template === undefined ? [] : [{ code: "computed-value" as const, values: { template } }]),
        ...kindDoubts(sensor),
        ...gateDoubts(sensor, gate),
      ],
    });
  }
  return proposals;
}

function supervisionOf(expireAfterS: number): number {
  return Math.min(Math.max(Math.ceil(expireAfterS), SUPERVISION_S.min), SUPERVISION_S.max);
}

/** A cover's contact is a zone of its own if its device has no other. */
function tamperKind(sensor: DiscoveredSensor, ownDevice: readonly DiscoveredSensor[]): ZoneKind | undefined {
  const isAlone = ownDevice.every((one) => kindOf(one) === undefined);
  return sensor.deviceClass === "tamper" && !sensor.isMeasurement && isAlone ? "tamper" : undefined;
}

/** Topics below `bridge` (zigbee2mqtt) or `interface` (Paradox, Satel) belong to the bridge. */
function isBridgeTopic(topic: string): boolean {
  return topic
    .split("/")
    .slice(1)
    .some((level) => level === "bridge" || level === "interface");
}

function tamperPart(sensor: DiscoveredSensor | undefined, topic: string): { tamper?: Tamper } {
  if (!sensor) return {};
  return { tamper: { ...topicPart(sensor.topic, topic), ...pathPart(sensor.path), open: [...sensor.open] } };
}

function batteryPart(sensor: DiscoveredSensor | undefined, topic: string): { battery?: Battery } {
  const low = sensor && lowBatteryOf(sensor);
  return low ? { battery: { ...topicPart(sensor.topic, topic), ...pathPart(sensor.path), ...low } } : {};
}

function availabilityOf({ topic, path, up, down }: DiscoveredAvailability): Availability {
  const isUsual = up.join() === "online" && down.join() === "offline";
  return { mqtt: topic, ...pathPart(path), ...(isUsual ? {} : { up: [...up], down: [...down] }) };
}

function topicPart(topic: string, inputTopic: string): { mqtt?: string } {
  return topic === inputTopic ? {} : { mqtt: topic };
}

function pathPart(path: string | undefined): { path?: string } {
  return path === undefined ? {} : { path };
}
