import { MessageChannel, type MessagePort } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { LogFields } from "../../src/domain/log.ts";
import { SystemClock } from "../../src/ops/system-clock.ts";
import { isDiskFull } from "../../src/store/transaction.ts";
import { sqliteError } from "../../src/store/database.ts";
import { Channel, Connection } from "../../src/threads/channel.ts";
import { SharedLogLevel, ThreadLog } from "../../src/threads/thread-log.ts";

interface Doubler {
  double(number: number): number;
  fail(error: Error): void;
}

const clock = new SystemClock();
const RESTARTING = { name: "AppError", code: "unavailable", retryAfterS: 1 };
let ports: MessagePort[];
let connection: Connection;
let doubler: ReturnType<typeof connection.remote<Doubler>>;

beforeEach(() => {
  ports = [];
  connection = new Connection();
  doubler = connection.remote<Doubler>("doubler");
});
afterEach(() => {
  for (const port of ports) port.close();
});

/** Two ends of a connection. */
function pair(): { here: MessagePort; there: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  return { here: port1, there: port2 };
}

/** Serves the component at one end. @param thrown by `fail` */
function serve(there: MessagePort, thrown?: unknown): Channel {
  const fail = (): never => {
    throw thrown;
  };
  return new Channel(there, clock, { doubler: { double: (number: number) => 2 * number, fail } });
}

/** Connects with an end at which no thread listens. */
function connectWithNone(): void {
  connection.use(new Channel(pair().here, clock, {}));
}

describe("a call to another thread", () => {
  test("has the result, in the order of the calls of one message", async () => {
    const { here, there } = pair();
    serve(there);
    connection.use(new Channel(here, clock, {}));
    expect(await Promise.all([1, 2, 3].map((number) => doubler.double(number)))).toEqual([2, 4, 6]);
  });

  test("rejects with the class, the remedy and the cause of an error", async () => {
    const { here, there } = pair();
    const cause = sqliteError("disk full", "SQLITE_FULL");
    serve(there, new AppError("unavailable", "not stored", { hint: "Free space.", retryAfterS: 30, cause }));
    connection.use(new Channel(here, clock, {}));
    const error: unknown = await doubler.fail(new Error("any")).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ message: "not stored", hint: "Free space.", retryAfterS: 30 });
    expect(isDiskFull(error)).toBe(true);
  });

  test("rejects with the reason of an error, which clients have texts for", async () => {
    const { here, there } = pair();
    serve(there, new AppError("not-found", "intervention 1 does not exist", { reason: "deleted" }));
    connection.use(new Channel(here, clock, {}));
    await expect(doubler.fail(new Error("any"))).rejects.toMatchObject({
      code: "not-found",
      reason: "deleted",
    });
  });

  test("rejects with the code of an error of the operating system", async () => {
    const { here, there } = pair();
    serve(there, Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
    connection.use(new Channel(here, clock, {}));
    const error: unknown = await doubler.fail(new Error("any")).catch((thrown: unknown) => thrown);
    expect(isDiskFull(error)).toBe(true);
  });

  test.each([
    ["nests too deep", JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as number],
    ["is no data", (() => 1) as unknown as number],
  ])("rejects if its argument or its result %s, and no other call with it", async (_what, strange) => {
    const { here, there } = pair();
    const double = (number: number): unknown => (number === 0 ? strange : 2 * number);
    const fail = (): void => {};
    expect(new Channel(there, clock, { doubler: { double, fail } })).toBeDefined();
    connection.use(new Channel(here, clock, {}));
    const calls = await Promise.allSettled([1, strange, 0, 3].map((number) => doubler.double(number)));
    expect(calls.map((call) => (call.status === "fulfilled" ? call.value : String(call.reason)))).toEqual([
      2,
      "Error: a value cannot be copied to another thread",
      "Error: a value cannot be copied to another thread",
      6,
    ]);
  });

  test("that has no thread rejects at once", async () => {
    await expect(doubler.double(1)).rejects.toMatchObject(RESTARTING);
  });

  test("without an answer rejects when the thread ends", async () => {
    const { here, there } = pair();
    connection.use(new Channel(here, clock, {}));
    const answer = doubler.double(1);
    there.close();
    await expect(answer).rejects.toMatchObject(RESTARTING);
  });

  test("without an answer rejects when the thread is started again, and later calls reach the new one", async () => {
    connectWithNone();
    const answer = doubler.double(1);
    const { here, there } = pair();
    serve(there);
    connection.use(new Channel(here, clock, {}));
    await expect(answer).rejects.toMatchObject(RESTARTING);
    expect(await doubler.double(2)).toBe(4);
  });

  test("over a connection that was passed to a thread that has ended rejects", async () => {
    const { here, there } = pair();
    const ended = new Channel(pair().here, clock, {});
    ended.close();
    connection.use(new Channel(here, clock, {}));
    ended.pass(there);
    await expect(doubler.double(1)).rejects.toMatchObject(RESTARTING);
  });
});

test("the log line of a thread may have any fields", () => {
  const lines: LogFields[] = [];
  const log = new ThreadLog(new SharedLogLevel(), (_level, _event, fields) => void lines.push(fields));
  const error = new Error("inner");
  log.warn("strange", { error, details: { error, act: () => 1 }, none: undefined, count: 3 });
  // What another thread gets is copied.
  expect(structuredClone(lines)).toEqual([{ error: error.stack, details: { error: error.stack }, count: 3 }]);
});
