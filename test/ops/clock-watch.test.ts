import { beforeEach, expect, test } from "vitest";
import { watchClock } from "../../src/ops/clock-watch.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ManualClock } from "../support/manual-clock.ts";

let clock: ManualClock;
let conditions: ConditionRegistry;
beforeEach(() => {
  clock = new ManualClock();
  conditions = new ConditionRegistry(clock, new JsonLog({ level: "error", clock, write: () => {} }));
});

const open = (): string[] => conditions.list().map(({ code }) => code);

test("a clock that no time server sets is a warning after ten minutes, until one does", () => {
  let isTrusted = false;
  const end = watchClock({ clock, conditions, host: { time: { isTrusted: () => isTrusted } } });
  clock.advance(9 * 60_000);
  expect(open()).toEqual([]);
  clock.advance(60_000);
  expect(conditions.list()).toMatchObject([{ code: "clock-not-set", severity: "warning" }]);
  isTrusted = true;
  clock.advance(60_000);
  expect(open()).toEqual([]);
  end();
  isTrusted = false;
  clock.advance(3_600_000);
  expect(open()).toEqual([]);
});

test("a trusted clock that is set to another time than the real-time clock counts from then on", () => {
  let isTrusted = true;
  let endedAsking = 0;
  const watchTime = () => () => void (endedAsking += 1);
  const end = watchClock({ clock, conditions, host: { time: { isTrusted: () => isTrusted }, watchTime } });
  clock.advance(3_600_000);
  isTrusted = false;
  clock.advance(9 * 60_000);
  expect(open()).toEqual([]);
  clock.advance(2 * 60_000);
  expect(open()).toEqual(["clock-not-set"]);
  end();
  expect(endedAsking).toBe(1);
});
