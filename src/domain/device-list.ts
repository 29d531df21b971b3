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
/** A Zigbee network has a few hundred devices. */
const DEVICES_MAX = 2_000;
/** A topic with a longer name is not read. */
const NAME_LENGTH_MAX = 1_024;
/** zigbee2mqtt lists fewer than one value in 14 bytes. */
const VALUES_MAX = 150_000;
/** What stands before each value of a list or an object. */
const [BRACKET, BRACE, COMMA] = Buffer.from("[{,");
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

/** The devices of a complete list. */
export interface DeviceList {
  /** The device that publishes a topic: with the longest name, because one name may be the beginning of another. */
  readonly named: (name: string) => ListedDevice | undefined;
  readonly withAddress: (address: string) => ListedDevice | undefined;
}

/** @returns the devices of a complete list; undefined for anything else, such as an empty message */
export function listedDevices(payload: Uint8Array): DeviceList | undefined {
  if (payload.byteLength > DEVICE_LIST_BYTES_MAX || !hasFewValues(payload)) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(Buffer.from(payload).toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(list) || list.length > DEVICES_MAX) return undefined;
  const byName = new Map<string, ListedDevice>();
  const byAddress = new Map<string, ListedDevice>();
  for (const entry of list as readonly unknown[]) {
    const { ieee_address: address, friendly_name: name = address } = (entry ?? {}) as Record<string, unknown>;
    if (!isName(address) || !isName(name)) return undefined;
    // Of several with one name or address the first counts.
    if (!byName.has(name)) byName.set(name, { address, name });
    if (!byAddress.has(address)) byAddress.set(address, { address, name });
  }
  return {
    named: (name) => longestNamed(name, byName),
    withAddress: (address) => byAddress.get(address),
  };
}

function longestNamed(name: string, devices: ReadonlyMap<string, ListedDevice>): ListedDevice | undefined {
  for (let end = name.length; end > 0; end = name.lastIndexOf("/", end - 1)) {
    const device = devices.get(name.slice(0, end));
    if (device) return device;
  }
  return undefined;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= NAME_LENGTH_MAX;
}

/** Whether a payload has no more values than devices have in a list of this size: parsing takes time for each value. */
function hasFewValues(payload: Uint8Array): boolean {
  let values = 0;
  for (const byte of payload) if (byte === COMMA || byte === BRACE || byte === BRACKET) values += 1;
  return values <= VALUES_MAX;
}
