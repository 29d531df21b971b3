import { isOneOf, type Scalar } from "../plain-value.ts";
import { readTemplate } from "./home-assistant-template.ts";
import { BUTTON_RESTORE_S, callsIn, pressesIn, withoutReleases } from "./presses.ts";
import { sentOf, TEXT_LENGTH_MAX, textOf, textsOf, type Fields } from "./values.ts";

type Values = readonly [Scalar, ...Scalar[]];

/** Where the state of an entity is in its messages, and which values open and close a zone. */
export interface EntityStates {
  /** JSON Pointer; undefined for a bare value. */
  readonly path: string | undefined;
  /** Set if the value is computed by a template, so that `path`, `open` and `normal` are not certain. */
  readonly template: string | undefined;
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
  return {
    path: reading?.path,
    template: reading?.isComputed === true ? template : undefined,
    open: isSwapped ? off : on,
    normal: isSwapped ? on : off,
    ...(isSwapped ? { deviceClass: "opening" } : {}),
  };
}

function alarmPanelStates(fields: Fields): EntityStates {
  const template = templateIn(fields["value_template"]);
  const reading =
    template === undefined ? undefined : readTemplate(template, { on: TRIGGERED, off: DISARMED });
  const { path, on = [TRIGGERED], off = [DISARMED], isComputed = false } = reading ?? {};
  const hasOwnWords = isOneOf(on, TRIGGERED) && isOneOf(off, DISARMED);
  return {
    path,
    template: isComputed ? template : undefined,
    open: atLeastOne(on) ?? [TRIGGERED],
    normal: hasOwnWords ? [DISARMED, ...ARMED] : atLeastOne(off),
    ...(hasOwnWords && !isComputed ? { armed: ARMED } : {}),
  };
}

/** `stopped` says nothing about where it has stopped. */
function coverStates(fields: Fields): EntityStates {
  const template = templateIn(fields["value_template"]);
  const closed = sentOf(fields["state_closed"]) ?? "closed";
  const [open = "open", ...moving] = Object.entries(NOT_CLOSED).map(
    ([name, usual]) => sentOf(fields[name]) ?? usual,
  );
  const reading = template === undefined ? undefined : readTemplate(template, { on: open, off: closed });
  const { path, on = [open], off = [closed], isComputed = false } = reading ?? {};
  const hasOwnWords = isOneOf(on, open) && isOneOf(off, closed);
  return {
    path,
    template: isComputed ? template : undefined,
    open: hasOwnWords ? [open, ...moving] : (atLeastOne(on) ?? [open]),
    normal: atLeastOne(off),
  };
}

/** Without a template the message is an object with the type of the event. */
function eventStates(fields: Fields): EntityStates | undefined {
  const template = templateIn(fields["value_template"]);
  const reading = template === undefined ? undefined : readTemplate(template, { on: "", off: "" });
  const path = reading ? reading.path : "/event_type";
  const types = textsOf(fields["event_types"]);
  const calls = callsIn(types);
  const presses = pressesIn(types);
  const isButton = fields["device_class"] === "button" || presses.length > 0;
  const other = "device_class" in fields ? withoutReleases(types) : [];
  const open = [calls, isButton ? presses : [], other].find((some) => some.length > 0);
  const values = atLeastOne(open?.slice(0, VALUES_MAX));
  if (path === undefined || !values) return undefined;
  return { path, template, open: values, normal: undefined, endsAfterS: BUTTON_RESTORE_S };
}

function atLeastOne(values: readonly Scalar[] = []): [Scalar, ...Scalar[]] | undefined {
  const [first, ...others] = values;
  return first === undefined ? undefined : [first, ...others];
}
