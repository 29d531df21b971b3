import type { MqttInput } from "../../generated/types.ts";
import type { Proposal, ReceivedMessage } from "./device.ts";
import type { Doubt } from "./doubt.ts";
import type { OnLeftOut } from "./left-out.ts";
import { kindOfName } from "./name-hints.ts";
import { fieldOf, listOf, pointerTo, sentOf, textOf, type Fields } from "./values.ts";

/** Where a device takes commands and publishes; each ends with a slash. */
export interface TasmotaTopics {
  readonly cmnd: string;
  readonly stat: string;
  readonly tele: string;
}

export interface TasmotaInput extends Omit<Proposal, "name" | "device"> {
  readonly label: string;
  /** The transmitter that it is; undefined for what belongs to the device itself. */
  readonly transmitter?: string;
}

/** A button sends no release; long enough that one press is one trip. */
const PRESS_RESTORE_S = 30;
/** More than any device has. */
const SWITCHES_MAX = 28;
const BUTTONS_MAX = 32;
const BUTTON_PRESSES = ["SINGLE", "DOUBLE", "TRIPLE", "QUAD", "PENTA", "HOLD"] as const;

/**
 * What a switch publishes at a change, by its `SwitchMode`. `level`: ON or OFF, as an action. `telemetry`: its level in the form
 * of the telemetry. `turn`: TOGGLE at both changes, which does not tell them apart. `press`: an action at each press.
 */
type Report = "level" | "telemetry" | "turn" | "press";
const REPORTS: readonly Report[] = [
  "turn",
  "level",
  "level",
  "press",
  "press",
  "press",
  "press",
  "turn",
  "turn",
  "level",
  "level",
  "press",
  "press",
  "press",
  "press",
  "telemetry",
  "telemetry",
];
/** The mode in which every change is in the form of the telemetry, at once, and no relay follows. */
const AT_ONCE = 15;
/** The modes that count presses while the button is held have actions of their own. */
const HELD = ["POWER_INCREMENT", "POWER_INV", "POWER_100"];

/** The texts of a device for OFF, ON, TOGGLE and HOLD. */
interface Words {
  readonly off: string;
  readonly on: string;
  readonly toggle: string;
  readonly hold: string;
}

interface Switch {
  readonly number: number;
  readonly label: string;
  /** Undefined for a device that keeps it to itself, which is the factory setting. */
  readonly mode: number | undefined;
}

/** The switches of a device, with the telemetry that it announced. */
export function switchesOf(config: Fields, sensors: Fields, topics: TasmotaTopics): TasmotaInput[] {
  const [off = "OFF", on = "ON", toggle = "TOGGLE", hold = "HOLD"] = listOf(config["state"]).map(textOf);
  const words: Words = { off, on, toggle, hold };
  const declared = declaredSwitches(config);
  const switches = declared.length > 0 ? declared : switchesInTelemetry(sensors, words);
  return switches.slice(0, SWITCHES_MAX).map((one) => switchInput(one, { config, topics, words }));
}

/** Modes and names are only declared with `SetOption114 1`; otherwise each mode is -1. */
function declaredSwitches(config: Fields): Switch[] {
  const names = listOf(config["swn"]);
  return listOf(config["swc"]).flatMap((mode, index) =>
    typeof mode === "number" && mode >= 0
      ? [{ number: index + 1, label: textOf(names[index]) ?? `Switch${index + 1}`, mode }]
      : [],
  );
}

/** A switch is a text at the top of the telemetry; sensors are objects. The name of a switch replaces Switch1. */
function switchesInTelemetry(sensors: Fields, { off, on }: Words): Switch[] {
  return Object.keys(sensors)
    .filter((label) => sensors[label] === off || sensors[label] === on)
    .map((label, index) => {
      const number = Number(/^Switch(\d{1,2})$/.exec(label)?.[1] ?? index + 1);
      return { number, label, mode: undefined };
    });
}

function switchInput(
  { number, label, mode }: Switch,
  { config, topics, words }: { config: Fields; topics: TasmotaTopics; words: Words },
): TasmotaInput {
  const report = mode === undefined ? "turn" : (REPORTS[mode] ?? "level");
  const kind = kindOfName(label) ?? kindOfName(textOf(config["dn"]) ?? "");
  const guessed: Doubt[] = kind === undefined ? [{ code: "kind-guessed" }] : [];
  const option = `SwitchMode${number} ${AT_ONCE}`;
  const action = { mqtt: actionTopic(config, topics, `SWITCH${number}`), path: pointerTo(label, "Action") };
  if (report === "press") {
    const open: MqttInput["open"] = pressesIn(mode ?? 0, words);
    const doubts: Doubt[] = [
      { code: "press-mode", values: { mode: `SwitchMode${number} ${mode}`, option } },
      { code: "button-restores-itself" },
      ...guessed,
    ];
    return {
      label,
      kind: kind ?? "panic",
      input: { ...action, open },
      autoRestoreS: PRESS_RESTORE_S,
      doubts,
    };
  }
  const place = report === "level" ? action : { mqtt: `${topics.tele}SENSOR`, path: pointerTo(label) };
  const code = report === "turn" ? "telemetry-only" : "missed-while-offline";
  const slow: Doubt[] = report === "telemetry" ? [] : [{ code, values: { option } }];
  return {
    label,
    kind: kind ?? "intrusion",
    input: { ...place, open: [words.on], normal: [words.off] },
    doubts: [{ code: "check-contact" }, ...guessed, ...slow],
  };
}

