import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type ReceivedMessage,
  type Query,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { messageAt, messagesBelow } from "./message-index.ts";
import { proposalsFor } from "./shelly-components.ts";
import type { ShellyParts } from "./shelly-places.ts";
import { fieldOf, fieldsOf, isFields, listOf, textOf, type Fields } from "./values.ts";

/** Ids as the devices have them ex works: make and the end of the MAC address. */
const FACTORY_ID = /^shelly[a-z0-9]*-[0-9a-f]{6,12}$/i;
const ONLINE = /^(.+)\/online$/;
const EVENTS = /^(.+)\/events\/rpc$/;
const STATUS = /^(.+)\/status\/([a-z]+:\d+)$/;
/** Answers come in pages; more than any gateway has. */
const COMPONENTS_MAX = 512;

/**
 * Shelly Gen 2 and later: `<id>/online`, then the answers to `Shelly.GetDeviceInfo`, `GetConfig` and, for Bluetooth sensors
 * behind a gateway, `GetComponents`. A sleeping device says in `NotifyFullStatus` what it has.
 * Format: https://shelly-api-docs.shelly.cloud/gen2/
 */
export const shellyRpc: DiscoverySource = {
  name: "shelly-rpc",
  filters: ["+/online", "+/events/rpc", "+/status/+"],
  isAnnouncement: (topic) => ONLINE.test(topic) || EVENTS.test(topic),
  memberOf: ({ topic, json }) =>
    EVENTS.test(topic) && isFields(json)
      ? `${textOf(json["method"]) ?? ""} ${[...componentsIn(json["params"]), ...reportersIn(json)].slice(0, 8).join(" ")}`
      : undefined,
  queries: (messages, replyTo) => {
    const known = new Set(addressesIn(messages, replyTo));
    return [
      ...[...known].flatMap((address) => queriesTo(address, messages, replyTo)),
      ...renamedIn(messages)
        .filter((address) => !known.has(address))
        .map((address) => infoQuery(address, replyTo)),
    ];
  },
  devices: (messages, { replyTo, onLeftOut = () => {} }) =>
    devicesUpToLimit(
      messagesBelow(messages, addressesIn(messages, replyTo)),
      ([address, own]) => [deviceAt(address, own, { messages, replyTo, onLeftOut })],
      onLeftOut,
    ),
};

