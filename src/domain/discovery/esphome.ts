import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type Proposal,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { messageAt } from "./message-index.ts";
import { isTamperName, kindOfName } from "./name-hints.ts";
import { fieldOf, textOf } from "./values.ts";

/** More than a board has inputs. */
const COMPONENTS_MAX = 128;
const BATTERY_BELOW_PERCENT = 15;
/** A battery with a lower value may report volts. */
const VOLTS_MAX = 5;
const COMPONENT = /^(.+)\/(binary_sensor|sensor)\/([^/+#]+)\/state$/;
/** What a board reports of itself; not the status of a door. */
const OF_ITSELF = /(^|_)(status|online|connected|connection|wifi|api|charging|update)$/;
const BATTERY = /(^|_)battery(_low|_level|_percent(age)?)?$/;

function isOfItself(id: string): boolean {
  return OF_ITSELF.test(id) && kindOfName(id) === undefined;
}

/** A sensor of a board, with its last message. */
interface Component {
  readonly id: string;
  readonly isBinary: boolean;
  readonly topic: string;
  readonly text: string;
}

/**
 * ESPHome without Home Assistant's discovery: `<prefix>/binary_sensor/<id>/state` is ON or OFF, and `<prefix>/status` online or
 * offline, all retained. Format: https://esphome.io/components/mqtt
 */
export const esphome: DiscoverySource = {
  name: "esphome",
  filters: ["+", "+/+"].flatMap((board) => [
    `${board}/status`,
    `${board}/binary_sensor/+/state`,
    `${board}/sensor/+/state`,
  ]),
  isAnnouncement: () => false,
  devices: (messages, { prefix, own, onLeftOut = () => {} }) => {
    const announced = announcedTopics(messages, prefix);
    const isForeign = ({ topic }: Component): boolean =>
      announced.has(topic) || [`${prefix}/`, own].some((other) => topic.startsWith(other));
    return devicesUpToLimit(
      [...componentsByBoard(messages)].filter(([, components]) => !components.some(isForeign)),
      ([board, components]) => deviceOf(board, components, messages, onLeftOut),
      onLeftOut,
    );
  },
};

/** What is announced for Home Assistant is known from there, with its kind. */
function announcedTopics(messages: Messages, prefix: string): ReadonlySet<string> {
  const announced = messages.filter(
    ({ topic }) => topic.startsWith(`${prefix}/`) && topic.endsWith("/config"),
  );
  return new Set(
    announced.flatMap(({ json }) => {
      const topic = textOf(fieldOf(json, "stat_t")) ?? textOf(fieldOf(json, "state_topic"));
      const base = textOf(fieldOf(json, "~")) ?? "~";
      return topic?.replace(/^~|~$/g, () => base) ?? [];
    }),
  );
}

function componentsByBoard(messages: Messages): ReadonlyMap<string, readonly Component[]> {
  const boards = new Map<string, Component[]>();
  for (const { topic, text } of messages) {
    const [, board, type, id] = COMPONENT.exec(topic) ?? [];
    if (board === undefined || id === undefined) continue;
    const components = boards.get(board) ?? [];
    components.push({ id, isBinary: type === "binary_sensor", topic, text });
    boards.set(board, components);
  }
  return boards;
}

function deviceOf(
  board: string,
  components: readonly Component[],
  messages: Messages,
  onLeftOut: OnLeftOut,
): DiscoveredDevice[] {
  if (components.length > COMPONENTS_MAX) onLeftOut("components", COMPONENTS_MAX);
  const known = components.slice(0, COMPONENTS_MAX);
  // In these letters; another program may write the states of Home Assistant below such topics.
  const inputs = known.filter(
    ({ id, isBinary, text }) => isBinary && /^(ON|OFF)$/.test(text) && !isOfItself(id) && !BATTERY.test(id),
  );
  if (inputs.length === 0) return [];
  return [
    {
      id: board,
      source: "esphome",
      name: board,
      model: "ESPHome",
      topics: ["binary_sensor", "sensor", "status"].map((below) => `${board}/${below}`),
      proposals: proposalsOf(board, inputs, partsOf(board, known, messages)),
    },
  ];
}

/** What the zones of a board have in common. */
function partsOf(
  board: string,
  components: readonly Component[],
  messages: Messages,
): Pick<Proposal, "battery" | "availability" | "device"> {
  const status = messageAt(messages, `${board}/status`);
  const isStatus = /^(online|offline)$/.test(status?.text ?? "");
  const battery = components.find(
    ({ id, isBinary, text }) => BATTERY.test(id) && (isBinary || Number(text) > VOLTS_MAX),
  );
  const level = battery?.isBinary === true ? { low: ["ON"] as [string] } : { below: BATTERY_BELOW_PERCENT };
  return {
    ...(battery ? { battery: { mqtt: battery.topic, ...level } } : {}),
    ...(isStatus ? { availability: { mqtt: `${board}/status` } } : {}),
    device: board,
  };
}

/** Of a board with one contact its tamper is a part of that zone; otherwise it is a zone of its own. */
function proposalsOf(
  board: string,
  inputs: readonly Component[],
  parts: Pick<Proposal, "battery" | "availability" | "device">,
): Proposal[] {
  const contacts = inputs.filter(({ id }) => !isTamperName(id));
  const [tamper, ...moreTampers] = inputs.filter(({ id }) => isTamperName(id));
  const isPart = contacts.length === 1 && tamper !== undefined && moreTampers.length === 0;
  const zones = isPart ? contacts : inputs;
  return zones.map(({ id, topic }) => ({
    name: `${board} ${id}`,
    kind: isTamperName(id) ? "tamper" : (kindOfName(id) ?? kindOfName(board) ?? "intrusion"),
    input: { mqtt: topic, open: ["ON"], normal: ["OFF"] },
    ...(isPart ? { tamper: { mqtt: tamper.topic, open: ["ON"], normal: ["OFF"] } } : {}),
    ...parts,
    doubts: [{ code: "kind-guessed" }],
  }));
}
