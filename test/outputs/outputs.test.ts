import { beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/domain/event.ts";
import type { HeadlineCode } from "../../src/domain/headline.ts";
import type { Output, OutputFacts } from "../../src/domain/output.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { AlarmPulses } from "../../src/outputs/alarm-pulses.ts";
import { Outputs } from "../../src/outputs/outputs.ts";
import type { DispatchedTrip } from "../../src/store/dispatched-trips.ts";
import { ManualClock } from "../support/manual-clock.ts";

const BY = { who: "ana@site.example", from: "192.168.1.9" };

let clock: ManualClock;
let conditions: ConditionRegistry;
let switched: boolean[];
let events: NewEvent[];
let facts: OutputFacts;
let rows: DispatchedTrip[];
let failure: Error | undefined;
let lookFailure: Error | undefined;
beforeEach(() => {
  clock = new ManualClock();
  [switched, events, rows, failure, lookFailure] = [[], [], [], undefined, undefined];
  facts = { headline: { reasons: [] }, link: { state: "up" } };
  conditions = new ConditionRegistry(clock, log());
});

function log(): JsonLog {
  return new JsonLog({ level: "error", clock, write: () => {} });
}

function outputs(options: Partial<Output>): Outputs {
  const output: Output = {
    name: "lamp",
    reason: "not-ready",
    kinds: null,
    target: { by: "mqtt", topic: "lamp", on: "ON", off: "OFF" },
    pulseMs: null,
    delayMs: 0,
    isInverted: false,
    ...options,
  };
  const started = new Outputs({
    outputs: [output],
    deviceOf: () => ({
      set: async (isOn) => {
        if (failure) throw failure;
        switched.push(isOn);
        return Promise.resolve();
      },
      stop: async () => Promise.resolve(),
    }),
    pulses: new AlarmPulses({ clock, bootId: "b", trips: { newest: () => rows }, kindOf: () => "fire" }),
    look: () => {
      if (lookFailure) throw lookFailure;
      return facts;
    },
    clock,
    log: log(),
    conditions,
    record: (event) => void events.push(event),
  });
  started.start();
  return started;
}

const because = (...codes: HeadlineCode[]): OutputFacts => ({
  headline: { reasons: codes.map((code) => ({ code, level: "fault", count: 1, items: [] })) },
  link: { state: "up" },
});

/** Advances by whole seconds, and lets each switch end. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await Promise.resolve();
    clock.advance(1_000);
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  }
}

test("a reason must last for its time, and a short one switches nothing", async () => {
  outputs({ delayMs: 60_000 });
  await pass(1);
  facts = because("zone-fault");
  await pass(59);
  facts = because("work-unfinished");
  await pass(2);
  facts = because("zone-unknown");
  await pass(60);
  expect(switched).not.toContain(true);
  await pass(2);
  expect(switched.at(-1)).toBe(true);
  facts = because();
  await pass(1);
  expect(switched.at(-1)).toBe(false);
  expect(events.map(({ detail }) => detail)).toEqual([
    { state: "on", reason: "not-ready" },
    { state: "off", reason: "not-ready" },
  ]);
});

test("a lost link gives one pulse for each loss", async () => {
  outputs({ reason: "link-lost", pulseMs: 5_000 });
  for (let loss = 0; loss < 2; loss += 1) {
    facts = { ...because(), link: { state: "down" } };
    await pass(20);
    facts = { ...because(), link: { state: "up" } };
    await pass(3);
  }
  expect(switched).toEqual([false, true, false, true, false]);
});

test("a trip switches a pulse soon after it", async () => {
  const started = outputs({ reason: "alarm", pulseMs: 3_000 });
  await pass(1);
  rows.push({
    seq: 1,
    zoneId: "smoke",
    bootId: "b",
    monotonicMs: clock.monotonicMs(),
    wallMs: clock.wallMs(),
  });
  started.checkSoon();
  started.checkSoon();
  clock.advance(100);
  await pass(0);
  expect(switched).toEqual([false, true]);
  await pass(5);
  expect(switched).toEqual([false, true, false]);
});

test("a failing output is a condition after ten seconds, and is switched when it works again", async () => {
  failure = new Error("line 22 is used by another program");
  const started = outputs({});
  await pass(9);
  expect(conditions.list()).toEqual([]);
  await pass(6);
  expect(conditions.list()).toMatchObject([{ code: "output-failed", subject: "lamp" }]);
  expect(started.list()).toMatchObject([{ isOn: null, fault: "line 22 is used by another program" }]);
  failure = undefined;
  await pass(6);
  expect(switched).toEqual([false]);
  expect(conditions.list()).toEqual([]);
  expect(started.list()).toMatchObject([{ isOn: false, fault: null }]);
});

test("an unreadable database leaves the outputs as they are", async () => {
  facts = because("zone-fault");
  outputs({});
  await pass(1);
  lookFailure = new Error("database disk image is malformed");
  await pass(10);
  expect(switched).toEqual([true]);
});

test("the state is set again every half minute, without an entry in the event log", async () => {
  outputs({});
  facts = because("zone-fault");
  await pass(95);
  expect(switched).toEqual([false, true, true, true, true]);
  expect(events).toHaveLength(1);
  failure = new Error("the chip is gone");
  await pass(50);
  expect(conditions.list()).toMatchObject([{ code: "output-failed" }]);
  failure = undefined;
  await pass(10);
  expect(switched).toEqual([false, true, true, true, true, true]);
});

test("a test takes two seconds, also of an inverted output, and is refused while the output is in use", async () => {
  const started = outputs({ isInverted: true });
  await pass(1);
  started.test("lamp", BY);
  await pass(4);
  expect(switched).toEqual([true, false, true]);
  expect(events[0]).toMatchObject({ event: "output-tested", ...BY, subject: "output lamp" });
  facts = because("condition-error");
  await pass(1);
  expect(() => started.test("lamp", BY)).toThrow(/output lamp is in use now/);
  expect(() => started.test("horn", BY)).toThrow(/output horn does not exist/);
});
