import type { Gate as GateOptions, GateDc09, GateMqtt } from "../generated/types.ts";
import { GPIO_INPUT_DEFAULTS } from "../generated/defaults.ts";
import { lineName, type LineInput } from "./gpio-chip.ts";
import type { Contact } from "./zone.ts";
import { localDayTime, type LocalDayTime } from "./calendar.ts";

/**
 * When a zone's trips are dispatched. The daemon never owns the armed state: it follows a schedule, a message or a key
 * switch.
 */
export type Gate =
  | { readonly by: "always" }
  | { readonly by: "schedule"; readonly spans: readonly ScheduleSpan[]; readonly exitDelayMs: number }
  | ({ readonly by: "mqtt"; readonly id: string; readonly exitDelayMs: number } & GateMqtt)
  | ({ readonly by: "gpio"; readonly id: string; readonly exitDelayMs: number } & LineInput)
  | ({ readonly by: "dc09"; readonly id: string; readonly exitDelayMs: number } & Omit<
      GateDc09,
      "exitDelayS"
    >);

/** One interval of a schedule: on these days from `fromMin` to `toMin`, into the next day if `toMin` is not later. */
interface ScheduleSpan {
  /** 0 is Monday. */
  readonly days: readonly number[];
  /** Minutes since midnight. */
  readonly fromMin: number;
  readonly toMin: number;
}

/** A gate as text, to tell whether it was replaced. */
export function gateText(gate: Gate): string {
  return JSON.stringify(gate);
}

/** Last reported state of a gate; `unknown` before the first report. */
export type GateState = "open" | "closed" | "unknown";

/** State of a gate for the contact of its key switch or the value of its message. */
export function gateStateOf(contact: Contact): GateState {
  const states = { open: "open", normal: "closed", unknown: "unknown" } as const;
  return states[contact];
}

/** Resolves a gate's options. @returns undefined for an invalid schedule */
export function resolveGate(options: GateOptions | undefined): Gate | undefined {
  if (options === undefined || options === "always") return { by: "always" };
  const exitDelayMs = (options.exitDelayS ?? 0) * 1000;
  if ("schedule" in options) {
    const spans = parseSchedule(options.schedule);
    return spans && { by: "schedule", spans, exitDelayMs };
  }
  if ("gpio" in options)
    return { by: "gpio", id: `gpio ${lineName(options)}`, exitDelayMs, ...GPIO_INPUT_DEFAULTS, ...options };
  if ("dc09" in options) {
    const { partition } = options;
    const dc09 = options.dc09.toUpperCase();
    return { by: "dc09", id: `dc09 ${dc09} ${partition ?? ""}`, exitDelayMs, ...options, dc09 };
  }
  // Two gates on one topic that read different values are separate gates. Without `bits`, the id is that of earlier releases.
  const { mqtt, path = "", open, normal, where, bits } = options;
  const id = `mqtt ${mqtt} ${path} ${JSON.stringify({ open, normal, where, bits })}`;
  return { by: "mqtt", id, exitDelayMs, ...options };
}

/**
 * Whether a zone's trips are dispatched now.
 * @param wallMs null while the clock is not trusted
 * @param stateOf returns the last reported state of a gate
 */
export function isGateOpen(
  gate: Gate,
  wallMs: number | null,
  timeZone: string,
  stateOf: (gateId: string) => GateState,
): boolean {
  if (gate.by === "always") return true;
  // If the state is unknown, an extra alarm is better than a missed one.
  if (gate.by !== "schedule") return stateOf(gate.id) !== "closed";
  if (wallMs === null) return true;
  return armingTimes(wallMs, timeZone).some((time) => gate.spans.some((span) => isInside(span, time)));
}

/**
 * The local times at which a schedule is asked whether it is armed now. In the hour that a clock change repeats, also the end of
 * its first pass: an interval that has started in it goes on, although the local time of its start comes again.
 */
