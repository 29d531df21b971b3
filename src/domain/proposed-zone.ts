import type { Availability, Battery, MqttInput, Tamper } from "../generated/types.ts";
import type { DiscoveredAvailability, DiscoveredSensor } from "./discovered-sensor.ts";
import type { Zone, ZoneKind } from "./zone.ts";

/** A zone as it could stand in the configuration; what to attach it to is for a person to say. */
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
  /** What a person should look at. */
  readonly doubts: readonly string[];
}

/** What a binary sensor of each class watches for (Home Assistant's device classes); others are no zone. */
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

/** Battery sensors that report a percentage are low below this; the usual mark of their makers. */
const BATTERY_BELOW_PERCENT = 15;

/** Zones for the sensors that have announced themselves, without those that the configuration has already. */
export function proposedZones(sensors: readonly DiscoveredSensor[], known: readonly Zone[]): ProposedZone[] {
  const taken = new Set(known.map(({ id }) => id));
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
    // What several devices share is their bridge; of a first device it is known by its name.
    const isBridge = ({ topic }: DiscoveredAvailability): boolean =>
      isBridgeTopic(topic) || devicesOf(topic) > 1;
    const bridge = sensor.availability.find(isBridge);
    const own = sensor.availability.find((one) => !isBridge(one));
    const { offDelayS, template } = sensor;
    return [
      {
        id: freeId(sensor, taken),
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
        ...(own && { availability: availabilityOf(own) }),
        ...(bridge && { bridge: availabilityOf(bridge) }),
        ...(offDelayS === undefined ? {} : { autoRestoreS: Math.max(1, Math.ceil(offDelayS)) }),
        doubts: [
          ...(template === undefined ? [] : [`the value is computed (${template}): write the path to it`]),
          ...(sensor.deviceClass === undefined ? ["the device does not say what it watches for"] : []),
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

/** Topics below `bridge` (zigbee2mqtt) or `interface` (Paradox, Satel) are about the bridge and never about a sensor. */
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
  // The device's own word on what is low is better than a number of ours.
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

/** A name as the configuration takes it: 100 characters at most, none of them invisible. */
function nameOf({ name }: DiscoveredSensor): string {
  const visible = name.replaceAll(/[\p{Cc}\p{Cs}]/gu, " ").trim();
  return [...visible].slice(0, 100).join("") || "?";
}

/** A short id out of the sensor's name, which nobody else has. */
function freeId({ name }: DiscoveredSensor, taken: Set<string>): string {
  const plain = name.normalize("NFD").toLowerCase().replaceAll(/\p{M}/gu, "");
  const words = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-+|-+$/g, "");
  const base = words.slice(0, 56) || "zone";
  let id = base;
  for (let next = 2; taken.has(id); next += 1) id = `${base}-${next}`;
  taken.add(id);
  return id;
}
