import { expect, test } from "vitest";
import { isOrWillBeRecorded, unrecordedReason, type TripState } from "../../src/domain/trip.ts";

test("a trip is in a record when it was dispatched, and will be while it waits; every other one has its reason", () => {
  const recorded: Readonly<Record<TripState, boolean>> = {
    waiting: true,
    posted: true,
    merged: true,
    refused: false,
    bypassed: false,
    test: false,
    gated: false,
    swinger: false,
    cancelled: false,
    recorded: false,
  };
  for (const [state, isSo] of Object.entries(recorded))
    expect([state, isOrWillBeRecorded({ state: state as TripState })]).toEqual([state, isSo]);
});

test("a restore without a record says what became of its opening", () => {
  expect(unrecordedReason({ state: "bypassed" })).toBe("its opening was bypassed");
  expect(unrecordedReason(undefined)).toBe("no opening was recorded before it");
});
