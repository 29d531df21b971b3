import { expect, test } from "vitest";
import {
  applicableCounters,
  isShutDown,
  resetAfterQuietMs,
  countTrip,
  type SwingerCounters,
} from "../../src/domain/swinger.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const ZONE = { input: { simulated: true }, swinger: { maxTrips: 2 } } as const;
const GATE = zoneOf(ZONE);

/** A gate that trips repeatedly within one incident. */
function swingingGate(trips: number): SwingerCounters {
  let swinging: SwingerCounters = { incidents: 1, trips: 0, counted: 0, lastWallMs: 0 };
  for (let trip = 0; trip < trips; trip += 1)
    swinging = countTrip(swinging, trip, { isStored: true, isSuppressed: false });
  return swinging;
}

test("a gate that trips again and again within one incident is shut down after its twentieth trip", () => {
  expect(isShutDown(GATE, undefined)).toBe(false);
  expect(isShutDown(GATE, swingingGate(19))).toBe(false);
  expect(isShutDown(GATE, swingingGate(20))).toBe(true);
});

test("a gate that opens one incident after the other is shut down at the limit", () => {
  const after = (incidents: number): boolean =>
    isShutDown(GATE, { incidents, trips: incidents, counted: 0, lastWallMs: 0 });
  expect([after(1), after(2), after(3)]).toEqual([false, true, true]);
});

test("a life safety zone is never shut down", () => {
  expect(isShutDown(zoneOf({ ...ZONE, swinger: false }), swingingGate(5_000))).toBe(false);
});

test("each further trip of a gate that trips too fast is counted", () => {
  const opened = countTrip(undefined, 1, { isStored: false, isSuppressed: false });
  expect(opened).toEqual({ incidents: 0, trips: 1, counted: 1, lastWallMs: 1 });
  expect(countTrip(opened, 2, { isStored: false, isSuppressed: false }).counted).toBe(2);
});

test("a suppressed trip does not count towards a shutdown, nor does it extend the quiet time", () => {
  const before: SwingerCounters = { incidents: 1, trips: 3, counted: 0, lastWallMs: 1_000 };
  expect(countTrip(before, 2_000, { isStored: true, isSuppressed: true })).toEqual(before);
  expect(countTrip(before, 2_000, { isStored: true, isSuppressed: false })).toEqual({
    ...before,
    trips: 4,
    lastWallMs: 2_000,
  });
});

test("the quiet time of a zone starts with a suppressed first trip", () => {
  expect(countTrip(undefined, 5, { isStored: true, isSuppressed: true })).toEqual({
    incidents: 0,
    trips: 0,
    counted: 0,
    lastWallMs: 5,
  });
});

test("a zone must be quiet for its shutdown time, a life safety zone for eight hours", () => {
  const rested = zoneOf({ ...ZONE, swinger: { maxTrips: 2, resetAfterQuietS: 7_200 } });
  expect(resetAfterQuietMs(rested)).toBe(7_200_000);
  expect(resetAfterQuietMs(zoneOf({ ...ZONE, swinger: false }))).toBe(8 * 3_600_000);
});

test("the counts apply until the zone has been quiet for its time, also when the clock is set back", () => {
  const counters = { ...swingingGate(20), lastWallMs: 100_000_000 };
  const quietMs = resetAfterQuietMs(GATE);
  const apply = (afterMs: number): boolean =>
    applicableCounters(GATE, counters, counters.lastWallMs + afterMs) === counters;
  expect([0, quietMs - 1, quietMs].map(apply)).toEqual([true, true, false]);
  expect([1 - quietMs, -quietMs].map(apply)).toEqual([true, false]);
  expect(applicableCounters(GATE, undefined, 0)).toBeUndefined();
});
