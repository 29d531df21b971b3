import type { Availability, Battery, MqttInput, Tamper } from "../../generated/types.ts";
import type { ZoneKind } from "../zone.ts";
import type { DiscoveredDevice, DiscoverySource, Messages, ReceivedMessage, Proposal } from "./device.ts";
import type { Doubt } from "./doubt.ts";
import { messageAt } from "./message-index.ts";
import { PRESSED_WITHIN_S, WEEKLY } from "./presses.ts";
import { fieldOf, isFields, textOf } from "./values.ts";

const BATTERY_BELOW_PERCENT = 15;
/**
 * A button sends no release, and on mains power repeats its last press with each update, every 30 s as shipped. Restored before the
 * next one, the zone trips again; still open, it would also miss another press.
 */
const BUTTON_RESTORE_S = 20;
const UPDATE_PERIOD = "MQTT update period 0";

/**
 * Shelly Gen 1: every device answers `announce` on `shellies/command` with what it is, on `shellies/announce` and, since
 * firmware 1.6, below its own topic. Format: https://shelly-api-docs.shelly.cloud/gen1/#mqtt-support
 */
export const shelly: DiscoverySource = {
  name: "shelly",
  filters: ["shellies/announce", "shellies/+/announce"],
  isAnnouncement: (topic) => ANNOUNCE.test(topic),
  memberOf: ({ topic, json }) => (topic === "shellies/announce" ? textOf(fieldOf(json, "id")) : undefined),
  queries: () => [{ topic: "shellies/command", payload: "announce" }],
  devices: (messages) => {
    const announced = new Map<string, DiscoveredDevice>();
    // Its own topic wins: there its name at the broker may differ from its id.
    for (const message of [...messages].sort((a, b) => a.topic.length - b.topic.length)) {
      const device = deviceOf(message, messages);
      if (device) announced.set(device.id, device);
    }
    const devices = [...announced.values()];
    return [...devices, ...asleep(messages, new Set(devices.flatMap(({ topics }) => topics)))];
  },
};

