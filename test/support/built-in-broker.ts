import { BuiltInBroker, type BuiltInBrokerOptions } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import type { WatchedZones } from "./watched-zones.ts";

/** The built-in broker of these zones on a free port of the loopback, not started yet. */
export function builtInBrokerOf(
  zones: WatchedZones,
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

/** Where it has listened last. */
export function brokerPort(zones: WatchedZones): number {
  return Number(zones.logged("mqtt-broker-listening").at(-1)?.["port"]);
}
