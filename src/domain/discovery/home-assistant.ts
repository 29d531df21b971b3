import type { ZoneKind } from "../zone.ts";
import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type Proposal,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { isOfMovement, kindOf } from "./home-assistant-kinds.ts";
import { DeviceParts, isTimed } from "./home-assistant-parts.ts";
import { withoutRepeated, withTriggersJoined } from "./home-assistant-places.ts";
import { proposalFor, type SensorDevice } from "./home-assistant-zones.ts";
import { configuredName } from "./proposed-zone.ts";
import { discoveredSensors, type DiscoveredSensor } from "./home-assistant-message.ts";

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
  const joined = withTriggersJoined(sensors);
  const proposals = proposalsFor(joined);
  return devicesUpToLimit(
    sensorsByDevice(joined),
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

/** The zones of the sensors: batteries and tampers are parts of others. */
function proposalsFor(sensors: readonly DiscoveredSensor[]): Map<DiscoveredSensor, Proposal> {
  const ofDevice = sensorsByDevice(sensors);
  const alone = new Set(
    [...ofDevice].flatMap(([id, own]) => (own.every((one) => kindOf(one) === undefined) ? [id] : [])),
  );
  // A cover's contact is a zone of its own if its device has no other, or if only time ends it.
  const kindIn = (sensor: DiscoveredSensor): ZoneKind | undefined =>
    kindOf(sensor) ??
    (isTamper(sensor) && (alone.has(sensor.device) || isTimedTamper(sensor)) ? "tamper" : undefined);
  const zones = withoutRepeated(sensors.filter((sensor) => kindIn(sensor) !== undefined));
  const devices = devicesWith(ofDevice, zones);
  const proposals = new Map<DiscoveredSensor, Proposal>();
  for (const sensor of zones) {
    const kind = kindIn(sensor);
    const device = devices.get(sensor.device);
    if (kind !== undefined && device) proposals.set(sensor, proposalFor(sensor, kind, device));
  }
  return proposals;
}

/** What is known of each device with its sensors. @param zones those that are zones */
function devicesWith(
  ofDevice: ReadonlyMap<string, readonly DiscoveredSensor[]>,
  zones: readonly DiscoveredSensor[],
): ReadonlyMap<string, SensorDevice> {
  const zonesOf = sensorsByDevice(zones);
  const isBridge = bridgesIn(ofDevice);
  const repeated = repeatedIn([...ofDevice.values()].map(([first]) => first?.deviceName));
  return new Map(
    [...ofDevice].map(([id, sensors]) => {
      const own = zonesOf.get(id) ?? [];
      const contacts = own.filter(
        (one) => (one.entity === "sensor" || one.entity === "cover") && !isTimedTamper(one),
      ).length;
      const parts = new DeviceParts(sensors, contacts);
      const isAlarmPanel = parts.areOfContacts || sensors.some(({ entity }) => entity === "alarm-panel");
      const [first] = sensors;
      const name = first?.deviceName;
      const label = name === undefined || repeated.has(name) ? [name ?? "", id].join(" ").trim() : name;
      const hasLabel = !isAlarmPanel && first?.hasDevice === true;
      return [
        id,
        {
          sensors,
          parts,
          hasMovement: sensors.some(isOfMovement),
          isBridge,
          label: hasLabel ? configuredName(label) : undefined,
          // Zones on one topic are one device anyway.
          areDetectors: isAlarmPanel && new Set(own.map(({ topic }) => topic)).size > 1,
        },
      ];
    }),
  );
}

function repeatedIn<Value>(values: readonly Value[]): ReadonlySet<Value> {
  const seen = new Set<Value>();
  return new Set(values.filter((value) => seen.size === seen.add(value).size));
}

/** An availability topic shared by several devices is their bridge's; with one device it is recognised by its name. */
function bridgesIn(ofDevice: ReadonlyMap<string, readonly DiscoveredSensor[]>): SensorDevice["isBridge"] {
  const devicesAt = new Map<string, Set<string>>();
  for (const [device, sensors] of ofDevice)
    for (const { topic } of sensors.flatMap(({ availability }) => availability))
      devicesAt.set(topic, (devicesAt.get(topic) ?? new Set()).add(device));
  return ({ topic }) => isBridgeTopic(topic) || (devicesAt.get(topic)?.size ?? 0) > 1;
}

function isTamper({ deviceClass, isMeasurement }: DiscoveredSensor): boolean {
  return deviceClass === "tamper" && !isMeasurement;
}

function isTimedTamper(sensor: DiscoveredSensor): boolean {
  return isTamper(sensor) && isTimed(sensor) && sensor.template === undefined;
}

/** Topics below `bridge` (zigbee2mqtt) or `interface` (Paradox, Satel) belong to the bridge. */
function isBridgeTopic(topic: string): boolean {
  return topic
    .split("/")
    .slice(1)
    .some((level) => level === "bridge" || level === "interface");
}
