import { expect, test } from "vitest";
import { isShutDown, swingOnce, type Swinging } from "../../src/domain/swinger.ts";
import { zoneOf } from "../support/watched-zones.ts";

const ZONE = { input: { simulated: true }, swinger: { maxTrips: 2 } } as const;
const GATE = zoneOf(ZONE);

/** A gate that swings within one incident. */
function swingingGate(trips: number): Swinging {
  let swinging: Swinging = { incidents: 1, trips: 0, counted: 0, lastWallMs: 0 };
  for (let trip = 0; trip < trips; trip += 1)
    swinging = swingOnce(swinging, trip, { isStored: true, isHeldBack: false });
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
