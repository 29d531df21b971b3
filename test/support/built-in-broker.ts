import { BuiltInBroker, type BuiltInBrokerOptions } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import type { MonitoredZones } from "./monitored-zones.ts";

/** The built-in broker for these zones on a free loopback port, not started. */
export function builtInBrokerOf(
  zones: MonitoredZones,
  more: Partial<BuiltInBrokerOptions> = {},
): BuiltInBroker {
  const { common } = zones;
  return new BuiltInBroker({
    ...common,
    host: "127.0.0.1",
    port: 0,
    zones: new MqttZones(common),
    ...more,
  });
}

/** Port of the last start. */
export function brokerPort(zones: MonitoredZones): number {
  return Number(zones.logged("mqtt-broker-listening").at(-1)?.["port"]);
}
