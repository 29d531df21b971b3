import { expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { ListLimits } from "../../src/sync/list-limits.ts";
import type { Turn } from "../../src/sync/list-turns.ts";
import { TestApp } from "../support/app.ts";

const MIB = 1024 * 1024;

/** The limits of one run of the sync over the same database. */
async function newRuns() {
  const { clock, database } = await TestApp.make();
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const conditions = new ConditionRegistry(clock, log);
  const start = (): ListLimits => {
    const facts = new UpstreamCapabilities(database);
    const limits = new ListLimits({ clock, log, facts, conditions, baseUrl: "http://centre" });
    limits.start();
    return limits;
  };
  return { clock, database, start };
}

test("after an end during a large response only small ones are read for an hour", async () => {
  const { clock, start } = await newRuns();
  const first = start();
  expect([first.bytesMax, first.rowsBytesMax]).toEqual([8 * MIB, 32 * MIB]);
  first.onLarge();
  const second = start();
  expect([second.bytesMax, second.rowsBytesMax]).toEqual([MIB, 4 * MIB]);
  clock.advance(3_599_000);
  expect(second.bytesMax).toBe(MIB);
  clock.advance(1_000);
  expect([second.bytesMax, second.rowsBytesMax]).toEqual([8 * MIB, 32 * MIB]);
  expect(start().bytesMax, "a further start").toBe(8 * MIB);
});

test("a run that goes on for a minute, or is stopped, has survived a large response", async () => {
  const { clock, start } = await newRuns();
  const first = start();
  first.onLarge();
  clock.advance(59_000);
  first.onLarge();
  clock.advance(59_000);
  expect(start().bytesMax, "within a minute").toBe(MIB);
  const third = start();
  third.onLarge();
  clock.advance(60_000);
  expect(start().bytesMax, "after a minute").toBe(8 * MIB);
  const fourth = start();
  fourth.onLarge();
  fourth.stop();
  expect(start().bytesMax, "stopped").toBe(8 * MIB);
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
  const urgent = limits.run(list("urgent"), true);
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
    urgent.push(limits.run(alarm, true));
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    return mustGiveWay() ? undefined : "bulk";
  });
  expect(await bulk).toBe("bulk");
  expect(await Promise.all(urgent)).toEqual(Array.from({ length: 4 }, () => "alarm"));
  expect(begun).toBe(4);
});
