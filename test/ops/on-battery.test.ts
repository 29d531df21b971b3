import { beforeEach, expect, test } from "vitest";
import type { Contact } from "../../src/domain/zone.ts";
import type { OnBatteryConfig } from "../../src/domain/on-battery.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { OnBattery } from "../../src/ops/on-battery.ts";
import { ManualClock } from "../support/manual-clock.ts";

const MINUTE_MS = 60_000;
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let clock: ManualClock;
let contacts: Record<string, Contact>;
let waiting: number;
let config: OnBatteryConfig | null;
let orders: number;
let conditions: ConditionRegistry;
beforeEach(() => {
  clock = new ManualClock();
  contacts = { mains: "normal", battery: "normal" };
  waiting = 0;
  config = { mains: "mains", batteryLow: "battery", powerOffAfterMs: 10 * MINUTE_MS };
  orders = 0;
  conditions = new ConditionRegistry(clock, log);
});

function watch(fault?: string, hostUpMs = 3_600_000): () => void {
  const battery = new OnBattery({
    config: () => config,
    contactOf: (zoneId) => contacts[zoneId] ?? "unknown",
    waiting: () => waiting,
    fault,
    hostUpMs,
    powerOff: () => (orders += 1),
    clock,
    log,
    conditions,
    record: () => {},
  });
  return battery.start();
}
const codes = (): string[] => conditions.list().map(({ code }) => code);

test("a site that has been on battery for the configured time powers off, once", () => {
  watch();
  clock.advance(5 * MINUTE_MS);
  contacts["mains"] = "open";
  clock.advance(9 * MINUTE_MS);
  expect([orders, codes()]).toEqual([0, ["on-battery"]]);
  clock.advance(5 * MINUTE_MS);
  expect(orders).toBe(1);
});

test("mains that returns in time begins the count again", () => {
  watch();
  contacts["mains"] = "open";
  clock.advance(9 * MINUTE_MS);
  contacts["mains"] = "normal";
  clock.advance(MINUTE_MS);
  expect(codes()).toEqual([]);
  contacts["mains"] = "open";
  clock.advance(9 * MINUTE_MS);
  expect(orders).toBe(0);
});

test("a low battery powers off at once without mains, and never with it", () => {
  watch();
  contacts["battery"] = "open";
  clock.advance(60 * MINUTE_MS);
  expect(orders).toBe(0);
  contacts["mains"] = "open";
  clock.advance(2_000);
  expect(orders).toBe(1);
});

test("a machine that boots with an empty battery stays reachable for two minutes", () => {
  contacts = { mains: "open", battery: "open" };
  watch(undefined, 0);
  clock.advance(2 * MINUTE_MS - 2_000);
  expect(orders).toBe(0);
  clock.advance(4_000);
  expect(orders).toBe(1);
});

test("records that are on their way delay it for twenty seconds at most", () => {
  watch();
  clock.advance(5 * MINUTE_MS);
  waiting = 2;
  contacts = { mains: "open", battery: "open" };
  clock.advance(15_000);
  expect(orders).toBe(0);
  waiting = 0;
  clock.advance(2_000);
  expect(orders).toBe(1);
});

test("mains that cannot be read stops the count, which continues for at least a minute once it is read as open again", () => {
  watch();
  contacts["mains"] = "open";
  clock.advance(9 * MINUTE_MS);
  contacts["mains"] = "unknown";
  clock.advance(60 * MINUTE_MS);
  expect([orders, codes()]).toEqual([0, ["on-battery"]]);
  contacts["mains"] = "open";
  clock.advance(MINUTE_MS - 2_000);
  expect(orders).toBe(0);
  clock.advance(4_000);
  expect(orders).toBe(1);
});

test("a count that was near its end gives a sensor a minute to report that mains is back", () => {
  watch();
  contacts["mains"] = "open";
  clock.advance(10 * MINUTE_MS - 5_000);
  contacts["mains"] = "unknown";
  clock.advance(3 * MINUTE_MS);
  contacts["mains"] = "open";
  clock.advance(50_000);
  expect(orders).toBe(0);
  contacts["mains"] = "normal";
  clock.advance(60 * MINUTE_MS);
  expect([orders, codes()]).toEqual([0, []]);
});

test("a low battery powers off although mains can no longer be read", () => {
  watch();
  contacts["mains"] = "open";
  clock.advance(MINUTE_MS);
  contacts["mains"] = "unknown";
  contacts["battery"] = "open";
  clock.advance(2_000);
  expect(orders).toBe(1);
});

test("a zone that has not reported does not power off, nor does a removed section", () => {
  contacts = {};
  watch();
  clock.advance(60 * MINUTE_MS);
  contacts = { mains: "open", battery: "open" };
  config = null;
  clock.advance(60 * MINUTE_MS);
  expect(orders).toBe(0);
});

test("a machine that could not be powered off is not stopped again until mains was there", () => {
  contacts["mains"] = "open";
  watch("Access denied");
  clock.advance(60 * MINUTE_MS);
  expect([orders, codes()]).toEqual([0, ["power-off-failed", "on-battery"]]);
  contacts["mains"] = "normal";
  clock.advance(2_000);
  expect(codes()).toEqual([]);
  contacts["mains"] = "open";
  clock.advance(11 * MINUTE_MS);
  expect(orders).toBe(1);
});