/** The topic prefixes of the devices, which are their ids unless a user has changed them. */
function addressesIn(messages: Messages, replyTo: string): string[] {
  const addresses = messages.flatMap((message) => {
    const { topic } = message;
    const online = ONLINE.exec(topic)?.[1];
    // Below shellies/ a device of the first generation has the same topic.
    if (online !== undefined)
      return FACTORY_ID.test(online.split("/").at(-1) ?? "") && !online.startsWith("shellies/")
        ? [online]
        : [];
    const events = EVENTS.exec(topic)?.[1];
    if (events === undefined) return [];
    const sender = textOf(fieldOf(message.json, "src"));
    return sender !== undefined && FACTORY_ID.test(sender) ? [events] : [];
  });
  const answering = renamedIn(messages).filter((address) => {
    const id = textOf(fieldOf(answerTo(address, "info", messages, replyTo), "id"));
    return id !== undefined && FACTORY_ID.test(id);
  });
  return [...new Set([...addresses, ...answering])].filter((address) => !/[+#]/.test(address));
}

/**
 * Prefixes that a user may have given to a device, also below `shellies/`, so that the device itself is asked who it is. One of the
 * first generation does not answer.
 */
function renamedIn(messages: Messages): string[] {
  return messages.flatMap(({ topic, text }) => {
    const address = ONLINE.exec(topic)?.[1];
    if (address === undefined || text !== "true") return [];
    return /[+#]/.test(address) ? [] : [address];
  });
}

/** Where the responses of one device arrive: `<src>/rpc`, with the `src` of the query. */
function senderFor(address: string, what: string, replyTo: string): string {
  return `${replyTo}/${address.replaceAll("/", "_")}/${what}`;
}

function infoQuery(address: string, replyTo: string): Query {
  return queryFor(address, { what: "info", method: "Shelly.GetDeviceInfo" }, replyTo);
}

function queryFor(
  address: string,
  { what, method, params }: { what: string; method: string; params?: Fields },
  replyTo: string,
): Query {
  const payload = JSON.stringify({ id: 1, src: senderFor(address, what, replyTo), method, params });
  return { topic: `${address}/rpc`, payload };
}

function queriesTo(address: string, messages: Messages, replyTo: string): Query[] {
  const online = messageAt(messages, `${address}/online`);
  if (online?.text === "false") return [];
  const offset = componentsOf(address, messages, replyTo).next;
  const params = { offset, include: ["config", "status"], dynamic_only: true };
  const pages =
    offset === undefined ? [] : [{ what: `components-${offset}`, method: "Shelly.GetComponents", params }];
  return [
    infoQuery(address, replyTo),
    ...[{ what: "config", method: "Shelly.GetConfig" }, ...pages].map((one) =>
      queryFor(address, one, replyTo),
    ),
  ];
}

function answerTo(address: string, what: string, messages: Messages, replyTo: string): unknown {
  const topic = `${senderFor(address, what, replyTo)}/rpc`;
  return fieldOf(messageAt(messages, topic)?.json, "result");
}

/** The components added by a user, such as Bluetooth sensors, and the offset of the next page. */
function componentsOf(
  address: string,
  messages: Messages,
  replyTo: string,
): { list: Fields[]; next: number | undefined } {
  const list: Fields[] = [];
  for (;;) {
    const answer = answerTo(address, `components-${list.length}`, messages, replyTo);
    if (answer === undefined) return { list, next: list.length };
    const left = COMPONENTS_MAX - list.length;
    const page = listOf(fieldOf(answer, "components")).slice(0, left).filter(isFields);
    list.push(...page);
    const total = fieldOf(answer, "total");
    const isMore =
      page.length > 0 && typeof total === "number" && list.length < Math.min(total, COMPONENTS_MAX);
    if (!isMore) return { list, next: undefined };
  }
}

function componentsIn(params: unknown): string[] {
  return Object.keys(fieldsOf(params)).filter((key) => /^[a-z]{1,32}:\d{1,9}$/.test(key));
}

/** The components whose events are in a message. */
function reportersIn(message: unknown): string[] {
  return listOf(fieldOf(fieldOf(message, "params"), "events"))
    .slice(0, COMPONENTS_MAX)
    .flatMap((event) => textOf(fieldOf(event, "component"))?.slice(0, 64) ?? []);
}

/** The components that have reported a press. */
function pressedIn(message: unknown): string[] {
  return listOf(fieldOf(fieldOf(message, "params"), "events"))
    .slice(0, COMPONENTS_MAX)
    .flatMap((event) =>
      textOf(fieldOf(event, "event"))?.endsWith("_push") === true
        ? (textOf(fieldOf(event, "component")) ?? [])
        : [],
    );
}

/** @param own the messages below its address */
function deviceAt(
  address: string,
  own: readonly ReceivedMessage[],
  { messages, replyTo, onLeftOut }: { messages: Messages; replyTo: string; onLeftOut: OnLeftOut },
): DiscoveredDevice {
  const info = fieldsOf(answerTo(address, "info", messages, replyTo));
  const config = fieldsOf(answerTo(address, "config", messages, replyTo));
  const events = own.filter(({ topic }) => EVENTS.exec(topic)?.[1] === address);
  const id =
    textOf(info["id"]) ?? events.flatMap(({ json }) => textOf(fieldOf(json, "src")) ?? [])[0] ?? address;
  const name = textOf(info["name"]) ?? textOf(fieldOf(fieldOf(config["sys"], "device"), "name")) ?? id;
  const mqtt = fieldsOf(config["mqtt"]);
  const parts: ShellyParts = {
    address,
    name,
    components: merged(config, componentsOf(address, messages, replyTo).list, own, onLeftOut),
    // A topic for each component is an option, and a retained message of it may be an old one.
    hasStatusTopics: optionOf(mqtt["status_ntf"]) ?? own.some(({ topic }) => STATUS.test(topic)),
    // So is the common one, which is on ex works.
    hasNotifications: optionOf(mqtt["rpc_ntf"]) ?? true,
    pressed: new Set(events.flatMap(({ json }) => pressedIn(json))),
  };
  const model = [textOf(info["app"]), textOf(info["model"])].filter((part) => part !== undefined).join(" ");
  return {
    id,
    source: "shelly-rpc",
    name,
    model: model === "" ? undefined : model,
    topics: [address],
    proposals: proposalsFor(parts),
  };
}

/** What a device says of an option; undefined if it has not answered. */
function optionOf(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

/** All components of a device by key, each with its configuration and what is known of its status. */
function merged(
  config: Fields,
  added: readonly Fields[],
  own: readonly ReceivedMessage[],
  onLeftOut: OnLeftOut,
): ShellyParts["components"] {
  // Without a prototype, so that a field named __proto__ is one like others. Copying before each change took minutes.
  const empty = (): Record<string, unknown> => Object.create(null) as Record<string, unknown>;
  const components = new Map<string, { config: Record<string, unknown>; status: Record<string, unknown> }>();
  const add = (key: string, found: { config?: unknown; status?: unknown }): void => {
    const component = components.get(key) ?? { config: empty(), status: empty() };
    if (!components.has(key) && components.size >= COMPONENTS_MAX) {
      onLeftOut("components", COMPONENTS_MAX);
      return;
    }
    Object.assign(component.config, fieldsOf(found.config));
    Object.assign(component.status, fieldsOf(found.status));
    components.set(key, component);
  };
  for (const key of componentsIn(config)) add(key, { config: config[key] });
  for (const { key, config: settings, status } of added)
    if (textOf(key) !== undefined) add(String(key), { config: settings, status });
  for (const { topic, json } of own) {
    const key = STATUS.exec(topic)?.[2];
    if (key !== undefined) add(key, { status: json });
    const params = fieldsOf(EVENTS.test(topic) ? fieldOf(json, "params") : undefined);
    for (const name of componentsIn(params)) add(name, { status: params[name] });
  }
  return components;
}
