import { beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { NewEvent } from "../../src/domain/event.ts";
import type { HeadlineCode } from "../../src/domain/headline.ts";
import type { Output, OutputFacts } from "../../src/domain/output.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { AlarmPulses } from "../../src/outputs/alarm-pulses.ts";
import { LineOutput, type OutputDevice } from "../../src/outputs/output-device.ts";
import { Outputs } from "../../src/outputs/outputs.ts";
import type { ZoneKind } from "../../src/domain/zone.ts";
import type { JournalTrip } from "../../src/store/dispatched-trips.ts";
import { zoneOf } from "../support/monitored-zones.ts";
import { ManualClock } from "../support/manual-clock.ts";

const BY = { who: "ana@site.example", from: "192.168.1.9" };

let clock: ManualClock;
let conditions: ConditionRegistry;
let switched: boolean[];
/** Each switch with its topic, and each release. */
let wires: string[];
/** Topics whose switches do not end. */
let stuck: Set<string>;
/** Ends the switches that are stuck. */
let unstick: (() => void)[];
let devices: OutputDevice[];
let events: NewEvent[];
let logged: string[];
let facts: OutputFacts;
let rows: JournalTrip[];
let failure: Error | undefined;
let lookFailure: Error | undefined;
beforeEach(() => {
  clock = new ManualClock();
  devices = [];
  [switched, events, rows, failure, lookFailure] = [[], [], [], undefined, undefined];
  [wires, stuck, unstick, logged] = [[], new Set(), [], []];
  facts = because();
  conditions = new ConditionRegistry(clock, log());
});

function readRows(): JournalTrip[] {
  if (lookFailure) throw lookFailure;
  return rows;
}

/** The zone smoke trips now. */
function trip(): void {
  const [monotonicMs, wallMs] = [clock.monotonicMs(), clock.wallMs()];
  rows.push({
    seq: rows.length + 1,
    key: `trip-${rows.length}`,
    zoneId: "smoke",
    bootId: "b",
    monotonicMs,
    wallMs,
    isDelayed: false,
  });
}

function log(): JsonLog {
  return new JsonLog({ level: "warn", clock, write: (line) => void logged.push(line) });
}

const topic = (name: string): Output["target"] => ({ by: "mqtt", topic: name, on: "ON", off: "OFF" });

const LAMP: Output = {
  name: "lamp",
  reason: "not-ready",
  kinds: null,
  target: topic("lamp"),
  pulseMs: null,
  delayMs: 0,
  isInverted: false,
};

function deviceOf(target: Output["target"]): OutputDevice {
  const name = target.by === "mqtt" ? target.topic : String(target.gpio);
  return {
    onLost: () => {},
    set: async (isOn) => {
      if (stuck.has(name)) await new Promise<void>((resolve) => unstick.push(resolve));
      if (failure) throw failure;
      switched.push(isOn);
      wires.push(`${name} ${isOn ? "on" : "off"}`);
    },
    stop: async () => {
      if (failure) throw failure;
      wires.push(`${name} released`);
      return Promise.resolve();
    },
  };
}

function outputs(...all: Partial<Output>[]): Outputs {
  const started = new Outputs({
    outputs: all.map((options) => ({ ...LAMP, ...options })),
    deviceOf: (target) => {
      const device = deviceOf(target);
      devices.push(device);
      return device;
    },
    pulses: new AlarmPulses({
      clock,
      bootId: "b",
      offDisk: { dispatched: () => [] },
      zoneOverrides: { isSilenced: () => false, isSwitchedSince: () => false },
      entryDelays: { isOver: () => false, endedAtStartMs: () => undefined },
      trips: {
        newestSeq: () => readRows().at(-1)?.seq ?? 0,
        after: (seq) => readRows().filter((row) => row.seq > seq),
      },
      zoneOf: () => zoneOf({ kind: "fire", input: { simulated: true } }),
    }),
    readState: () => {
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
  alarm: { isGiven: false, kinds: () => new Set(), isComplete: () => true },
});

/** Alarms of zones of these kinds; without kinds one that a person has written. */
const alarmOf = (...kinds: ZoneKind[]): OutputFacts => ({
  ...because(),
  alarm: { isGiven: true, kinds: () => new Set(kinds), isComplete: () => true },
});

/** These facts while a page of the records is damaged. */
const damaged = (read: OutputFacts): OutputFacts => ({
  ...read,
  alarm: { ...read.alarm, isComplete: () => false },
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

test("the time of the last switch follows a clock that is set afterwards", async () => {
  const all = outputs({});
  await pass(1);
  facts = because("zone-fault");
  await pass(2);
  const since = (): number => Date.parse(all.list()[0]?.since ?? "");
  const before = since();
  clock.stepWall(86_400_000);
  await pass(60);
  expect(since() - before).toBe(86_400_000);
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
  trip();
  started.checkSoon();
  started.checkSoon();
  clock.advance(100);
  await pass(0);
  expect(switched).toEqual([false, true]);
  await pass(5);
  expect(switched).toEqual([false, true, false]);
});

test("a siren that is added again is silent about an alarm of an hour ago, and sounds for the next one", async () => {
  const siren: Output = { ...LAMP, name: "siren", reason: "alarm", pulseMs: 180_000 };
  const started = outputs(siren);
  await pass(1);
  await started.exchange([]);
  clock.advance(3_600_000);
  trip();
  clock.advance(3_600_000);
  await started.exchange([siren]);
  await pass(5);
  expect(switched).not.toContain(true);
  trip();
  await pass(1);
  expect(switched.at(-1)).toBe(true);
});

test("a journal that cannot be read after a start delays the pulse of an alarm, and does not drop it", async () => {
  lookFailure = new Error("database is locked");
  outputs({ reason: "alarm", pulseMs: 60_000 });
  await pass(10);
  trip();
  await pass(120);
  expect(switched).not.toContain(true);
  lookFailure = undefined;
  await pass(2);
  expect(switched.at(-1)).toBe(true);
  await pass(60);
  expect(switched.at(-1)).toBe(false);
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

test("a line that is lost with its process is unknown at once and driven again within a second", async () => {
  const started = outputs({});
  facts = because("zone-fault");
  await pass(2);
  expect(started.list()).toMatchObject([{ isOn: true }]);
  devices[0]?.onLost();
  expect(started.list()).toMatchObject([{ isOn: null }]);
  await pass(1);
  expect(started.list()).toMatchObject([{ isOn: true }]);
  expect(switched).toEqual([false, true, true]);
});

test("a test takes two seconds, also of an inverted output, and is refused while the output is in use", async () => {
  const started = outputs({ isInverted: true });
  await pass(1);
  started.test("lamp", BY);
  await pass(4);
  expect(switched).toEqual([true, false, true]);
  expect(events[0]).toMatchObject({ event: "output-tested", ...BY, subject: "output lamp" });
  expect(events.slice(1)).toMatchObject([{ detail: { reason: "test" } }, { detail: { reason: "test" } }]);
  expect(started.list()).toMatchObject([{ isInUse: false, until: null }]);
  facts = because("condition-error");
  await pass(1);
  expect(() => started.test("lamp", BY)).toThrow(/output lamp is in use now/);
  expect(events.at(-1)).toMatchObject({ detail: { reason: "not-ready" } });
  expect(started.list()).toMatchObject([{ isInUse: true, until: null }]);
  expect(() => started.test("horn", BY)).toThrow(/output horn does not exist/);
});

test("a test of an output that cannot be switched is refused with the fault, and is no test", async () => {
  const started = outputs({});
  await pass(1);
  failure = new AppError("unavailable", "line 4 is in use", { hint: "Free it." });
  await pass(31);
  expect(() => started.test("lamp", BY)).toThrow(
    /output lamp cannot be switched: line 4 is in use\. Free it/,
  );
  expect(events).toEqual([]);
  failure = undefined;
  await pass(6);
  started.test("lamp", BY);
  expect(events).toMatchObject([{ event: "output-tested" }]);
});

test("an output that follows alarms can ask for kinds, and without kinds also follows those of persons", async () => {
  outputs(
    { reason: "alarm" },
    { name: "siren", reason: "alarm", kinds: ["fire", "gas"], target: topic("siren") },
  );
  await pass(1);
  for (const alarm of [
    alarmOf(),
    alarmOf("holdup"),
    alarmOf("holdup", "gas"),
    alarmOf("holdup"),
    because(),
  ]) {
    facts = alarm;
    await pass(1);
  }
  expect(wires).toEqual(["lamp off", "siren off", "lamp on", "siren on", "siren off", "lamp off"]);
});

test("of changed outputs, the same one keeps its state; the others are off before a new one uses their wires", async () => {
  facts = because("zone-fault");
  const started = outputs({}, { name: "bell", target: topic("bell") }, { name: "old", target: topic("old") });
  await pass(2);
  wires.length = 0;
  const changed = { ...LAMP, name: "bell", target: topic("old") };
  await started.exchange([
    changed,
    { ...LAMP },
    { ...LAMP, name: "new", target: topic("bell"), isInverted: true },
  ]);
  await pass(2);
  expect(wires).toEqual(["bell released", "old released", "old on", "bell off"]);
  expect(started.list().map(({ name, isOn }) => [name, isOn])).toEqual([
    ["bell", true],
    ["lamp", true],
    ["new", false],
  ]);
  const switches = events.map(({ subject, detail }) => [subject, (detail as { state: string }).state]);
  expect(switches.slice(3)).toEqual([
    ["output bell", "off"],
    ["output old", "off"],
    ["output bell", "on"],
    ["output new", "off"],
  ]);
  await started.exchange([]);
  expect(started.list()).toEqual([]);
});

test("a removed output that cannot be reached is not recorded as off", async () => {
  facts = because("zone-fault");
  const started = outputs({});
  await pass(1);
  failure = new Error("the broker is not connected");
  await started.exchange([]);
  expect(events.map(({ detail }) => detail)).toEqual([{ state: "on", reason: "not-ready" }]);
  expect(logged).toEqual([expect.stringMatching(/"output-removal-failed".*"lamp"/)]);
});

test("a switch that is under way ends before its output is released, and a stuck one holds up nothing", async () => {
  stuck.add("lamp");
  const started = outputs({});
  await pass(1);
  const exchanged = started.exchange([{ ...LAMP, name: "bell", target: topic("bell") }]);
  await pass(3);
  await exchanged;
  await pass(1);
  expect(wires).toEqual(["bell off"]);
  for (const end of unstick) end();
  await pass(1);
  expect(wires).toEqual(["bell off", "lamp off", "lamp released"]);
});

test("after a reconnect a topic has the state of a switch that was under way", async () => {
  const started = outputs({});
  await pass(1);
  facts = because("zone-fault");
  stuck.add("lamp");
  await pass(1);
  stuck.clear();
  // The broker answers again while the lamp is being switched on.
  started.repeatTopics();
  for (const end of unstick) end();
  await pass(2);
  expect(wires.filter((wire) => wire.startsWith("lamp "))).toEqual(["lamp off", "lamp on", "lamp on"]);
});

test("a new output that cannot be switched is named with the remedy, and the others go on", async () => {
  const started = outputs({});
  await pass(1);
  failure = new AppError("unavailable", "chip expander is new in gpio.chips", {
    hint: "Restart the daemon to use it.",
  });
  await started.exchange([LAMP, { ...LAMP, name: "bell", target: topic("bell") }]);
  await pass(15);
  expect(conditions.list()).toMatchObject([{ code: "output-failed", subject: "bell" }]);
  const fault = "chip expander is new in gpio.chips. Restart the daemon to use it";
  expect(started.list()).toMatchObject([
    { isOn: false, fault: null },
    { isOn: null, fault },
  ]);
  await started.exchange([LAMP]);
  expect(conditions.list()).toEqual([]);
});

test("a damaged page that hides an alarm switches no output off, and a new alarm switches one on", async () => {
  const made = outputs(
    { name: "any", reason: "alarm", target: topic("any") },
    { name: "fire", reason: "alarm", kinds: ["fire"], target: topic("fire") },
    { name: "yard", reason: "alarm", kinds: ["perimeter"], target: topic("yard") },
  );
  const states = () => made.list().map(({ name, isOn }) => `${name} ${isOn}`);
  await pass(1);
  facts = alarmOf("fire");
  await pass(1);
  expect(states()).toEqual(["any true", "fire true", "yard false"]);
  facts = damaged(because());
  await pass(3);
  expect(states()).toEqual(["any true", "fire true", "yard false"]);
  facts = damaged(alarmOf("perimeter"));
  await pass(1);
  expect(states()).toEqual(["any true", "fire true", "yard true"]);
  facts = because();
  await pass(1);
  expect(states()).toEqual(["any false", "fire false", "yard false"]);
});

test("a line that may still be on is switched off when it is removed, although its driver has ended", async () => {
  const levels: number[] = [];
  let isBroken = false;
  const open = async () => {
    if (isBroken) throw new AppError("unavailable", "no chip");
    return {
      set: async (_line: number, level: number) => {
        if (isBroken) throw new AppError("unavailable", "no chip");
        levels.push(level);
      },
      close: () => {},
    };
  };
  const line = new LineOutput({ by: "gpio", chip: undefined, gpio: 5, active: 1 }, open);
  // Never switched on: nothing to do.
  await line.stop();
  await line.set(true);
  isBroken = true;
  await expect(line.set(true)).rejects.toThrow("no chip");
  await expect(line.stop()).rejects.toThrow("no chip");
  isBroken = false;
  await line.stop();
  expect(levels).toEqual([1, 0]);
});
