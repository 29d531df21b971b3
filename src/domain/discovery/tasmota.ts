import type { Availability } from "../../generated/types.ts";
import { devicesUpToLimit, type DiscoveredDevice, type DiscoverySource, type Messages } from "./device.ts";
import { messageAt, messagesBelow } from "./message-index.ts";
import { buttonsOf, codeIn, codesOf, switchesOf, type TasmotaTopics } from "./tasmota-inputs.ts";
import { fieldOf, fieldsOf, isFields, listOf, textOf, TEXT_LENGTH_MAX, type Fields } from "./values.ts";

const CONFIG = /^tasmota\/discovery\/([^/]+)\/config$/;

/** Tasmota: `tasmota/discovery/<mac>/config` and `/sensors`, retained. */
export const tasmota: DiscoverySource = {
  name: "tasmota",
  filters: ["tasmota/discovery/#"],
  isAnnouncement: (topic) => topic.startsWith("tasmota/discovery/"),
  memberOf: codeIn,
  devices: (messages, { onLeftOut = () => {} }) => {
    const announced = messages.flatMap(({ topic, json }) => {
      const mac = CONFIG.exec(topic)?.[1];
      const topics = mac === undefined || !isFields(json) ? undefined : topicsOf(json, mac);
      return mac !== undefined && topics && isFields(json) ? [{ mac, config: json, topics }] : [];
    });
    const below = messagesBelow(
      messages,
      announced.map(({ topics }) => withoutSlash(topics.tele)),
    );
    return devicesUpToLimit(
      announced,
      (one) => {
        const codes = codesOf(below.get(withoutSlash(one.topics.tele)) ?? [], onLeftOut);
        return [deviceOf(one, messages, codes)];
      },
      onLeftOut,
    );
  },
};

interface Announced {
  readonly mac: string;
  readonly config: Fields;
  readonly topics: TasmotaTopics;
}

function deviceOf(
  { mac, config, topics }: Announced,
  messages: Messages,
  codes: ReturnType<typeof codesOf>,
): DiscoveredDevice {
  const announced = fieldOf(messageAt(messages, `tasmota/discovery/${mac}/sensors`)?.json, "sn");
  const sensors = { ...fieldsOf(announced), ...fieldsOf(messageAt(messages, `${topics.tele}SENSOR`)?.json) };
  const name = textOf(config["dn"]) ?? textOf(config["t"]) ?? mac;
  const availability = availabilityOf(config, `${topics.tele}LWT`);
  const inputs = [...switchesOf(config, sensors, topics), ...buttonsOf(config, topics), ...codes];
  return {
    id: mac,
    source: "tasmota",
    name,
    model: textOf(config["md"]),
    topics: [topics.stat, topics.tele].map(withoutSlash),
    proposals: inputs.map(({ label, ...input }) => ({
      ...input,
      name: `${name} ${label}`,
      // Its inputs are read from several topics, and are one device.
      device: name,
      availability,
    })),
  };
}

function withoutSlash(topic: string): string {
  return topic.replace(/\/$/, "");
}

function topicsOf(config: Fields, mac: string): TasmotaTopics | undefined {
  const stat = topicOf(config, 1, mac);
  const tele = topicOf(config, 2, mac);
  return stat === undefined || tele === undefined ? undefined : { stat, tele };
}

/** `ft` is the form of all topics, `%prefix%/%topic%/`; `tp` has the prefixes of commands, replies and telemetry. */
function topicOf(config: Fields, prefixIndex: number, mac: string): string | undefined {
  const prefix = textOf(listOf(config["tp"])[prefixIndex]);
  const topic = textOf(config["t"]);
  if (prefix === undefined || topic === undefined) return undefined;
  const full = (textOf(config["ft"]) ?? "%prefix%/%topic%/")
    .replaceAll("%prefix%", () => prefix)
    .replaceAll("%topic%", () => topic)
    .replaceAll("%hostname%", () => textOf(config["hn"]) ?? "")
    .replaceAll("%id%", () => mac.slice(-6));
  if (full.length > TEXT_LENGTH_MAX || /[%+#]/.test(full)) return undefined;
  return full.endsWith("/") ? full : `${full}/`;
}

function availabilityOf(config: Fields, mqtt: string): Availability {
  const up: Availability["up"] = [textOf(config["onln"]) ?? "Online"];
  // In deep sleep a device is offline most of the time.
  return { mqtt, up, down: config["dslp"] === 1 ? [] : [textOf(config["ofln"]) ?? "Offline"] };
}
