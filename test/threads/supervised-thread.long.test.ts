import { readdirSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { SupervisedThread } from "../../src/threads/supervised-thread.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** The component of `pinged-thread.mjs`. */
interface Control {
  start(): number;
  ping(): number;
  hang(): void;
  end(): void;
  fill(): number;
  query(): void;
}

let clock: ManualClock;
let logged: string[];
let conditions: ConditionRegistry;
let isBroken: boolean;
/** How many queries the threads have begun: memory that they share. */
let queries: Int32Array;
let options: ConstructorParameters<typeof SupervisedThread>[0];
let thread: SupervisedThread<number>;
/** The id of each run of the thread. */
let runs: number[];
beforeEach(async () => {
  clock = new ManualClock();
  [logged, runs, isBroken] = [[], [], false];
  queries = new Int32Array(new SharedArrayBuffer(4));
  const write = (line: string): void => void logged.push((JSON.parse(line) as { event: string }).event);
  const log = new JsonLog({ level: "debug", clock, write });
  conditions = new ConditionRegistry(clock, log);
  options = {
    name: "records",
    entry: new URL("pinged-thread.mjs", import.meta.url),
    data: () => ({ isBroken, queries }),
    components: {},
    clock,
    log,
    conditions,
  };
  thread = new SupervisedThread(options);
  runs.push(await thread.start((run) => void runs.push(run)));
  await control().ping();
});
afterEach(() => thread.stop());

const control = () => thread.remote<Control>("thread");

/** Advances in the steps of the pings, and takes what has arrived after each. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    clock.advance(5_000);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
}

test("a machine that was suspended ends no thread whose answers have arrived meanwhile", async () => {
  for (let stall = 0; stall < 6; stall += 1) {
    // The timers run before the messages that have arrived.
    clock.standStill(30_000);
    expect(thread.isSilent).toBe(false);
    await control().ping();
  }
  expect(logged).not.toContain("thread-silent");
  expect([await control().start()]).toEqual(runs);
});

test("a thread that hangs is silent after 20 seconds, is ended, and runs again", async () => {
  control()
    .hang()
    .catch(() => "it never answers");
  await pass(15);
  expect([thread.isSilent, logged.includes("thread-silent")]).toEqual([false, false]);
  await pass(5);
  expect([thread.isSilent, logged.includes("thread-silent")]).toEqual([true, false]);
  await pass(5);
  expect(logged).toContain("thread-silent");
  await eventually("its end", () => conditions.isOpen("thread-failed", "records"));
  expect(conditions.list()[0]?.text).toContain(
    "has failed: it did not respond for 20 s. It is started again",
  );
  clock.advance(200);
  await eventually("its next run", () => runs.length === 2);
  expect([thread.isSilent, runs[0] === runs[1]]).toEqual([false, false]);
});

test("a thread that has ended and cannot be started again is silent, so that the process is restarted", async () => {
  isBroken = true;
  control()
    .end()
    .catch(() => "it never answers");
  await eventually("its end", () => conditions.isOpen("thread-failed", "records"));
  expect(thread.isSilent).toBe(false);
  await pass(25);
  expect(thread.isSilent).toBe(true);
});

test("a thread that a request ends again and again is never silent: contacts are monitored without it", async () => {
  for (let end = 1; end <= 12; end += 1) {
    control()
      .end()
      .catch(() => "it never answers");
    await eventually("its end", () => logged.filter((event) => event === "thread-failed").length === end);
    // Its next start is the only timer.
    clock.advanceToNext(60_000);
    expect(thread.isSilent).toBe(false);
    await eventually("its next run", () => runs.length === end + 1);
  }
});

test("a stop does not wait for the query of a thread: the others stop in order before systemd ends the process", async () => {
  const threadsBefore = readdirSync("/proc/self/task").length;
  const front = new SupervisedThread<number>({ ...options, name: "front" });
  await front.start(() => {});
  const query = front.remote<Control>("thread").query();
  let isOver = false;
  void query.catch(() => "the channel is closed");
  await eventually("its query", () => queries[0] === 1);
  const stopped = front.stop().finally(() => (isOver = true));
  clock.advance(8_000);
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  clock.advance(1_000);
  // Its files are still open: no other run may use them.
  expect(await stopped).toBe(false);
  expect(logged).toContain("thread-stop-failed");
  expect(logged).toContain("thread-end-failed");
  expect(readdirSync("/proc/self/task").length).toBeGreaterThan(threadsBefore);
});

test("a thread that stops in order, or has ended, has closed its files", async () => {
  const front = new SupervisedThread<number>({ ...options, name: "front" });
  await front.start(() => {});
  expect(await front.stop()).toBe(true);
  expect(await front.stop()).toBe(true);
  expect(logged).not.toContain("thread-end-failed");
});

test("a thread without which the daemon can run is started again if its first start fails", async () => {
  isBroken = true;
  const failures: string[] = [];
  const onFailed = (): void => void failures.push("broker");
  const broker = new SupervisedThread<number>({ ...options, name: "broker", onFailed });
  const started: number[] = [];
  expect(await broker.startOrRetry((run) => void started.push(run))).toBeUndefined();
  expect(conditions.isOpen("thread-failed", "broker")).toBe(true);
  expect(failures).toEqual(["broker"]);
  isBroken = false;
  clock.advance(200);
  await eventually("its first run", () => started.length === 1);
  clock.advance(60_000);
  expect(conditions.isOpen("thread-failed", "broker")).toBe(false);
  expect(await broker.stop()).toBe(true);
});

test("a thread whose start does not end is ended and started again, where its start has a limit", async () => {
  const hangs = new Int32Array(new SharedArrayBuffer(4)).fill(1);
  const data = (): object => ({ hangs, queries });
  const broker = new SupervisedThread<number>({ ...options, name: "broker", data, startMsMax: 20_000 });
  const started: number[] = [];
  const first = broker.startOrRetry((run) => void started.push(run));
  clock.advance(20_000);
  expect(await first).toBeUndefined();
  expect(conditions.list()[0]?.text).toContain("its start took longer than 20 s");
  // As does each later one.
  clock.advance(200);
  clock.advance(20_000);
  await eventually("its end", () => logged.includes("thread-start-failed"));
  hangs[0] = 0;
  // Only its end and its next start are so near.
  await eventually("its first run", () => {
    clock.advanceToNext(1_000);
    return started.length === 1;
  });
  expect(await broker.stop()).toBe(true);
});

test("a thread whose start hangs in a native call is reported all the same", async () => {
  const hangs = new Int32Array(new SharedArrayBuffer(4)).fill(2);
  const data = (): object => ({ hangs, queries });
  const broker = new SupervisedThread<number>({ ...options, name: "broker", data, startMsMax: 20_000 });
  const first = broker.startOrRetry(() => {});
  await eventually("its query", () => queries[0] === 1);
  clock.advance(20_000);
  await new Promise(setImmediate);
  clock.advance(1_000);
  expect(await first).toBeUndefined();
  expect(conditions.isOpen("thread-failed", "broker")).toBe(true);
  await broker.stop();
});

test("a thread for many connections may use more heap than others", async () => {
  const front = new SupervisedThread<number>({ ...options, name: "front", moreHeapMb: 200 });
  await front.start(() => {});
  expect(await front.remote<Control>("thread").fill()).toBe(18);
  await front.stop();
});
