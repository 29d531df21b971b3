import { beforeEach, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ManualClock } from "../support/manual-clock.ts";

const MONTH_MS = 30 * 86_400_000;

let clock: ManualClock;
let conditions: ConditionRegistry;
beforeEach(() => {
  clock = new ManualClock();
  conditions = new ConditionRegistry(clock, new JsonLog({ level: "error", clock, write: () => {} }));
});

test("the begin of a condition follows a clock that is set afterwards, and is otherwise the same at each reading", () => {
  conditions.raise("mqtt-unreachable", "no broker");
  const startMs = clock.wallMs();
  const since = (): number => Date.parse(conditions.list()[0]?.since ?? "");
  clock.advance(600_000);
  // As a time server corrects a clock that runs a little fast.
  clock.stepWall(-900);
  expect(since()).toBe(startMs);
  clock.stepWall(MONTH_MS + 900);
  expect(since()).toBe(startMs + MONTH_MS);
  conditions.raise("mqtt-unreachable", "still no broker");
  clock.stepWall(-MONTH_MS);
  expect(since()).toBe(startMs);
});

test("conditions of one severity are listed in the order in which they began, also if the clock was set back between them", () => {
  conditions.raise("disk-nearly-full", "first");
  clock.advance(60_000);
  clock.stepWall(-MONTH_MS);
  conditions.raise("backup-overdue", "error");
  conditions.raise("zone-open", "second");
  expect(conditions.list().map(({ text }) => text)).toEqual(["error", "first", "second"]);
});