function pressesIn(mode: number, { on, toggle, hold }: Words): MqttInput["open"] {
  if (mode === 13 || mode === 14) return [on];
  if (mode === 11 || mode === 12) return [toggle, ...HELD];
  return mode === 5 || mode === 6 ? [toggle, hold] : [toggle];
}

/** `SetOption4 1` gives each command and input a topic of its own instead of RESULT. */
function actionTopic(config: Fields, { stat }: TasmotaTopics, own: string): string {
  return `${stat}${fieldOf(config["so"], "4") === 1 ? own : "RESULT"}`;
}

/** Buttons that report their presses (`SetOption73`). */
export function buttonsOf(config: Fields, topics: TasmotaTopics): TasmotaInput[] {
  if (fieldOf(config["so"], "73") !== 1) return [];
  return listOf(config["btn"]).flatMap((isUsed, index) => {
    if (isUsed !== 1 || index >= BUTTONS_MAX) return [];
    const label = `Button${index + 1}`;
    const mqtt = actionTopic(config, topics, label.toUpperCase());
    return [
      {
        label,
        kind: "panic" as const,
        input: { mqtt, path: pointerTo(label, "Action"), open: [...BUTTON_PRESSES] },
        autoRestoreS: PRESS_RESTORE_S,
        doubts: [{ code: "kind-guessed" as const }, { code: "button-restores-itself" as const }],
      },
    ];
  });
}

/** The remote control of a neighbour is received as well; a building has a few dozen wireless sensors. */
const CODES_MAX = 32;
const RADIO = /\/(RESULT|RFRECEIVED)$/;

/** The code that a bridge for wireless sensors has received; undefined for any other message. */
export function codeIn({ topic, json }: ReceivedMessage): string | undefined {
  const code = RADIO.test(topic) ? sentOf(fieldOf(fieldOf(json, "RfReceived"), "Data")) : undefined;
  return code === undefined || code === "" ? undefined : String(code);
}

/**
 * A code of 24 bits, as those of PT2262 and EV1527: a number with SetOption28, otherwise hexadecimal. A Sonoff RF Bridge sends six
 * digits; other receivers put `0x` before them, and leave out zeros at the beginning.
 */
const SHORT_CODE = /^(?:0x([0-9a-f]{1,6})|([0-9a-f]{6}))$/i;
const SHORT_CODE_BITS = 24;
/** What it reports, behind its address: four bits with EV1527, eight with PT2262. */
const REPORT_BITS = 8;

/** The device of a code: the transmitter, whichever bridge has received it. Its codes have the address in common. */
function transmitterOf(code: string, { json }: ReceivedMessage): string {
  const received = fieldOf(json, "RfReceived");
  const data = fieldOf(received, "Data");
  const bits = fieldOf(received, "Bits") ?? SHORT_CODE_BITS;
  const [, prefixed, plain] = SHORT_CODE.exec(code) ?? [];
  const sent = typeof data === "number" ? data : Number(`0x${prefixed ?? plain}`);
  // Not a number for any other text.
  return bits === SHORT_CODE_BITS && sent >= 0 && sent < 2 ** SHORT_CODE_BITS
    ? `RF ${Math.floor(sent / 2 ** REPORT_BITS)
        .toString(16)
        .toUpperCase()
        .padStart(4, "0")}`
    : `RF ${code}`;
}

/** One zone for each code that was received: a sensor sends one when it opens, and often another when it closes. */
export function codesOf(messages: readonly ReceivedMessage[], onLeftOut: OnLeftOut): TasmotaInput[] {
  const last = new Map(
    messages.flatMap((message) => {
      const code = codeIn(message);
      return code === undefined ? [] : [[code, message] as const];
    }),
  );
  if (last.size > CODES_MAX) onLeftOut("components", CODES_MAX);
  return [...last].slice(-CODES_MAX).map(([code, message]) => ({
    label: code,
    transmitter: transmitterOf(code, message),
    kind: "intrusion",
    input: { mqtt: message.topic, path: "/RfReceived/Data", open: [code] },
    autoRestoreS: PRESS_RESTORE_S,
    doubts: [{ code: "radio-code", values: { code } }, { code: "kind-guessed" }],
  }));
}
