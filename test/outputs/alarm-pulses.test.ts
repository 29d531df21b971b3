import { expect, test } from "vitest";
import type { ZoneKind } from "../../src/domain/zone.ts";
import { AlarmPulses } from "../../src/outputs/alarm-pulses.ts";
import type { JournalTrip } from "../../src/store/dispatched-trips.ts";
import { zoneOf } from "../support/monitored-zones.ts";
import { ManualClock } from "../support/manual-clock.ts";

const PULSE_MS = 180_000;
const KINDS: Readonly<Record<string, ZoneKind>> = { smoke: "fire", counter: "holdup" };

function pulsesOf(clock: ManualClock, rows: JournalTrip[]): AlarmPulses {
  return new AlarmPulses({
    clock,
    bootId: "this",
    offDisk: { dispatched: () => [] },
    zoneOverrides: { isSilenced: () => false, isSwitchedSince: () => false },
    entryDelays: { isOver: () => false, endedAtStartMs: () => undefined },
    trips: { newestSeq: () => rows.at(-1)?.seq ?? 0, after: (seq) => rows.filter((row) => row.seq > seq) },
    zoneOf: (zoneId) => {
      const kind = KINDS[zoneId];
      return kind && zoneOf({ id: zoneId, kind, input: { simulated: true } });
    },
  });
}

const trip = (clock: ManualClock, agoMs: number, more: Partial<JournalTrip> = {}): JournalTrip => ({
  seq: 1,
  key: "trip",
  zoneId: "smoke",
  isDelayed: false,
  bootId: "this",
  monotonicMs: clock.monotonicMs() - agoMs,
  wallMs: clock.wallMs() - agoMs,
  ...more,
});

/** Milliseconds that are left of the pulse. */
function leftMs(clock: ManualClock, row: JournalTrip): number {
  const pulses = pulsesOf(clock, [row]);
  pulses.read();
  return (pulses.endMs(PULSE_MS, null) ?? -Infinity) - clock.monotonicMs();
}

test("a new trip has its whole pulse, and a second one prolongs it", () => {
  const clock = new ManualClock();
  const rows: JournalTrip[] = [];
  const pulses = pulsesOf(clock, rows);
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBeUndefined();
  rows.push(trip(clock, 0));
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBe(PULSE_MS);
  clock.advance(100_000);
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBe(PULSE_MS);
  rows.push(trip(clock, 0, { seq: 2, zoneId: "counter" }));
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBe(100_000 + PULSE_MS);
  expect(pulses.endMs(PULSE_MS, ["fire"])).toBe(PULSE_MS);
  expect(pulses.endMs(PULSE_MS, ["flood"])).toBeUndefined();
});

test("a trip counts from the end of its entry delay, however much is recorded in it", () => {
  const clock = new ManualClock();
  const rows = [trip(clock, 0, { isDelayed: true })];
  const pulses = pulsesOf(clock, rows);
  pulses.read();
  clock.advance(45_000);
  rows.push(trip(clock, 0, { seq: 5_000, zoneId: "counter", isDelayed: true }));
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBeUndefined();
  rows[0] = trip(clock, 45_000);
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBe(45_000 + PULSE_MS);
});

test("after two hours without an output that needs them, a trip of an hour ago has no pulse, and one of ten seconds ago has", () => {
  const clock = new ManualClock();
  const rows: JournalTrip[] = [];
  const pulses = pulsesOf(clock, rows);
  pulses.read();
  clock.advance(7_200_000);
  rows.push(trip(clock, 3_600_000));
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBe(3_600_000 + PULSE_MS);
  rows.push(trip(clock, 10_000, { seq: 2 }));
  pulses.read();
  expect(pulses.endMs(PULSE_MS, null)).toBe(7_200_000 + PULSE_MS);
});

test.each([
  ["of this boot, two minutes ago: the rest", 120_000, {}, PULSE_MS - 120_000],
  ["of this boot, ten seconds ago: the whole pulse once more", 10_000, {}, PULSE_MS],
  ["of this boot, an hour ago: nothing", 3_600_000, {}, PULSE_MS - 3_600_000],
  [
    "of an earlier boot, by the wall clock",
    120_000,
    { bootId: "earlier", monotonicMs: 7 },
    PULSE_MS - 120_000,
  ],
  [
    "of an earlier boot, a minute before a clock that was set back an hour",
    -3_600_000,
    { bootId: "earlier" },
    PULSE_MS - 3_600_000,
  ],
] as const)("after a restart a trip %s", (_what, agoMs, more, left) => {
  const clock = new ManualClock();
  clock.advance(10_000_000);
  expect(leftMs(clock, trip(clock, agoMs, more))).toBe(left);
});
