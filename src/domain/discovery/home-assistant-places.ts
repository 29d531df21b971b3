import { isOneOf, plainValue } from "../plain-value.ts";
import type { DiscoveredSensor } from "./home-assistant-message.ts";

/** In an option of the configuration. */
const VALUES_MAX = 16;

/**
 * The sensors without those that repeat an earlier one: with the same topic and path, and a value that opens both. Several
 * sensors may share a topic and path, each with its own value, such as the codes of wireless sensors.
 */
export function withoutRepeated(sensors: readonly DiscoveredSensor[]): DiscoveredSensor[] {
  const taken = new Set<string>();
  return sensors.filter(({ topic, path, bits, open }) => {
    const keys = open.map((value) => JSON.stringify([topic, path, bits, plainValue(value)]));
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}

/**
 * The sensors with all device triggers of one device at one place as one button, after the others: an event of the same button
 * says more.
 */
export function withTriggersJoined(sensors: readonly DiscoveredSensor[]): DiscoveredSensor[] {
  const joined = new Map<string, DiscoveredSensor>();
  for (const sensor of sensors) {
    if (sensor.entity !== "trigger") continue;
    const key = JSON.stringify([sensor.device, sensor.topic, sensor.path]);
    const known = joined.get(key) ?? sensor;
    const added = sensor.open.filter((value) => !isOneOf(known.open, value));
    const [first, ...others] = known.open;
    joined.set(key, {
      ...known,
      name: known.name === sensor.name ? known.name : (known.deviceName ?? known.name),
      open: [first, ...[...others, ...added].slice(0, VALUES_MAX - 1)],
    });
  }
  return [...sensors.filter(({ entity }) => entity !== "trigger"), ...joined.values()];
}