const ANNOUNCE = /^shellies\/(?:([^/]+)\/)?announce$/;
const BELOW = /^shellies\/([^/+#]+)\/./;

/**
 * A sleeping sensor does not answer; its retained messages, or those of a wake-up, have its model in their topic. With a name of
 * the user's in it, its information has the model, or else its values tell it.
 */
function asleep(messages: Messages, known: ReadonlySet<string>): DiscoveredDevice[] {
  const names = new Set(messages.flatMap(({ topic }) => BELOW.exec(topic)?.[1] ?? []));
  return [...names].flatMap((name) => {
    const base = `shellies/${name}`;
    const make = known.has(base) ? undefined : (makeOfName(name) ?? makeOfMessages(base, messages));
    return make ? [describedDevice({ id: name, name, model: undefined, make }, messages)] : [];
  });
}

/** The model of a sensor with a name of its own, by what it sends. */
function makeOfMessages(base: string, messages: Messages): Make | undefined {
  const at = (topic: string) => messageAt(messages, `${base}/${topic}`);
  const device = fieldOf(fieldOf(fieldOf(at("info")?.json, "getinfo"), "fw_info"), "device");
  const make = makeOfName(textOf(device) ?? "");
  if (make) return make;
  if (at("sensor/flood")) return FLOOD;
  if (at("sensor/smoke")) return SMOKE;
  return /^(open|close)$/.test(at("sensor/state")?.text ?? "") ? DOOR : undefined;
}

function deviceOf({ topic, json }: ReceivedMessage, messages: Messages): DiscoveredDevice | undefined {
  const found = ANNOUNCE.exec(topic);
  const id = textOf(fieldOf(json, "id"));
  const name = found?.[1] ?? id;
  if (!found || name === undefined || !isFields(json) || /[/+#]/.test(name)) return undefined;
  const model = textOf(json["model"]);
  const make = (model === undefined ? undefined : MAKES[model]) ?? makeOfName(id ?? name);
  return describedDevice({ id: textOf(json["mac"]) ?? name, name, model, make }, messages);
}

function describedDevice(
  { id, name, model, make }: Pick<DiscoveredDevice, "id" | "name" | "model"> & { make: Make | undefined },
  messages: Messages,
): DiscoveredDevice {
  const base = `shellies/${name}`;
  const isThere = (topic: string): boolean => messageAt(messages, `${base}/${topic}`) !== undefined;
  const contacts = make?.contacts.filter(({ isAddOn, input }) => isAddOn !== true || isThere(input.mqtt));
  const proposals = make ? proposalsOf({ ...make, contacts: contacts ?? [] }, base, name) : [];
  return { id, source: "shelly", name, model, topics: [base], proposals };
}

/** What the models of one form report, with topics below that of the device. */
interface Make {
  readonly contacts: readonly {
    readonly part?: string;
    readonly kind: ZoneKind;
    readonly input: MqttInput;
    readonly autoRestoreS?: number;
    readonly supervisionTimeoutS?: number;
    /** Of an accessory, which the device does not announce: proposed once it has reported. */
    readonly isAddOn?: true;
  }[];
  readonly tamper?: Tamper;
  readonly battery?: Battery;
  /** Connected only for seconds after each wake-up, and reported as offline in between. */
  readonly isSleeping?: true;
  readonly doubts?: readonly Doubt[];
}

/** A percentage on a topic of its own, as all sleeping models have it. */
const LEVEL: Battery = { mqtt: "sensor/battery", below: BATTERY_BELOW_PERCENT };
const DOOR: Make = {
  contacts: [{ kind: "intrusion", input: { mqtt: "sensor/state", open: ["open"], normal: ["close"] } }],
  tamper: { mqtt: "sensor/vibration", open: [1], normal: [0] },
  battery: LEVEL,
  isSleeping: true,
  doubts: [{ code: "wake-up-reports" }, { code: "vibration-tamper" }],
};
const FLOOD: Make = {
  contacts: [{ kind: "flood", input: { mqtt: "sensor/flood", open: [true], normal: [false] } }],
  battery: LEVEL,
  isSleeping: true,
};
const SMOKE: Make = {
  contacts: [{ kind: "fire", input: { mqtt: "sensor/smoke", open: [true], normal: [false] } }],
  battery: LEVEL,
  isSleeping: true,
};
const GAS: Make = {
  contacts: [{ kind: "gas", input: { mqtt: "sensor/gas", open: ["mild", "heavy"], normal: ["none"] } }],
};
const MOTION: Make = {
  contacts: [{ kind: "motion", input: { mqtt: "status", path: "/motion", open: [true], normal: [false] } }],
  tamper: { path: "/vibration", open: [true], normal: [false] },
  battery: { path: "/bat", below: BATTERY_BELOW_PERCENT },
  doubts: [{ code: "vibration-tamper" }],
};
const BUTTON: Make = {
  contacts: [
    {
      kind: "panic",
      input: { mqtt: "input_event/0", path: "/event", open: ["S", "SS", "SSS", "L"] },
      autoRestoreS: BUTTON_RESTORE_S,
      supervisionTimeoutS: PRESSED_WITHIN_S,
    },
  ],
  battery: LEVEL,
  isSleeping: true,
  doubts: [
    { code: "kind-guessed" },
    { code: "button-restores-itself" },
    { code: "press-repeated", values: { option: UPDATE_PERIOD } },
    WEEKLY,
  ],
};

/** Wired inputs: a closed loop is 1, and a cut wire trips. */
function inputs(count: number): Make {
  const contacts = Array.from({ length: count }, (_none, index) => wired(`input ${index}`, `input/${index}`));
  return { contacts, doubts: [{ code: "check-contact" }, { code: "kind-guessed" }] };
}

function wired(part: string, mqtt: string): Make["contacts"][number] {
  return { part, kind: "intrusion", input: { mqtt, open: [0], normal: [1] } };
}

/** A relay with one input, and with the sensor add-on an external switch. */
const RELAY: Make = {
  ...inputs(1),
  contacts: [...inputs(1).contacts, { ...wired("external switch", "ext_switch/0"), isAddOn: true }],
};
const SENSE: Make = {
  contacts: [{ kind: "motion", input: { mqtt: "sensor/motion", open: [true], normal: [false] } }],
  battery: LEVEL,
};

const MAKES: Readonly<Record<string, Make>> = {
  "SHDW-1": DOOR,
  "SHDW-2": DOOR,
  "SHWT-1": FLOOD,
  "SHSM-01": SMOKE,
  "SHSM-02": SMOKE,
  "SHGS-1": GAS,
  "SHMOS-01": MOTION,
  "SHMOS-02": MOTION,
  "SHBTN-1": BUTTON,
  "SHBTN-2": BUTTON,
  "SHIX3-1": inputs(3),
  "SHUNI-1": inputs(2),
  "SHSW-1": RELAY,
  "SHSW-PM": RELAY,
  "SHSW-L": inputs(2),
  "SHSW-25": inputs(2),
  "SHSEN-1": SENSE,
  "SHSW-21": inputs(2),
  "SHSW-22": inputs(2),
  "SHSW-44": inputs(4),
  "SHDM-1": inputs(2),
  "SHDM-2": inputs(2),
  SHRGBW2: inputs(1),
};

/** Models by the beginning of the id, for firmware that announces no model. */
const MODEL_OF_PREFIX: Readonly<Record<string, string>> = {
  shellydw: "SHDW-1",
  shellydw2: "SHDW-2",
  shellyflood: "SHWT-1",
  shellysmoke: "SHSM-01",
  shellysmoke2: "SHSM-02",
  shellysense: "SHSEN-1",
  shellygas: "SHGS-1",
  shellymotionsensor: "SHMOS-01",
  shellymotion2: "SHMOS-02",
  shellymotionsensor2: "SHMOS-02",
  shellybutton1: "SHBTN-1",
  shellybutton2: "SHBTN-2",
  shellyix3: "SHIX3-1",
  shellyuni: "SHUNI-1",
};

function makeOfName(name: string): Make | undefined {
  const model = MODEL_OF_PREFIX[name.split("-")[0]?.toLowerCase() ?? ""];
  return model === undefined ? undefined : MAKES[model];
}

function proposalsOf(make: Make, base: string, device: string): Proposal[] {
  const { contacts, tamper, battery, isSleeping, doubts = [] } = make;
  const below = <Sense extends { mqtt?: string }>(sense: Sense): Sense =>
    sense.mqtt === undefined ? sense : { ...sense, mqtt: `${base}/${sense.mqtt}` };
  // Of a sleeping device every wake-up is a sign of life; its absence is noticed by supervisionTimeoutS.
  const down: Availability["down"] = isSleeping === true ? [] : [false];
  return contacts.map(({ part, input, isAddOn: _reported, ...contact }) => ({
    ...contact,
    name: part === undefined ? device : `${device} ${part}`,
    input: below(input),
    ...(tamper ? { tamper: below(tamper) } : {}),
    ...(battery ? { battery: below(battery) } : {}),
    availability: { mqtt: `${base}/online`, up: [true], down },
    device,
    doubts,
  }));
}
