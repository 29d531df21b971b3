import type { GateMqtt } from "../../generated/types.ts";
import { CLASS_OF_KIND } from "../incident.ts";
import type { ZoneKind } from "../zone.ts";
import type { Doubt } from "./doubt.ts";
import type { DiscoveredSensor } from "./home-assistant-message.ts";

/** The gate that follows an alarm panel; undefined for any other entity, and if its states are not certain. */
function gateFollowing({ topic, path, armed, normal }: DiscoveredSensor): GateMqtt | undefined {
  const disarmed = normal?.[0];
  if (!armed || disarmed === undefined) return undefined;
  return { mqtt: topic, ...(path === undefined ? {} : { path }), open: [...armed], normal: [disarmed] };
}

/**
 * The gate of a burglary sensor whose device has one alarm panel. With several partitions only a person knows which one the sensor
 * belongs to.
 */
export function gateOf(
  sensor: DiscoveredSensor,
  kind: ZoneKind,
  ownDevice: readonly DiscoveredSensor[],
): GateMqtt | undefined {
  const [panel, another] = ownDevice.filter(({ entity }) => entity === "alarm-panel");
  const isGated = sensor.entity !== "alarm-panel" && CLASS_OF_KIND[kind] === "burglary" && kind !== "tamper";
  return panel && !another && isGated ? gateFollowing(panel) : undefined;
}

/** What to check of an alarm panel's own zone, and of a zone with its gate. */
export function gateDoubts(sensor: DiscoveredSensor, gate: GateMqtt | undefined): Doubt[] {
  const own = gateFollowing(sensor);
  if (own) return [{ code: "gate-for-others", values: { gate: JSON.stringify(own) } }];
  return gate ? [{ code: "gate-of-panel", values: { topic: gate.mqtt } }] : [];
}
