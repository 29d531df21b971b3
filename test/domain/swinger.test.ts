import { expect, test } from "vitest";
import { isShutDown, resetAfterQuietMs, countTrip, type SwingerCounters } from "../../src/domain/swinger.ts";
import { zoneOf } from "../support/watched-zones.ts";

const ZONE = { input: { simulated: true }, swinger: { maxTrips: 2 } } as const;
const GATE = zoneOf(ZONE);

/** A gate that swings within one incident. */
function swingingGate(trips: number): SwingerCounters {
  let swinging: SwingerCounters = { incidents: 1, trips: 0, counted: 0, lastWallMs: 0 };
  for (let trip = 0; trip < trips; trip += 1)
    swinging = countTrip(swinging, trip, { isStored: true, isSuppressed: false });
  return swinging;
}

test("a gate that swings within one incident is watched up to its twentieth trip, and then shut down", () => {
  expect(isShutDown(GATE, undefined)).toBe(false);
  expect(isShutDown(GATE, swingingGate(19))).toBe(false);
  expect(isShutDown(GATE, swingingGate(20))).toBe(true);
});

test("a gate that opens one incident after the other is shut down with the last that it may open", () => {
  const after = (incidents: number): boolean =>
    isShutDown(GATE, { incidents, trips: incidents, counted: 0, lastWallMs: 0 });
  expect([after(1), after(2), after(3)]).toEqual([false, true, true]);
});

test("what saves lives is never shut down", () => {
  expect(isShutDown(zoneOf({ ...ZONE, swinger: false }), swingingGate(5_000))).toBe(false);
});

test("a gate that swings too fast has each further trip counted", () => {
  const opened = countTrip(undefined, 1, { isStored: false, isSuppressed: false });
  expect(opened).toEqual({ incidents: 0, trips: 1, counted: 1, lastWallMs: 1 });
  expect(countTrip(opened, 2, { isStored: false, isSuppressed: false }).counted).toBe(2);
});

test("a trip that is held back does not wear the zone out, nor does it put off the time when all is forgotten", () => {
  const before: SwingerCounters = { incidents: 1, trips: 3, counted: 0, lastWallMs: 1_000 };
  expect(countTrip(before, 2_000, { isStored: true, isSuppressed: true })).toEqual(before);
  expect(countTrip(before, 2_000, { isStored: true, isSuppressed: false })).toEqual({
    ...before,
    trips: 4,
    lastWallMs: 2_000,
  });
});

test("a zone whose first trip is held back is quiet from that trip on", () => {
  expect(countTrip(undefined, 5, { isStored: true, isSuppressed: true })).toEqual({
    incidents: 0,
    trips: 0,
    counted: 0,
    lastWallMs: 5,
  });
});

test("a zone must be quiet for as long as its shutdown says, and what saves lives for eight hours", () => {
  const rested = zoneOf({ ...ZONE, swinger: { maxTrips: 2, resetAfterQuietS: 7_200 } });
  expect(resetAfterQuietMs(rested)).toBe(7_200_000);
  expect(resetAfterQuietMs(zoneOf({ ...ZONE, swinger: false }))).toBe(8 * 3_600_000);
});
