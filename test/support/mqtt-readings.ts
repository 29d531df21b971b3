import { MqttReadings, type MqttReadingsOptions } from "../../src/inputs/mqtt-readings.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { eventually } from "./eventually.ts";
import type { MonitoredZones } from "./monitored-zones.ts";

/** MQTT client id of the site. */
export const CLIENT_ID = "santinela-test";

/** MQTT readings of these zones from a broker, not started. */
export function readingsOf(
  zones: MonitoredZones,
  url: string,
  more: Partial<MqttReadingsOptions> = {},
): MqttReadings {
  const { common } = zones;
  return new MqttReadings({ ...common, url, clientId: CLIENT_ID, zones: new MqttZones(common), ...more });
}

/** Starts the readings. @returns them once the broker has confirmed their subscription */
export async function listening(zones: MonitoredZones, url: string): Promise<MqttReadings> {
  const before = zones.logged("mqtt-subscribed").length;
  const readings = readingsOf(zones, url);
  await readings.start();
  await eventually("the subscription", () => zones.logged("mqtt-subscribed").length > before);
  return readings;
}
