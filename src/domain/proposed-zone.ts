import type { Availability, Battery, MqttInput, Tamper } from "../generated/types.ts";
import type { DiscoveredAvailability, DiscoveredSensor } from "./discovered-sensor.ts";
import type { Zone, ZoneKind } from "./zone.ts";

/** A proposed zone for the configuration; the objective is left to the user. */
export interface ProposedZone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly input: MqttInput;
  readonly tamper?: Tamper;
  readonly battery?: Battery;
  readonly availability?: Availability;
  readonly bridge?: Availability;
  readonly autoRestoreS?: number;
  /** Points for the user to check. */
  readonly doubts: readonly string[];
}

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
  safety: "panic",
  carbon_monoxide: "gas",
  gas: "gas",
  moisture: "flood",
  problem: "technical",
  power: "technical",
  cold: "technical",
};

/** Low battery threshold for sensors that report a percentage; the usual value of vendors. */
const BATTERY_BELOW_PERCENT = 15;

/** Proposes zones for discovered sensors that are not configured yet. */
export function proposedZones(sensors: readonly DiscoveredSensor[], known: readonly Zone[]): ProposedZone[] {
  const usedIds = new Set(known.map(({ id }) => id));
  const devicesOf = (topic: string): number =>
    new Set(
      sensors
        .filter(({ availability }) => availability.some((one) => one.topic === topic))
        .map(({ device }) => device),
    ).size;
  const isFirst = (sensor: DiscoveredSensor): boolean =>
    sensor === sensors.find(({ topic, path }) => topic === sensor.topic && path === sensor.path);
  return sensors.filter(isFirst).flatMap((sensor) => {
    const kind = kindOf(sensor);
    if (kind === undefined || known.some((zone) => isReadBy(sensor, zone))) return [];
    const ownDevice = sensors.filter(({ device }) => device === sensor.device);
    // An availability topic shared by several devices is their bridge's; with one device it is recognised by its name.
    const isBridge = ({ topic }: DiscoveredAvailability): boolean =>
      isBridgeTopic(topic) || devicesOf(topic) > 1;
    const bridge = sensor.availability.find(isBridge);
    const ownAvailability = sensor.availability.find((one) => !isBridge(one));
    const { offDelayS, template } = sensor;
    return [
      {
        id: uniqueId(sensor, usedIds),
        name: nameOf(sensor),
        kind,
        input: {
          mqtt: sensor.topic,
          ...pathPart(sensor.path),
          open: [sensor.open],
          ...(offDelayS === undefined ? { normal: [sensor.normal] as [typeof sensor.normal] } : {}),
        },
        ...tamperOf(ownDevice, sensor.topic),
        ...batteryOf(ownDevice, sensor.topic),
        ...(ownAvailability && { availability: availabilityOf(ownAvailability) }),
        ...(bridge && { bridge: availabilityOf(bridge) }),
        ...(offDelayS === undefined ? {} : { autoRestoreS: Math.max(1, Math.ceil(offDelayS)) }),
        doubts: [
          ...(template === undefined ? [] : [`the value is computed (${template}): set the path to it`]),
          ...(sensor.deviceClass === undefined ? ["the device does not report its device class"] : []),
        ],
      },
    ];
  });
}

function kindOf({ deviceClass, isMeasurement }: DiscoveredSensor): ZoneKind | undefined {
  if (isMeasurement) return undefined;
  if (deviceClass === undefined) return "intrusion";
  return Object.hasOwn(KIND_OF_CLASS, deviceClass) ? KIND_OF_CLASS[deviceClass] : undefined;
}

function isReadBy({ topic, path }: DiscoveredSensor, { input }: Zone): boolean {
  return input.source === "mqtt" && input.mqtt === topic && input.path === path;
}

/** Topics below `bridge` (zigbee2mqtt) or `interface` (Paradox, Satel) belong to the bridge. */
function isBridgeTopic(topic: string): boolean {
  return topic
    .split("/")
    .slice(1)
    .some((level) => level === "bridge" || level === "interface");
}

function tamperOf(ownDevice: readonly DiscoveredSensor[], topic: string): { tamper?: Tamper } {
  const sensor = ownDevice.find((one) => one.deviceClass === "tamper" && !one.isMeasurement);
  if (!sensor) return {};
  return { tamper: { ...topicPart(sensor.topic, topic), ...pathPart(sensor.path), open: [sensor.open] } };
}

function batteryOf(ownDevice: readonly DiscoveredSensor[], topic: string): { battery?: Battery } {
  const batteries = ownDevice.filter(({ deviceClass }) => deviceClass === "battery");
  // The device's own low-battery state is more reliable than a threshold.
  const sensor = batteries.find(({ isMeasurement }) => !isMeasurement) ?? batteries[0];
  if (!sensor) return {};
  const value: Battery = sensor.isMeasurement ? { below: BATTERY_BELOW_PERCENT } : { low: [sensor.open] };
  return { battery: { ...topicPart(sensor.topic, topic), ...pathPart(sensor.path), ...value } };
}

function availabilityOf({ topic, path, up, down }: DiscoveredAvailability): Availability {
  const isUsual = up === "online" && down === "offline";
  return { mqtt: topic, ...pathPart(path), ...(isUsual ? {} : { up: [up], down: [down] }) };
}

function topicPart(topic: string, inputTopic: string): { mqtt?: string } {
  return topic === inputTopic ? {} : { mqtt: topic };
}

function pathPart(path: string | undefined): { path?: string } {
  return path === undefined ? {} : { path };
}

/** A name that the configuration accepts: at most 100 visible characters. */
function nameOf({ name }: DiscoveredSensor): string {
  const visible = name.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  return [...visible].slice(0, 100).join("") || "?";
}

/** A short unique id from the sensor's name. */
function uniqueId({ name }: DiscoveredSensor, usedIds: Set<string>): string {
  const plain = name.normalize("NFD").toLowerCase().replaceAll(/\p{M}/gu, "");
  const words = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
  const base = words.slice(0, 56) || "zone";
  let id = base;
  for (let next = 2; usedIds.has(id); next += 1) id = `${base}-${next}`;
  usedIds.add(id);
  return id;
}
