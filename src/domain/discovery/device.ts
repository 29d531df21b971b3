import type { Availability, Battery, GateMqtt, MqttInput, Tamper } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import type { Doubt } from "./doubt.ts";
import type { OnLeftOut } from "./left-out.ts";

/** A message received from the broker: the last one of its topic, or of its device if several share the topic. */
export interface ReceivedMessage {
  readonly topic: string;
  /** The payload as text. */
  readonly text: string;
  /** The parsed payload; undefined if it is not JSON. */
  readonly json: unknown;
  readonly isRetained: boolean;
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
}

/** All received messages, in the order of arrival. */
export type Messages = readonly ReceivedMessage[];

/** A message that asks devices to say what they are. */
export interface Query {
  readonly topic: string;
  readonly payload: string;
}

/** Where a device is known from. */
export type SourceName =
  | "zigbee2mqtt"
  | "tasmota"
  | "shelly"
  | "shelly-rpc"
  | "frigate"
  | "home-assistant"
  | "esphome";

/** A zone that a device could be; its id and objective are left to the caller. */
export interface Proposal {
  readonly name: string;
  readonly kind: ZoneKind;
  readonly input: MqttInput;
  readonly tamper?: Tamper;
  readonly battery?: Battery;
  readonly availability?: Availability;
  readonly bridge?: Availability;
  readonly gate?: GateMqtt;
  readonly autoRestoreS?: number;
  readonly supervisionTimeoutS?: number;
  /** Name of the device, if it shares its topic with others. */
  readonly device?: string;
  /** Points for the user to check. */
  readonly doubts: readonly Doubt[];
}

/** A device that has said what it is. */
export interface DiscoveredDevice {
  /** Unique within its source, and the same each time. */
  readonly id: string;
  readonly source: SourceName;
  readonly name: string;
  /** As the device or its bridge says it; undefined if it does not. */
  readonly model: string | undefined;
  /** Its messages are on these topics and below. */
  readonly topics: readonly string[];
  readonly proposals: readonly Proposal[];
}

/** One way in which devices say what they have. */
export interface DiscoverySource {
  readonly name: SourceName;
  /** Topic filters with what devices of this source say about themselves. */
  readonly filters: readonly string[];
  /** Whether a topic has such a message; it is kept before others, and may be larger. */
  isAnnouncement(topic: string): boolean;
  /** What tells devices apart that share a topic; undefined for one device on each topic. */
  memberOf?(message: ReceivedMessage): string | undefined;
  /** What to ask after the received messages. Each query is asked once on a connection. */
  queries?(messages: Messages, replyTo: string): Query[];
  devices(messages: Messages, options: DiscoveryOptions): DiscoveredDevice[];
}

/** Where this installation asks, and where its Home Assistant announces. */
export interface DiscoveryOptions {
  /** Topic below which responses to queries arrive. */
  readonly replyTo: string;
  /** First level of Home Assistant's discovery topics. */
  readonly prefix: string;
  /** Topics of this installation, which are no sensors, begin with this. */
  readonly own: string;
  readonly onLeftOut?: OnLeftOut;
}

/** A building has a few hundred devices, and a configuration at most 512 zones. */
const DEVICES_MAX = 4_000;
const PROPOSALS_MAX = 4_000;

/** The devices that some messages announce, until there are more than any building has. */
export function devicesUpToLimit<Entry>(
  entries: Iterable<Entry>,
  devicesIn: (entry: Entry) => readonly DiscoveredDevice[],
  onLeftOut: OnLeftOut = () => {},
): DiscoveredDevice[] {
  const devices: DiscoveredDevice[] = [];
  let proposals = 0;
  for (const entry of entries)
    for (const device of devicesIn(entry)) {
      proposals += device.proposals.length;
      if (devices.length >= DEVICES_MAX || proposals > PROPOSALS_MAX) {
        onLeftOut("devices", DEVICES_MAX);
        return devices;
      }
      devices.push(device);
    }
  return devices;
}
