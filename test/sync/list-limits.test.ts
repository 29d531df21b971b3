import { expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { ListLimits } from "../../src/sync/list-limits.ts";
import type { Turn } from "../../src/sync/list-turns.ts";
import { TestApp } from "../support/app.ts";

const MIB = 1024 * 1024;

const HOUR_MS = 3_600_000;

/** The limits of one run of the sync over the same database. */
async function newRuns() {
  const { clock, database } = await TestApp.make();
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const conditions = new ConditionRegistry(clock, log);
  const lifted: number[] = [];
  const start = (bootId = "first boot"): ListLimits => {
    const facts = new UpstreamCapabilities(database);
    const onLifted = (): void => void lifted.push(clock.monotonicMs());
    const options = { clock, log, facts, conditions, baseUrl: "http://centre", bootId, onLifted };
    const limits = new ListLimits(options);
    limits.start();
    return limits;
  };
  /** A run that ends during a large response. */
  const end = (bootId?: string): void => void start(bootId).onLarge();
  const codes = (): readonly string[] => conditions.list().map(({ code }) => code);
  return { clock, database, start, end, lifted, codes };
}

test("after two ends during large responses only small ones are read for an hour", async () => {
  const { clock, start, end, lifted } = await newRuns();
  end();
  const second = start();
  expect([second.bytesMax, second.rowsBytesMax], "one end").toEqual([8 * MIB, 32 * MIB]);
  second.onLarge();
  const third = start();
  expect([third.bytesMax, third.rowsBytesMax]).toEqual([MIB, 4 * MIB]);
  clock.advance(HOUR_MS - 1_000);
  expect(third.bytesMax).toBe(MIB);
  expect(lifted).toEqual([]);
  clock.advance(1_000);
  expect([third.bytesMax, third.rowsBytesMax]).toEqual([8 * MIB, 32 * MIB]);
  expect(lifted).toHaveLength(1);
  third.onLarge();
  expect(start().bytesMax, "one more end").toBe(MIB);
});

test("an end counts for an hour, whatever was read in between", async () => {
  const { clock, start, end } = await newRuns();
  end();
  const second = start();
  second.onLarge()();
  clock.advance(HOUR_MS - 1_000);
  second.onLarge();
  expect(start().bytesMax, "within an hour").toBe(MIB);
  const other = await newRuns();
  other.end();
  const run = other.start();
  other.clock.advance(HOUR_MS);
  run.onLarge();
  expect(other.start().bytesMax, "later").toBe(8 * MIB);
});

test("power cuts during large responses do not lower the limits", async () => {
  const { start, end } = await newRuns();
  end("first boot");
  end("second boot");
  end("third boot");
  expect(start("fourth boot").bytesMax).toBe(8 * MIB);
});

test("a run that goes on for five seconds after a large response, or is stopped, has survived it", async () => {
  const { clock, database, start, end } = await newRuns();
  end();
  const run = start();
  const [first, second] = [run.onLarge(), run.onLarge()];
  first();
  clock.advance(60_000);
  const isNoted = (): boolean => new UpstreamCapabilities(database).largeRead?.isReading === true;
  expect(isNoted(), "during the second one").toBe(true);
  second();
  clock.advance(4_000);
  expect(isNoted(), "just after it").toBe(true);
  clock.advance(1_000);
  expect(isNoted(), "later").toBe(false);
  expect(start().bytesMax).toBe(8 * MIB);
  const third = start();
  third.onLarge();
  third.stop();
  expect(start().bytesMax, "stopped").toBe(8 * MIB);
});

test("a list that is not read for an hour has a condition of its own, until that hour is over", async () => {
  const { clock, start, end, codes } = await newRuns();
  end();
  end();
  const run = start();
  run.noteTooLarge(run.bytesMax);
  expect(codes()).toEqual(["upstream-list-postponed"]);
  clock.advance(HOUR_MS);
  expect(codes()).toEqual([]);
  run.noteTooLarge(run.bytesMax);
  expect(codes()).toEqual(["upstream-list-too-large"]);
});

test("a database that takes no write keeps no large response from being read", async () => {
  const { database, start } = await newRuns();
  const limits = start();
  database.pragma("query_only = ON");
  limits.onLarge();
  limits.stop();
  database.pragma("query_only = OFF");
  expect(start().bytesMax).toBe(8 * MIB);
});

test("a list that becomes large is read again alone, and small ones do not wait for it", async () => {
  const limits = new ListLimits();
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const large =
    (name: string) =>
    async ({ rowsBytesMax }: Turn) => {
      if (rowsBytesMax === MIB) return undefined;
      log.push(`${name} starts`);
      await new Promise<void>((resolve) => ends.push(resolve));
      log.push(`${name} ends`);
      if (name === "first") throw new Error("broken");
      return name;
    };
  const [first, second] = [limits.run(large("first")), limits.run(large("second"))];
  first.catch(() => "expected below");
  expect(await limits.run(() => Promise.resolve("small"))).toBe("small");
  expect(log).toEqual(["first starts"]);
  ends[0]?.();
  await expect(first).rejects.toThrow("broken");
  await Promise.resolve();
  ends[1]?.();
  expect(await second).toBe("second");
  expect(log).toEqual(["first starts", "first ends", "second starts", "second ends"]);
});

test("a list that an alarm waits for is read before the others, and a reading gives way to it", async () => {
  const limits = new ListLimits();
  const log: string[] = [];
  let nextPage = (): void => {};
  const list =
    (name: string) =>
    async ({ rowsBytesMax, mustGiveWay }: Turn) => {
      if (rowsBytesMax === MIB) return undefined;
      for (let page = 0; page < 2; page += 1) {
        if (mustGiveWay()) return undefined;
        log.push(`${name} ${page}`);
        await new Promise<void>((resolve) => (nextPage = resolve));
      }
      return name;
    };
  const step = async (): Promise<void> => {
    nextPage();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  const bulk = [limits.run(list("first")), limits.run(list("second"))];
  await step();
  const urgent = limits.run(list("urgent"), { isUrgent: true });
  for (let page = 0; page < 10; page += 1) await step();
  expect(await urgent).toBe("urgent");
  expect(await Promise.all(bulk)).toEqual(["first", "second"]);
  expect(log.slice(0, 3)).toEqual(["first 0", "urgent 0", "urgent 1"]);
  expect(log.slice(3)).toEqual(["second 0", "second 1", "first 0", "first 1"]);
});

test("a reading gives way three times at most", async () => {
  const limits = new ListLimits();
  const urgent: Promise<string>[] = [];
  let begun = 0;
  const bulk = limits.run(async ({ rowsBytesMax, mustGiveWay }) => {
    if (rowsBytesMax === MIB) return undefined;
    begun += 1;
    const alarm = ({ rowsBytesMax: max }: Turn) => Promise.resolve(max === MIB ? undefined : "alarm");
    urgent.push(limits.run(alarm, { isUrgent: true }));
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    return mustGiveWay() ? undefined : "bulk";
  });
  expect(await bulk).toBe("bulk");
  expect(await Promise.all(urgent)).toEqual(Array.from({ length: 4 }, () => "alarm"));
  expect(begun).toBe(4);
});

test("a list that was large is read once from the second time on", async () => {
  const limits = new ListLimits();
  const read: number[] = [];
  const list = ({ rowsBytesMax }: Turn) => {
    read.push(rowsBytesMax / MIB);
    return Promise.resolve(rowsBytesMax === MIB ? undefined : "rows");
  };
  for (const name of ["records", "records", undefined, undefined]) await limits.run(list, { name });
  expect(read).toEqual([1, 32, 32, 1, 32, 1, 32]);
});
