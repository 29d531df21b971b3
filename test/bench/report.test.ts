import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Measured } from "../../scripts/bench/figures.ts";
import { Notebook } from "../../scripts/bench/figures.ts";
import { GOALS, goalResults, type GoalResult } from "../../scripts/bench/goals.ts";
import { withTables } from "../../scripts/bench/page.ts";
import { ROOT } from "../../scripts/bench/paths.ts";
import { heaviest } from "../../scripts/bench/profile.ts";
import { assertResult, readResult, type Result } from "../../scripts/bench/result.ts";
import { round, tablesOf } from "../../scripts/bench/tables.ts";

const result: Result = {
  format: 1,
  startedAt: "2026-11-20T21:30:00Z",
  minutes: 61.4,
  quick: false,
  machine: { processor: "Cortex-A53", cores: 4, memoryMb: 512, kernel: "6.12.1", node: "20.19.2" },
  load: { before: 0.1, after: 1.5 },
  measured: [
    { figure: "post-64", contender: "santinela", values: [90, 100, 110] },
    { figure: "post-64", contender: "floor-rows", values: [100, 110, 120] },
    { figure: "flush", contender: "machine", values: [3, 4, 5] },
  ],
  missing: [{ contender: "fastify", reason: "the package fastify is not installed" }],
};

describe("the goals", () => {
  const standing = (
    measured: readonly Measured[],
    goal: (one: GoalResult) => boolean,
  ): GoalResult | undefined => goalResults(measured).find(goal);

  test("are evaluated by the ratio within each round", () => {
    const found = standing(
      result.measured,
      ({ goal }) => goal.of === "post-64" && goal.to?.contender === "floor-rows",
    );
    expect(found?.value).toBeCloseTo(100 / 110);
    expect(found?.isMet).toBe(true);
  });

  test("without a measurement are neither met nor missed", () => {
    const found = standing(result.measured, ({ goal }) => goal.of === "start");
    expect(found).toMatchObject({ value: undefined, isMet: undefined });
  });

  test("one opening lost in one round of a burst misses the goal", () => {
    const lost: Measured = { figure: "burst-lost", contender: "santinela", values: [0, 1, 0] };
    expect(standing([lost], ({ goal }) => goal.of === "burst-lost")).toMatchObject({
      value: 1,
      isMet: false,
    });
  });

  test("a trip under a load is compared with the idle one of the same round", () => {
    const measured: Measured[] = [
      { figure: "trip-idle-p99", contender: "santinela", values: [10, 20] },
      { figure: "trip-sort-p99", contender: "santinela", values: [12, 40] },
    ];
    const found = standing(measured, ({ goal }) => goal.of === "trip-sort-p99");
    expect(found).toMatchObject({ value: 1.6, isMet: false });
  });

  test("a start is compared with one of Express with the same packages", () => {
    const measured: Measured[] = [
      { figure: "start", contender: "santinela", values: [110] },
      { figure: "start", contender: "express-packages", values: [100] },
    ];
    const found = standing(measured, ({ goal }) => goal.of === "start");
    expect(found).toMatchObject({ value: 1.1, isMet: true });
  });

  test("each have one bound", () => {
    for (const { atLeast, atMost } of GOALS)
      expect([atLeast, atMost].filter((bound) => bound !== undefined)).toHaveLength(1);
  });
});

describe("the performance page", () => {
  test("shows the machine, the date, the noise and what was not measured", () => {
    const text = tablesOf(result);
    expect(text).toContain("Measured 2026-11-20 21:30:00 UTC in 61 minutes.");
    expect(text).toContain("Cortex-A53, 4 cores, 1 GB, Linux 6.12.1, Node.js 20.19.2");
    expect(text).toContain("one fdatasync of 4 KiB, median 4 ms (spread 50 %)");
    expect(text).toContain("Not measured: fastify (the package fastify is not installed)");
  });

  test("shows medians, spreads, ratios and whether a goal is met", () => {
    const text = tablesOf(result);
    expect(text).toContain("| durable POST, 64 clients | ≥ 0.9 × floor-rows | 0.91 × | met |");
    expect(text).toContain("| floor-rows | 110 | 18 % | 0.91 × |");
    expect(text).toContain("| durable POST, 64 clients | ≥ 15 × node-red | not measured |  |");
  });

  test("marks a quick run", () => {
    expect(tablesOf({ ...result, quick: true })).toContain("a quick run");
  });

  test("keeps the text around its figures", () => {
    const page = readFileSync(join(ROOT, "docs/performance.md"), "utf8");
    const changed = withTables(page, "| new |");
    expect(changed).toContain("\n\n| new |\n\n");
    expect(withTables(changed, tablesOf(result)).split("<!-- figures")[0]).toBe(
      page.split("<!-- figures")[0],
    );
    expect(() => withTables("no markers", "")).toThrow(/lost the markers/);
  });

  test("holds the figures of the result file next to it", () => {
    const kept = join(ROOT, "docs/performance.json");
    if (!existsSync(kept)) return;
    const page = readFileSync(join(ROOT, "docs/performance.md"), "utf8");
    expect(withTables(page, tablesOf(readResult(kept)))).toBe(page);
  });

  test.each([
    [12_345.6, "12,346"],
    [99.94, "99.9"],
    [1.234, "1.23"],
    [0, "0"],
  ])("writes %d as %s", (value, text) => {
    expect(round(value)).toBe(text);
  });
});

describe("a result file", () => {
  test("is accepted when it holds the values of a run", () => {
    expect(assertResult(result, "a file")).toBe(result);
  });

  test.each<[string, object]>([
    ["another format", { ...result, format: 2 }],
    [
      "a figure without a value",
      { ...result, measured: [{ figure: "start", contender: "floor", values: [] }] },
    ],
    ["an unknown property", { ...result, colour: "red" }],
  ])("is rejected with %s", (_what, value) => {
    expect(() => assertResult(value, "a file")).toThrow(/a file is no result of the bench/);
  });
});

test("a notebook keeps the values of a figure in the order of the rounds", () => {
  const notebook = new Notebook();
  notebook.note("start", "floor", 3);
  notebook.note("start", "santinela", 9);
  notebook.note("start", "floor", 1);
  expect(notebook.measured).toEqual([
    { figure: "start", contender: "floor", values: [3, 1] },
    { figure: "start", contender: "santinela", values: [9] },
  ]);
});

test("a profile lists functions by self time, without idle time", () => {
  const frame = (functionName: string, url: string) => ({ functionName, url, lineNumber: 6 });
  const profile = {
    nodes: [
      { id: 1, callFrame: frame("(idle)", "") },
      { id: 2, callFrame: frame("run", `file://${ROOT}build/store/database.js`) },
      { id: 3, callFrame: frame("", "node:net") },
      // The same function with another caller.
      { id: 4, callFrame: frame("run", `file://${ROOT}build/store/database.js`) },
      { id: 5, callFrame: frame("(garbage collector)", "") },
    ],
    startTime: 5_000,
    // The first and the last belong to the start and the end.
    samples: [3, 1, 2, 3, 4, 5, 3],
    timeDeltas: [500, 900, 30, 20, 30, 20, 500],
  };
  expect(heaviest(profile, { fromUs: 6_000, toUs: 6_500, count: 2 })).toEqual([
    { name: "run", place: "build/store/database.js:7", share: 0.6 },
    { name: "(anonymous)", place: "node:net:7", share: 0.2 },
  ]);
});
