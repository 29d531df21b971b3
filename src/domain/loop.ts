import { ADC_INPUT_DEFAULTS, END_OF_LINE_DEFAULTS } from "../generated/defaults.ts";
import type { AdcInput, EndOfLine } from "../generated/types.ts";

/** A loop with end-of-line resistors at an input of a converter, with its values in ohms. */
export interface LoopInput {
  readonly adc: string;
  readonly channel: number;
  readonly everyMs: number;
  readonly loop: Loop;
}

export interface Loop {
  readonly normalOhms: number;
  readonly alarmOhms: number;
  readonly pullUpOhms: number;
  /** Voltage at the pull-up resistor. */
  readonly supplyMv: number;
  /** Part of the value, such as 0.1. */
  readonly tolerance: number;
}

/** What a loop shows. `cut` and `short` are tamper; `outside`: a value that none of the others explains. */
export type LoopState = "short" | "normal" | "alarm" | "cut" | "outside";

/** What the loop of a zone shows. */
export interface LoopView {
  /** `unread`: not read yet, or its converter does not answer. */
  readonly state: LoopState | "unread";
  /** Ohms of the last reading, rounded to two digits; null if there is none, or if no current flows. */
  readonly ohms: number | null;
}

/** A state counts from this many equal readings on: one may fall into a moment at which the voltage is changing. */
const READINGS_NEEDED: Readonly<Record<LoopState, number>> = {
  normal: 2,
  alarm: 2,
  short: 3,
  cut: 3,
  outside: 10,
};
/** A loop leaves its band only beyond this additional part of the tolerance, so that noise at a limit changes nothing. */
const HYSTERESIS = 0.2;
/** A wet or corroded cable is far from a short circuit or a cut wire, and is reported with its value instead. */
const SHORT_BELOW = 1 / 4;
const CUT_ABOVE = 4;
/** Of the limits of short and cut. */
const LIMIT_HYSTERESIS = 0.1;

/** Resolves an input's defaults and units. */
export function loopInputOf({ adc, channel, everyMs, eol }: AdcInput): LoopInput {
  return { adc, channel, everyMs: everyMs ?? ADC_INPUT_DEFAULTS.everyMs, loop: loopOf(eol) };
}

export function loopOf(options: EndOfLine): Loop {
  const { normal, alarm, pullUp, supplyV, tolerancePercent } = { ...END_OF_LINE_DEFAULTS, ...options };
  return {
    normalOhms: ohmsIn(normal),
    alarmOhms: ohmsIn(alarm),
    pullUpOhms: ohmsIn(pullUp),
    supplyMv: supplyV * 1000,
    tolerance: tolerancePercent / 100,
  };
}

/** Ohms of `2k2`, `4.7k`, `560R`, `1M` or a number; the schema allows no other text. */
export function ohmsIn(text: string | number): number {
  const [, whole = "", unit = "", rest = ""] = /^([\d.]+)([RkM]?)(\d*)$/.exec(String(text)) ?? [];
  const factors: Readonly<Record<string, number>> = { k: 1_000, M: 1_000_000 };
  return Math.round(Number(rest === "" ? whole : `${whole}.${rest}`) * (factors[unit] ?? 1) * 1000) / 1000;
}

/** The resistance of a loop from the voltage at its input; Infinity from the supply voltage on. */
export function ohmsAt({ pullUpOhms, supplyMv }: Loop, inputMv: number): number {
  const mv = Math.max(0, inputMv);
  return mv >= supplyMv ? Infinity : (pullUpOhms * mv) / (supplyMv - mv);
}

/** @param before the last reading: its band is a little wider */
export function loopStateAt(loop: Loop, ohms: number, before?: LoopState): LoopState {
  const { normalOhms, alarmOhms, tolerance } = loop;
  const isIn = (state: "normal" | "alarm", nominal: number): boolean =>
    Math.abs(ohms - nominal) <= nominal * tolerance * (before === state ? 1 + HYSTERESIS : 1);
  if (isIn("normal", normalOhms)) return "normal";
  if (isIn("alarm", alarmOhms)) return "alarm";
  const shortOhms = Math.min(normalOhms, alarmOhms) * SHORT_BELOW;
  if (ohms < shortOhms * (before === "short" ? 1 + LIMIT_HYSTERESIS : 1)) return "short";
  const cutOhms = Math.max(normalOhms, alarmOhms) * CUT_ABOVE;
  return ohms > cutOhms / (before === "cut" ? 1 + LIMIT_HYSTERESIS : 1) ? "cut" : "outside";
}

/** Whether a value could be both normal and alarm, also with the hysteresis. */
export function hasOverlap({ normalOhms, alarmOhms, tolerance }: Loop): boolean {
  const [low, high] = [Math.min(normalOhms, alarmOhms), Math.max(normalOhms, alarmOhms)];
  const widest = tolerance * (1 + HYSTERESIS);
  return low * (1 + widest) >= high * (1 - widest);
}

/** A run of equal readings. */
export interface LoopRun {
  readonly state: LoopState;
  readonly readings: number;
}

/** Adds a reading. @param before undefined for the first one, and after a reading that failed */
export function nextRun(loop: Loop, before: LoopRun | undefined, ohms: number): LoopRun {
  const state = loopStateAt(loop, ohms, before?.state);
  return { state, readings: before?.state === state ? before.readings + 1 : 1 };
}

/** Whether there are enough equal readings. */
export function isSettled({ state, readings }: LoopRun): boolean {
  return readings >= READINGS_NEEDED[state];
}