function armingTimes(wallMs: number, timeZone: string): readonly LocalDayTime[] {
  const now = localDayTime(wallMs, timeZone);
  const before = localDayTime(wallMs - HOUR_MS, timeZone);
  const isRepeated = before.day === now.day && before.minute === now.minute;
  return isRepeated ? [now, { ...now, minute: now.minute - (now.minute % 60) + 59 }] : [now];
}

const HOUR_MS = 3_600_000;

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const ENTRY = /^([a-z]{3})(?:-([a-z]{3}))?(?:\s+(\d{2}):(\d{2})-(\d{2}):(\d{2}))?$/;
const DAY_MIN = 24 * 60;

/** Reads a schedule such as `sun-fri 18:00-07:00, sat-sun`. @returns undefined if it is invalid */
export function parseSchedule(text: string): readonly ScheduleSpan[] | undefined {
  const spans = text.split(",").map((entry) => parseEntry(entry.trim().toLowerCase()));
  return spans.every((span) => span !== undefined) ? spans : undefined;
}

function parseEntry(entry: string): ScheduleSpan | undefined {
  const [, first = "", last = first, fromHour, fromMinute, toHour, toMinute] = ENTRY.exec(entry) ?? [];
  const from = DAYS.indexOf(first);
  const to = DAYS.indexOf(last);
  if (from < 0 || to < 0) return undefined;
  const length = ((to - from + 7) % 7) + 1;
  const days = Array.from({ length }, (_, index) => (from + index) % 7);
  if (fromHour === undefined) return { days, fromMin: 0, toMin: DAY_MIN };
  const fromMin = minuteOf(fromHour, fromMinute);
  const toMin = minuteOf(toHour, toMinute);
  return fromMin >= DAY_MIN || toMin > DAY_MIN || fromMin === toMin ? undefined : { days, fromMin, toMin };
}

function minuteOf(hour: string | undefined, minute: string | undefined): number {
  return Number(minute) < 60 ? Number(hour) * 60 + Number(minute) : Infinity;
}

/** By local time: when clocks change, the interval still starts and ends at its local times. */
function isInside({ days, fromMin, toMin }: ScheduleSpan, { day, minute }: LocalDayTime): boolean {
  if (fromMin < toMin) return days.includes(day) && minute >= fromMin && minute < toMin;
  const yesterday = (day + 6) % 7;
  return (days.includes(day) && minute >= fromMin) || (days.includes(yesterday) && minute < toMin);
}

/** When a schedule disarms in the night, although the day before was armed as a whole. */
interface ScheduleGap {
  /** As in the schedule, such as `mon`. */
  readonly day: string;
  /** When it arms again. */
  readonly until: string;
}

/**
 * The first night that a schedule probably leaves out by mistake: it arms a whole day, disarms at midnight, and arms again later
 * on the next day, as `mon-fri 18:00-07:00, sat-sun` does on Monday.
 * @returns undefined if there is none, or if the schedule is invalid
 */
export function gapAfterWholeDay(schedule: string): ScheduleGap | undefined {
  const spans = parseSchedule(schedule) ?? [];
  const isArmed = (day: number, minute: number): boolean =>
    spans.some((span) => isInside(span, { day, minute }));
  const minutes = Array.from({ length: DAY_MIN }, (_, minute) => minute);
  for (const [day, name] of DAYS.entries()) {
    const yesterday = (day + 6) % 7;
    const isAfterWholeDay = spans.some(
      ({ days, fromMin, toMin }) => days.includes(yesterday) && fromMin === 0 && toMin === DAY_MIN,
    );
    const until = minutes.find((minute) => isArmed(day, minute));
    if (isAfterWholeDay && until !== undefined && until > 0) return { day: name, until: timeOfDay(until) };
  }
  return undefined;
}

function timeOfDay(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) =>
    String(part).padStart(2, "0"),
  );
  return `${hours}:${minutes}`;
}
