import type { DiscoveredDevice, Messages, ReceivedMessage } from "./device.ts";

/** Of one device; a relay with a meter has about ten. */
const OF_DEVICE_MAX = 16;

/** Messages that no proposal reads, the newest first, for a person who points at a value in them. */
export interface ReadableTopics {
  /** Of each device without a proposal. */
  readonly ofDevices: ReadonlyMap<DiscoveredDevice, readonly ReceivedMessage[]>;
  /** Of which no device is known; the newest of each topic. */
  readonly others: readonly ReceivedMessage[];
  readonly hasMore: boolean;
}

interface ReadableOptions {
  /** Of the devices, and of the others, so that neither hides the other. */
  readonly limit: number;
  /** Whether a topic is one of this program, or one on which it has asked. */
  readonly isOwn: (topic: string) => boolean;
}

/**
 * @param all all messages; what devices say on their topics may also be what they are known by
 * @param unannounced those that say nothing about a device
 */
export function readableTopics(
  devices: readonly DiscoveredDevice[],
  { all, unannounced }: { readonly all: Messages; readonly unannounced: Messages },
  { limit, isOwn }: ReadableOptions,
): ReadableTopics {
  const deviceAt = new Map<string, DiscoveredDevice>();
  for (const device of devices) for (const topic of device.topics) deviceAt.set(topic, device);
  const own = [...all]
    .filter(({ topic }) => !isOwn(topic))
    .sort(byTime)
    .flatMap((message) => {
      const device = deviceAbove(message.topic, deviceAt);
      return device?.proposals.length === 0 ? [{ device, message }] : [];
    });
  const ofDevices = new Map<DiscoveredDevice, ReceivedMessage[]>();
  let listed = 0;
  for (const { device, message } of own) {
    const list = ofDevices.get(device) ?? [];
    if (listed >= limit || list.length >= OF_DEVICE_MAX) continue;
    list.push(message);
    listed += 1;
    ofDevices.set(device, list);
  }
  const newest = new Map<string, ReceivedMessage>();
  for (const message of unannounced)
    if (!isOwn(message.topic) && !deviceAbove(message.topic, deviceAt)) newest.set(message.topic, message);
  const others = [...newest.values()].sort(byTime);
  return {
    ofDevices,
    others: others.slice(0, limit),
    hasMore: others.length > limit || own.length > listed,
  };
}

/** The device with this topic or one above it; the nearest one. */
function deviceAbove(
  topic: string,
  deviceAt: ReadonlyMap<string, DiscoveredDevice>,
): DiscoveredDevice | undefined {
  for (let end = topic.length; end > 0; end = topic.lastIndexOf("/", end - 1)) {
    const device = deviceAt.get(topic.slice(0, end));
    if (device) return device;
  }
  return undefined;
}

function byTime(a: ReceivedMessage, b: ReceivedMessage): number {
  return b.atMs - a.atMs;
}
