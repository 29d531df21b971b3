import { isOneOf, type Scalar } from "../plain-value.ts";
import type { TemplateValue } from "./home-assistant-condition.ts";
import { readTemplate } from "./home-assistant-template.ts";
import { BUTTON_RESTORE_S, callsIn, pressesIn, withoutReleases } from "./presses.ts";
import { sentOf, TEXT_LENGTH_MAX, textOf, textsOf, type Fields } from "./values.ts";

type Values = readonly [Scalar, ...Scalar[]];

/** Where the state of an entity is in its messages, and which values open and close a zone. */
export interface EntityStates extends TemplateValue {
  /** Set if the value is computed by a template, so that `path`, `open` and `normal` are not certain. */
  readonly template: string | undefined;
  /** Set if the values are a guess from such a template. */
  readonly isGuess?: true;
  /** Set if no value ends the state, so that only time does. */
  readonly isEndless?: true;
  readonly open: Values;
  /** Undefined if every other value is normal. */
  readonly normal: Values | undefined;
  /** Of an alarm panel whose messages have its states as they are: those in which it is armed. */
  readonly armed?: Values;
  /** Set if the values are of another class than the announced one. */
  readonly deviceClass?: string;
  /** Seconds after which the state ends without a message; set for an event, which has no end. */
  readonly endsAfterS?: number;
}

/** States of an alarm panel. `arming`, `pending` and `disarming` are between two of them. */
const TRIGGERED = "triggered";
const DISARMED = "disarmed";
const ARMED = ["armed_away", "armed_home", "armed_night", "armed_vacation", "armed_custom_bypass"] as const;
/** States of a cover in which it is not closed, with their usual words. */
const NOT_CLOSED = { state_open: "open", state_opening: "opening", state_closing: "closing" } as const;
/** In an option of the configuration. */
const VALUES_MAX = 16;

/** The states of an entity; undefined for one that no zone can read. */
export function statesOf(component: string, fields: Fields): EntityStates | undefined {
  switch (component) {
    case "alarm_control_panel":
      return alarmPanelStates(fields);
    case "cover":
      return coverStates(fields);
    case "event":
      return eventStates(fields);
    case "device_automation":
      return triggerStates(fields);
    default:
      return sensorStates(fields);
  }
}

/** A template; one that is too long for a simple path is cut, so that it is none. */
export function templateIn(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return value.length > TEXT_LENGTH_MAX ? `${value.slice(0, TEXT_LENGTH_MAX)}…` : value;
}

function sensorStates(fields: Fields): EntityStates {
  const template = templateIn(fields["value_template"]);
  const results = { on: sentOf(fields["payload_on"]) ?? "ON", off: sentOf(fields["payload_off"]) ?? "OFF" };
  const reading = template === undefined ? undefined : readTemplate(template, results);
  const on = atLeastOne(reading?.on) ?? [results.on];
  const off = reading && !reading.off ? undefined : (atLeastOne(reading?.off) ?? [results.off]);
  // rtl_433 announces as unsafe what is closed.
  const isOfClosed =
    fields["device_class"] === "safety" && (textOf(fields["state_topic"]) ?? "").endsWith("/closed");
  const isSwapped = isOfClosed && off !== undefined && String(results.on) === "1";
  const { isGuess } = reading ?? {};
  const isEndless =
    (reading?.isEndless ?? (reading?.isComputed !== true && isCode(fields, on))) &&
    fields["off_delay"] === undefined;
  return {
    ...placeOf(reading),
    template: reading?.isComputed === true ? template : undefined,
    ...(isGuess ? { isGuess } : {}),
    ...(isEndless ? { isEndless, endsAfterS: BUTTON_RESTORE_S } : {}),
    open: isSwapped ? off : on,
    normal: isSwapped ? on : off,
    ...(isSwapped ? { deviceClass: "opening" } : {}),
  };
}

/** Whether a value of its own opens a sensor, such as the code of a transmitter, and none is announced that ends it. */
function isCode(fields: Fields, on: readonly Scalar[]): boolean {
  const sent = sentOf(fields["payload_on"]);
  const isUsual = sent === undefined || isOneOf(["ON"], sent);
  return !isUsual && fields["payload_off"] === undefined && isOneOf(on, sent);
}

