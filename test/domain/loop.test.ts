import { describe, expect, test } from "vitest";
import {
  hasOverlap,
  isSettled,
  loopOf,
  loopStateAt,
  nextRun,
  ohmsAt,
  ohmsIn,
  type LoopRun,
  type LoopState,
} from "../../src/domain/loop.ts";

const LOOP = loopOf({ normal: "2k2", alarm: "4k4", pullUp: "2k2" });

test.each([
  ["2k2", 2200],
  ["4.7k", 4700],
  ["560R", 560],
  ["1R5", 1.5],
  ["1M", 1_000_000],
  ["1M2", 1_200_000],
  [470, 470],
  ["470", 470],
  ["2k26", 2260],
])("a resistance of %s is %s Ω", (text, ohms) => {
  expect(ohmsIn(text)).toBe(ohms);
});

test("the resistance follows from the voltage at the input, between nothing and no current", () => {
  expect(ohmsAt(LOOP, 1650)).toBe(2200);
  expect(ohmsAt(LOOP, 2200)).toBeCloseTo(4400);
  expect(ohmsAt(LOOP, -3)).toBe(0);
  expect(ohmsAt(LOOP, 3300)).toBe(Infinity);
  expect(ohmsAt(LOOP, 3400)).toBe(Infinity);
});

describe("a loop of 2.2 kΩ normal and 4.4 kΩ in alarm with 10 %", () => {
  test.each<[number, LoopState]>([
    [0, "short"],
    [549, "short"],
    [551, "outside"],
    [1970, "outside"],
    [1990, "normal"],
    [2410, "normal"],
    [2430, "outside"],
    [3950, "outside"],
    [3970, "alarm"],
    [4830, "alarm"],
    [4850, "outside"],
    [17_590, "outside"],
    [17_610, "cut"],
    [Infinity, "cut"],
  ])("with %s Ω is %s", (ohms, state) => {
    expect(loopStateAt(LOOP, ohms)).toBe(state);
  });

  test.each<[LoopState, number]>([
    ["normal", 2430],
    ["alarm", 3900],
    ["short", 600],
    ["cut", 16_500],
  ])("stays %s at %s Ω, a little beyond its limit", (state, ohms) => {
    expect(loopStateAt(LOOP, ohms)).toBe("outside");
    expect(loopStateAt(LOOP, ohms, state)).toBe(state);
  });
});

test("a loop whose alarm resistance is the lower one works the same", () => {
  const loop = loopOf({ normal: "4k7", alarm: "1k", pullUp: "4k7", tolerancePercent: 15 });
  expect([1000, 4700, 100, 30_000, 2200].map((ohms) => loopStateAt(loop, ohms))).toEqual([
    "alarm",
    "normal",
    "short",
    "cut",
    "outside",
  ]);
});

test("one reading decides nothing: two for a contact, three for tamper, ten for a value without a meaning", () => {
  const settledAfter = (ohms: number): number => {
    let run: LoopRun | undefined;
    for (let reading = 1; ; reading += 1) {
      run = nextRun(LOOP, run, ohms);
      if (isSettled(run)) return reading;
    }
  };
  expect([2200, 4400, 0, Infinity, 3000].map(settledAfter)).toEqual([2, 2, 3, 3, 10]);
  // The voltage of a wire that is being cut passes through the band of an alarm.
  const cut = nextRun(LOOP, nextRun(LOOP, { state: "normal", readings: 9 }, 4400), Infinity);
  expect(cut).toEqual({ state: "cut", readings: 1 });
});

test("resistors that the tolerance makes alike are noticed", () => {
  expect(hasOverlap(LOOP)).toBe(false);
  expect(hasOverlap(loopOf({ normal: "2k2", alarm: "2k7", pullUp: "2k2" }))).toBe(true);
  expect(hasOverlap(loopOf({ normal: "2k2", alarm: "4k4", pullUp: "2k2", tolerancePercent: 30 }))).toBe(true);
  expect(hasOverlap(loopOf({ normal: "4k4", alarm: "2k2", pullUp: "2k2" }))).toBe(false);
});
