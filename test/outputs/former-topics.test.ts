import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewEvent } from "../../src/domain/event.ts";
import type { Output } from "../../src/domain/output.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { OutputTopicsFile } from "../../src/ops/output-topics.ts";
import { FormerTopics } from "../../src/outputs/former-topics.ts";
import { ManualClock } from "../support/manual-clock.ts";

/* Outputs that the configuration no longer has, while their broker cannot be reached. */

const SIREN: Output = {
  name: "siren",
  reason: "alarm",
  kinds: null,
  target: { by: "mqtt", topic: "siren/set", on: "1", off: "0" },
  pulseMs: null,
  delayMs: 0,
  isInverted: false,
};
const LAMP: Output = {
  ...SIREN,
  name: "lamp",
  target: { by: "mqtt", topic: "lamp/set", on: "ON", off: "OFF" },
};
const LINE: Output = { ...SIREN, name: "relay", target: { by: "gpio", gpio: 5, chip: undefined, active: 1 } };

let folder: string;
let clock: ManualClock;
let conditions: ConditionRegistry;
let broker: string;
let isReachable: boolean;
let published: string[];
let events: NewEvent[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "former-topics-"));
  clock = new ManualClock();
  conditions = new ConditionRegistry(clock, quiet());
  [broker, isReachable, published, events] = ["broker.example", false, [], []];
});
afterEach(() => rmSync(folder, { recursive: true }));

function quiet(): JsonLog {
  return new JsonLog({ level: "error", clock, write: () => {} });
}

/** A run of the daemon with these outputs in its configuration. */
function run(...outputs: Output[]): FormerTopics {
  const former = new FormerTopics({
    store: new OutputTopicsFile(folder, broker),
    deviceOf: (target) => ({
      onLost: () => {},
      set: () => Promise.resolve(),
      stop: () => {
        if (!isReachable) return Promise.reject(new Error("the broker is not connected"));
        if (target.by === "mqtt") published.push(`${target.topic} ${target.off}`);
        return Promise.resolve();
      },
    }),
    clock,
    log: quiet(),
    conditions,
    record: (event) => void events.push(event),
  });
  former.load(outputs);
  return former;
}

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    clock.advance(1_000);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
}

test("a removed topic that cannot be reached is a condition, and is switched off once it can", async () => {
  const former = run(SIREN, LINE);
  former.use([], [SIREN, LINE]);
  void former.check();
  await pass(9);
  expect(conditions.list()).toEqual([]);
  await pass(6);
  expect(conditions.list()).toMatchObject([{ code: "output-failed", subject: "topic siren/set" }]);
  isReachable = true;
  await pass(5);
  expect(published).toEqual(["siren/set 0"]);
  expect(conditions.list()).toEqual([]);
  expect(events).toMatchObject([
    { event: "output-switched", subject: "output siren", detail: { state: "off" } },
  ]);
  await pass(60);
  expect(published).toHaveLength(1);
});

test("it is known after a restart, also if it was removed while the daemon was not running", async () => {
  run(SIREN, LAMP).use([LAMP], [SIREN]);
  isReachable = true;
  const later = run();
  await later.check();
  expect(published.toSorted()).toEqual(["lamp/set OFF", "siren/set 0"]);
  expect(run().isEmpty).toBe(true);
});

test("a topic that was switched off at the end of the daemon, or that an output has, is left alone", async () => {
  isReachable = true;
  run(SIREN, LAMP).stop([LAMP]);
  const changed = { ...LAMP, name: "horn" };
  const later = run(changed);
  await later.check();
  expect(published).toEqual([]);
  later.use([], []);
  await later.check();
  expect(published).toEqual([]);
  later.use([], [changed]);
  later.use([LAMP], []);
  await later.check();
  expect(published).toEqual([]);
});

test("a topic of another broker is not published at the present one", async () => {
  run(SIREN).use([], [SIREN]);
  isReachable = true;
  broker = "other.example";
  const later = run(LAMP);
  await later.check();
  expect(published).toEqual([]);
  expect(events).toEqual([]);
});

test("a damaged file is read as none", () => {
  writeFileSync(
    join(folder, "output-topics.json"),
    '{"broker": "broker.example", "topics": [{"topic": 5}, null, "x"]}',
  );
  expect(run().isEmpty).toBe(true);
  writeFileSync(join(folder, "output-topics.json"), "{");
  expect(run().isEmpty).toBe(true);
});
