import { expect, test } from "vitest";
import { inOrderOfUrgency } from "../../src/panel/zone-order.ts";

test("zones are in the order of their urgency: alarm, open, fault, other attention, bypassed, the rest", () => {
  const zones = [
    { id: "at rest", contact: "normal", tone: undefined },
    { id: "bypassed", contact: "normal", tone: "off" },
    { id: "low battery", contact: "normal", tone: "attention" },
    { id: "no reading", contact: "unknown", tone: "attention" },
    { id: "tamper", contact: "normal", tone: "fault" },
    { id: "open", contact: "open", tone: "attention" },
    { id: "alarm", contact: "open", tone: "alarm" },
    { id: "motion", contact: "open", tone: undefined },
  ] as const;
  expect(inOrderOfUrgency(zones, ({ tone }) => tone).map(({ id }) => id)).toEqual([
    "alarm",
    "open",
    "tamper",
    "low battery",
    "no reading",
    "bypassed",
    "at rest",
    "motion",
  ]);
});