function alarmPanelStates(fields: Fields): EntityStates {
  const template = templateIn(fields["value_template"]);
  const reading =
    template === undefined ? undefined : readTemplate(template, { on: TRIGGERED, off: DISARMED });
  const { on = [TRIGGERED], off = [DISARMED], isComputed = false } = reading ?? {};
  const hasOwnWords = isOneOf(on, TRIGGERED) && isOneOf(off, DISARMED);
  return {
    ...placeOf(reading),
    template: isComputed ? template : undefined,
    open: atLeastOne(on) ?? [TRIGGERED],
    normal: hasOwnWords ? [DISARMED, ...ARMED] : atLeastOne(off),
    ...(hasOwnWords && !isComputed ? { armed: ARMED } : {}),
  };
}

/** `stopped` says nothing about where it has stopped. A cover may have one word for two states; `closed` always closes. */
function coverStates(fields: Fields): EntityStates {
  const template = templateIn(fields["value_template"]);
  const closed = sentOf(fields["state_closed"]) ?? "closed";
  const [open = "open", ...moving] = Object.entries(NOT_CLOSED)
    .map(([name, usual]) => sentOf(fields[name]) ?? usual)
    .filter((word, index, words) => !isOneOf([closed, ...words.slice(0, index)], word));
  const reading = template === undefined ? undefined : readTemplate(template, { on: open, off: closed });
  const { on = [open], off = [closed], isComputed = false } = reading ?? {};
  const hasOwnWords = isOneOf(on, open) && isOneOf(off, closed);
  return {
    ...placeOf(reading),
    template: isComputed ? template : undefined,
    open: hasOwnWords ? [open, ...moving] : (atLeastOne(on) ?? [open]),
    normal: atLeastOne(off),
  };
}

/** Without a template the message is an object with the type of the event. */
function eventStates(fields: Fields): EntityStates | undefined {
  const template = templateIn(fields["value_template"]);
  const reading = template === undefined ? undefined : readTemplate(template, { on: "", off: "" });
  const { path, bits } = reading ?? { path: "/event_type" };
  const types = textsOf(fields["event_types"]);
  const calls = callsIn(types);
  const presses = pressesIn(types);
  const isButton = fields["device_class"] === "button" || presses.length > 0;
  const other = "device_class" in fields ? withoutReleases(types) : [];
  const open = [calls, isButton ? presses : [], other].find((some) => some.length > 0);
  const values = atLeastOne(open?.slice(0, VALUES_MAX));
  if (path === undefined || bits !== undefined || !values) return undefined;
  return { path, template, open: values, normal: undefined, endsAfterS: BUTTON_RESTORE_S };
}

/**
 * The topic and payload of one press of a button. The type of a device trigger says what it is, or its payload if the type is no
 * more than `action`.
 */
function triggerStates(fields: Fields): EntityStates | undefined {
  const template = templateIn(fields["value_template"]);
  const sent = sentOf(fields["payload"]);
  const names = [textOf(fields["type"]) ?? "", textOf(fields["subtype"]) ?? "", String(sent ?? "")];
  const isPress = [...callsIn(names), ...pressesIn(names)].length > 0;
  if (sent === undefined || sent === "" || !isPress || withoutReleases(names).length < names.length)
    return undefined;
  const reading = template === undefined ? undefined : readTemplate(template, { on: sent, off: "" });
  const open = atLeastOne(reading?.on ?? [sent]);
  if (!open || reading?.isComputed === true || reading?.bits !== undefined) return undefined;
  return { path: reading?.path, template: undefined, open, normal: undefined, endsAfterS: BUTTON_RESTORE_S };
}

function placeOf({ path, bits }: Partial<TemplateValue> = {}): TemplateValue {
  return { path, ...(bits === undefined ? {} : { bits }) };
}

function atLeastOne(values: readonly Scalar[] = []): [Scalar, ...Scalar[]] | undefined {
  const [first, ...others] = values;
  return first === undefined ? undefined : [first, ...others];
}
