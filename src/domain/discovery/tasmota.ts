import type { Availability, MqttInput } from "../../generated/types.ts";
import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type Proposal,
} from "./device.ts";
import type { Doubt } from "./doubt.ts";
import { kindOfName } from "./name-hints.ts";
import { messageAt } from "./message-index.ts";
import {
  fieldOf,
  fieldsOf,
  isFields,
  listOf,
  pointerTo,
  textOf,
  TEXT_LENGTH_MAX,
  type Fields,
} from "./values.ts";

const CONFIG = /^tasmota\/discovery\/([^/]+)\/config$/;
/** `SwitchMode` of inputs that report over MQTT only, in the periodic telemetry's form. */
const MODES_REPORTED_AS_SENSOR = [15, 16];
/** A button sends no release; long enough that one press is one trip. */
const BUTTON_RESTORE_S = 30;
const PRESSES = ["SINGLE", "DOUBLE", "TRIPLE", "QUAD", "PENTA", "HOLD"] as const;

/** Tasmota: `tasmota/discovery/<mac>/config` and `/sensors`, retained. */
export const tasmota: DiscoverySource = {
  name: "tasmota",
  filters: ["tasmota/discovery/#"],
  isAnnouncement: (topic) => topic.startsWith("tasmota/discovery/"),
  devices: (messages, { onLeftOut }) =>
    devicesUpToLimit(
      messages,
      ({ topic, json }) => {
        const mac = CONFIG.exec(topic)?.[1];
        const device = mac === undefined || !isFields(json) ? undefined : deviceOf(mac, json, messages);
        return device ? [device] : [];
      },
      onLeftOut,
    ),
};

function deviceOf(mac: string, config: Fields, messages: Messages): DiscoveredDevice | undefined {
  const stat = topicOf(config, 1, mac);
  const tele = topicOf(config, 2, mac);
  if (stat === undefined || tele === undefined) return undefined;
  const sensors = messageAt(messages, `tasmota/discovery/${mac}/sensors`)?.json;
  const name = textOf(config["dn"]) ?? textOf(config["t"]) ?? mac;
  const availability = availabilityOf(config, `${tele}LWT`);
  const inputs = [
    ...switchesOf(config, fieldsOf(fieldOf(sensors, "sn")), { stat, tele }),
    ...buttonsOf(config, stat),
  ];
  return {
    id: mac,
    source: "tasmota",
    name,
    model: textOf(config["md"]),
    topics: [stat, tele].map((topic) => topic.replace(/\/$/, "")),
    proposals: inputs.map(({ label, ...input }) => ({
      ...input,
      name: `${name} ${label}`,
      // Its inputs are read from several topics, and are one device.
      device: name,
      availability,
    })),
  };
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

type Input = Omit<Proposal, "name"> & { readonly label: string };

function switchesOf(config: Fields, sensors: Fields, topics: { stat: string; tele: string }): Input[] {
  const isDetached = fieldOf(config["so"], "114") === 1;
  const states = listOf(config["state"]).map((state) => textOf(state));
  const open: MqttInput["open"] = [states[1] ?? "ON"];
  const normal: MqttInput["normal"] = [states[0] ?? "OFF"];
  const names = listOf(config["swn"]);
  const modes = listOf(config["swc"]);
  const count = Math.min(Math.max(modes.length, names.length), 28);
  return Array.from({ length: count }, (_none, index) => index).flatMap((index) => {
    const mode = modes[index];
    const usual = `Switch${index + 1}`;
    const label = textOf(names[index]) ?? usual;
    const isUsed = typeof mode === "number" ? mode >= 0 : Object.hasOwn(sensors, label);
    if (!isUsed) return [];
    const kind = kindOfName(label) ?? kindOfName(textOf(config["dn"]) ?? "");
    const isSensor = typeof mode === "number" && MODES_REPORTED_AS_SENSOR.includes(mode);
    const doubts: Doubt[] = [{ code: "check-contact" }];
    if (kind === undefined) doubts.push({ code: "kind-guessed" });
    if (!isDetached && !isSensor)
      doubts.push({ code: "telemetry-only", values: { option: "SetOption114 1" } });
    // The name of an input replaces Switch1 in its messages.
    const place =
      isDetached && !isSensor
        ? { mqtt: `${topics.stat}RESULT`, path: pointerTo(label, "Action") }
        : { mqtt: `${topics.tele}SENSOR`, path: pointerTo(label) };
    return [{ label, kind: kind ?? "intrusion", input: { ...place, open, normal }, doubts }];
  });
}

/** Buttons that report their presses (`SetOption73`). */
function buttonsOf(config: Fields, stat: string): Input[] {
  if (fieldOf(config["so"], "73") !== 1) return [];
  return listOf(config["btn"]).flatMap((isUsed, index) => {
    if (isUsed !== 1 || index >= 32) return [];
    const label = `Button${index + 1}`;
    const path = pointerTo(label, "Action");
    return [
      {
        label,
        kind: "panic" as const,
        input: { mqtt: `${stat}RESULT`, path, open: [...PRESSES] },
        autoRestoreS: BUTTON_RESTORE_S,
        doubts: [{ code: "kind-guessed" as const }, { code: "button-restores-itself" as const }],
      },
    ];
  });
}
