import type { Availability } from "../../generated/types.ts";
import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type ReceivedMessage,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { messageAt, messagesBelow } from "./message-index.ts";
import { buttonsOf, codeIn, codesOf, switchesOf, type TasmotaTopics } from "./tasmota-inputs.ts";
import { zigbeeMemberOf, zigbeeProposals, zigbeeReports } from "./tasmota-zigbee.ts";
import { fieldOf, fieldsOf, isFields, listOf, textOf, TEXT_LENGTH_MAX, type Fields } from "./values.ts";

const CONFIG = /^tasmota\/discovery\/([^/]+)\/config$/;

/** Tasmota: `tasmota/discovery/<mac>/config` and `/sensors`, retained. */
export const tasmota: DiscoverySource = {
  name: "tasmota",
  filters: ["tasmota/discovery/#"],
  isAnnouncement: (topic) => topic.startsWith("tasmota/discovery/"),
  memberOf: (message) => codeIn(message) ?? zigbeeMemberOf(message),
  queries: (messages) =>
    announcedIn(messages)
      .filter(({ own }) => own.some((message) => zigbeeReports(message).length > 0))
      .map(({ topics }) => ({ topic: `${topics.cmnd}ZbInfo`, payload: "" })),
  devices: (messages, { onLeftOut = () => {} }) =>
    devicesUpToLimit(announcedIn(messages), (one) => [deviceOf(one, messages, onLeftOut)], onLeftOut),
};

/** All devices that have announced themselves, each with the messages below its telemetry. */
function announcedIn(messages: Messages): Announced[] {
  const announced = messages.flatMap(({ topic, json }) => {
    const mac = CONFIG.exec(topic)?.[1];
    const topics = mac === undefined || !isFields(json) ? undefined : topicsOf(json, mac);
    return mac !== undefined && topics && isFields(json) ? [{ mac, config: json, topics }] : [];
  });
  const below = messagesBelow(
    messages,
    announced.map(({ topics }) => withoutSlash(topics.tele)),
  );
  return announced.map((one) => ({ ...one, own: below.get(withoutSlash(one.topics.tele)) ?? [] }));
}

interface Announced {
  readonly mac: string;
  readonly config: Fields;
  readonly topics: TasmotaTopics;
  readonly own: readonly ReceivedMessage[];
}

function deviceOf(
  { mac, config, topics, own }: Announced,
  messages: Messages,
  onLeftOut: OnLeftOut,
): DiscoveredDevice {
  const announced = fieldOf(messageAt(messages, `tasmota/discovery/${mac}/sensors`)?.json, "sn");
  const sensors = { ...fieldsOf(announced), ...fieldsOf(messageAt(messages, `${topics.tele}SENSOR`)?.json) };
  const name = textOf(config["dn"]) ?? textOf(config["t"]) ?? mac;
  const availability = availabilityOf(config, `${topics.tele}LWT`);
  const inputs = [
    ...switchesOf(config, sensors, topics),
    ...buttonsOf(config, topics),
    ...codesOf(own, onLeftOut),
  ];
  return {
    id: mac,
    source: "tasmota",
    name,
    model: textOf(config["md"]),
    topics: [topics.stat, topics.tele].map(withoutSlash),
    proposals: [
      ...inputs.map(({ label, transmitter, ...input }) => ({
        ...input,
        name: `${name} ${label}`,
        // Its inputs are read from several topics, and are one device. A transmitter that it receives is another one.
        device: transmitter ?? name,
        availability,
      })),
      ...zigbeeProposals(own, availability, onLeftOut),
    ],
  };
}

function withoutSlash(topic: string): string {
  return topic.replace(/\/$/, "");
}

function topicsOf(config: Fields, mac: string): TasmotaTopics | undefined {
  const [cmnd, stat, tele] = [0, 1, 2].map((prefix) => topicOf(config, prefix, mac));
  if (cmnd === undefined || stat === undefined || tele === undefined) return undefined;
  return { cmnd, stat, tele };
}

/**
 * `ft` is the form of all topics, `%prefix%/%topic%/`; `tp` has the prefixes of commands, replies and telemetry. Commands need a
 * prefix, so that a device does not obey what it publishes.
 */
function topicOf(config: Fields, prefixIndex: number, mac: string): string | undefined {
  const prefix = textOf(listOf(config["tp"])[prefixIndex]);
  const topic = textOf(config["t"]);
  if (prefix === undefined || topic === undefined) return undefined;
  const form = textOf(config["ft"]) ?? "%prefix%/%topic%/";
  const full = (prefixIndex > 0 || form.includes("%prefix%") ? form : `${form}/%prefix%`)
    .replaceAll("%prefix%", () => prefix)
    .replaceAll("%topic%", () => topic)
    .replaceAll("%hostname%", () => textOf(config["hn"]) ?? "")
    .replaceAll("%id%", () => mac)
    .replaceAll("#", "")
    .replaceAll("//", "/");
  if (full.length > TEXT_LENGTH_MAX || /[%+]/.test(full)) return undefined;
  return full.endsWith("/") ? full : `${full}/`;
}

function availabilityOf(config: Fields, mqtt: string): Availability {
  const up: Availability["up"] = [textOf(config["onln"]) ?? "Online"];
  // In deep sleep a device is offline most of the time.
  return { mqtt, up, down: config["dslp"] === 1 ? [] : [textOf(config["ofln"]) ?? "Offline"] };
}
