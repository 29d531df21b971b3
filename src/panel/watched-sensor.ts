import { isStale, walkTest, zones } from "./live-updates.ts";
import { configuredZones, inputOf, zonesOf, type InputText } from "./zone-draft.ts";

/**
 * Whether an opening of the sensor is dispatched now: a zone watches it, and neither a walk test nor a bypass suppresses its trips.
 * @param id of the zone in the form, if it is configured; undefined for a new one, whose sensor may be that of another zone
 */
export function isDispatchedNow(input: InputText, id: string | undefined): boolean {
  // Without the daemon, a walk test or a bypass may have ended.
  const isCurrent = !isStale.value;
  if (isCurrent && walkTest.value?.running === true) return false;
  const configured = configuredZones.value ? zonesOf(configuredZones.value) : [];
  const watching = configured.filter((zone) => zone.id === id || isSameSensor(inputOf(zone), input));
  // A disabled zone is not among those that the daemon monitors.
  return zones.value.some(
    (zone) => !(isCurrent && zone.bypass) && watching.some((configuredZone) => configuredZone.id === zone.id),
  );
}

function isSameSensor(one: InputText, other: InputText): boolean {
  const key = one.gpio === undefined ? (one.mqtt === undefined ? "adc" : "mqtt") : "gpio";
  const within = { gpio: "chip", mqtt: "path", adc: "channel" }[key];
  return one[key] !== undefined && one[key] === other[key] && one[within] === other[within];
}
