import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoveryOptions,
  type DiscoverySource,
  type Messages,
  type Proposal,
  type ReceivedMessage,
  type Query,
} from "./device.ts";
import { esphome } from "./esphome.ts";
import { frigate } from "./frigate.ts";
import { homeAssistant } from "./home-assistant.ts";
import { ProposedInputs } from "./proposed-inputs.ts";
import { shelly } from "./shelly.ts";
import { shellyRpc } from "./shelly-rpc.ts";
import { tasmota } from "./tasmota.ts";
import { zigbee2mqtt } from "./zigbee2mqtt.ts";

/**
 * In order of trust: what a device says in its own words comes before an announcement for Home Assistant, and that before topics
 * that only look like those of a maker.
 */
const SOURCES: readonly DiscoverySource[] = [
  zigbee2mqtt,
  tasmota,
  shelly,
  shellyRpc,
  frigate,
  homeAssistant,
  esphome,
];

/** What to subscribe to at a broker that denies access to all topics. */
export const SOURCE_FILTERS: readonly string[] = SOURCES.flatMap(({ filters }) => filters);

/** Whether a topic has announcements of devices, which are kept before other messages. */
export function isAnnouncement(topic: string, { replyTo, prefix }: DiscoveryOptions): boolean {
  if (topic.startsWith(`${replyTo}/`)) return true;
  return SOURCES.some((source) =>
    source === homeAssistant
      ? topic.startsWith(`${prefix}/`) && source.isAnnouncement(topic)
      : source.isAnnouncement(topic),
  );
}

/** Key under which the newest message is kept: its topic, and its device if several share the topic. */
export function messageKey(message: ReceivedMessage): string {
  for (const source of SOURCES) {
    const member = source.memberOf?.(message);
    if (member !== undefined) return `${message.topic} ${member}`;
  }
  return message.topic;
}

/** What to ask the devices after the received messages. */
export function queriesAfter(messages: Messages, { replyTo }: DiscoveryOptions): Query[] {
  return SOURCES.flatMap((source) => source.queries?.(messages, replyTo) ?? []);
}

/** All devices that have said what they are; a zone that two sources know is proposed once. */
export function discoveredDevices(messages: Messages, options: DiscoveryOptions): DiscoveredDevice[] {
  const proposed = new ProposedInputs();
  const devices = devicesUpToLimit(SOURCES, (source) => source.devices(messages, options), options.onLeftOut);
  const described = new Set(
    devices.flatMap(({ source, topics }) => (source === "zigbee2mqtt" ? topics : [])),
  );
  return devices.flatMap((device) => {
    const isInOwnWords = device.source !== "home-assistant" && device.source !== "esphome";
    const proposals = device.proposals.filter((proposal) => {
      if (isInOwnWords) return proposed.add(proposal);
      return !isDescribed(proposal, described) && proposed.addAnnounced(proposal);
    });
    // Another source has said all of it.
    const isRepeated = proposals.length === 0 && !isInOwnWords;
    return isRepeated ? [] : [{ ...device, proposals }];
  });
}

/**
 * Whether a bridge has said in its own words what each value of a device is. Its announcement for Home Assistant has no more than
 * classes, such as those of a valve that is open, of rain, and of the window that a radiator valve assumes.
 */
function isDescribed({ input }: Proposal, described: ReadonlySet<string>): boolean {
  const { mqtt } = input;
  for (let end = mqtt.length; end > 0; end = mqtt.lastIndexOf("/", end - 1))
    if (described.has(mqtt.slice(0, end))) return true;
  return false;
}
