import { hasWildcard } from "./topic-filter.ts";
import type { Zone } from "./zone.ts";

/* The device list of a zigbee2mqtt: `<base>/bridge/devices`, retained, has all devices of its network. */

/** A device as its bridge lists it. */
export interface ListedDevice {
  /** The address of its radio, which stays the same under another name. */
  readonly address: string;
  /** Its messages are on the topic `<base>/<name>`, or below. */
  readonly name: string;
}

/** Where a zone's sensor would be listed. */
export interface DevicePlace {
  /** Topic of the list. */
  readonly list: string;
  /** Topic before the name of the device, with its slash. */
  readonly base: string;
  /** The name of the device, possibly with the name of a value behind it. */
  readonly name: string;
  /** Whether the zone names the bridge, so that nothing else publishes its topic. */
  readonly isOfBridge: boolean;
}

/** The list of a network with 200 devices has about 1 MiB. */
export const DEVICE_LIST_BYTES_MAX = 2 * 1024 * 1024;
const LIST = "bridge/devices";
const STATE = "bridge/state";

/** Whether a topic is one of a device list. */
export function isDeviceList(topic: string): boolean {
  return topic.endsWith(`/${LIST}`);
}

/**
 * Where the sensor of a zone would be listed; undefined for a zone of several topics, and for one whose bridge is of another make.
 * Without a bridge the first level of its topic is taken for the base.
 */
export function devicePlaceOf({ input, statusSources }: Zone): DevicePlace | undefined {
  if (input.source !== "mqtt" || hasWildcard(input.mqtt)) return undefined;
  const bridge = statusSources.bridge?.mqtt;
  if (bridge !== undefined && !bridge.endsWith(`/${STATE}`)) return undefined;
  const base = bridge?.slice(0, -STATE.length) ?? input.mqtt.slice(0, input.mqtt.indexOf("/") + 1);
  const name = input.mqtt.slice(base.length);
  if (base === "" || !input.mqtt.startsWith(base) || name === "" || name.startsWith("bridge/"))
    return undefined;
  return { list: `${base}${LIST}`, base, name, isOfBridge: bridge !== undefined };
}

/** The devices of a complete list; undefined for anything else, such as an empty message. */
export function listedDevices(payload: Uint8Array): readonly ListedDevice[] | undefined {
  if (payload.byteLength > DEVICE_LIST_BYTES_MAX) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(Buffer.from(payload).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const devices = list.flatMap((entry: unknown) => {
    const { ieee_address: address, friendly_name: name = address } = (entry ?? {}) as Record<string, unknown>;
    return typeof address === "string" && typeof name === "string" ? [{ address, name }] : [];
  });
  return devices.length === list.length ? devices : undefined;
}

/** The device that publishes a topic: with the longest name, because one name may be the beginning of another. */
export function deviceNamed(name: string, devices: readonly ListedDevice[]): ListedDevice | undefined {
  return devices
    .filter((device) => name === device.name || name.startsWith(`${device.name}/`))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}
