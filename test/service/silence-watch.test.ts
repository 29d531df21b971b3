import { afterEach, beforeEach, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { SilenceWatch } from "../../src/service/silence-watch.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";

const SILENT_MS = 600_000;
const LOOK_MS = 15_000;

let app: TestApp;
let conditions: ConditionRegistry;
let watch: SilenceWatch;
let looks: number;
let isDatabaseGone: boolean;

function assertDatabase(): void {
  if (isDatabaseGone) throw new AppError("unavailable", "the database is not available; try again");
}

/** A watch as after a start of the dispatch centre. */
function start(): void {
  const { clock, parts } = app;
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  conditions = new ConditionRegistry(clock, log);
  const fleet: typeof parts.fleet = {
    ...parts.fleet,
    clockStepped: async (nowMs) => {
      assertDatabase();
      return parts.fleet.clockStepped(nowMs);
    },
    findSilent: async (query) => {
      assertDatabase();
      const result = await parts.fleet.findSilent(query);
      looks += 1;
      return result;
    },
  };
  watch = new SilenceWatch({ fleet, clock, conditions, log, silentMs: SILENT_MS });
  watch.start();
}

beforeEach(async () => {
  app = await TestApp.make();
  looks = 0;
  isDatabaseGone = false;
  start();
});
afterEach(async () => {
  await watch.stop();
  await app.close();
});

const report = (ref = REPORT.ref) => app.parts.fleet.report({ ...REPORT, ref }, OPERATOR_USER);
const repairs = (): number => app.records().length;

/** Passes time in steps of one look, each of which is completed. */
async function pass(ms: number, alive: readonly string[] = []): Promise<void> {
  for (let passed = 0; passed < ms; passed += LOOK_MS) {
    app.clock.advance(LOOK_MS);
    for (const ref of alive) await report(ref);
    // A look is over when the next one is planned, after the commits of this event loop turn.
    for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  }
}

test("a site that was alive before a long stop of the centre is given the whole time again", async () => {
  await report();
  await watch.stop();
  app.clock.advance(10 * SILENT_MS);
  start();
  await pass(SILENT_MS - LOOK_MS);
  expect(repairs()).toBe(0);
  await pass(2 * LOOK_MS);
  await eventually("the repair", () => repairs() === 1);
  await watch.stop();
  start();
  await pass(3 * SILENT_MS);
  expect(looks).toBeGreaterThan(2);
  expect(repairs()).toBe(1);
});

test("a database that was gone for long makes no site silent that reports again", async () => {
  await pass(SILENT_MS, [REPORT.ref]);
  isDatabaseGone = true;
  await pass(2 * SILENT_MS);
  isDatabaseGone = false;
  await pass(SILENT_MS - LOOK_MS);
  expect(repairs()).toBe(0);
  await pass(2 * LOOK_MS);
  await eventually("the repair", () => repairs() === 1);
});

test("a clock that jumps makes no site silent", async () => {
  await report();
  await pass(SILENT_MS, [REPORT.ref]);
  app.clock.stepWall(86_400_000);
  await pass(SILENT_MS - LOOK_MS, [REPORT.ref]);
  app.clock.stepWall(-2 * 86_400_000);
  await pass(2 * SILENT_MS, [REPORT.ref]);
  expect(repairs()).toBe(0);
  await pass(SILENT_MS + 2 * LOOK_MS);
  await eventually("the repair", () => repairs() === 1);
});

test("an outage is one condition, which ends with the reports", async () => {
  const refs = Array.from({ length: 12 }, (_, number) => `site-${number}`);
  await pass(SILENT_MS, refs);
  await pass(SILENT_MS + 2 * LOOK_MS);
  await eventually("all repairs", () => repairs() === 12);
  await eventually("the condition", () => conditions.list().length === 1);
  expect(conditions.list()[0]).toMatchObject({ code: "sites-silent", values: { sites: 12 } });
  await pass(2 * LOOK_MS, refs);
  await eventually("its end", () => conditions.list().length === 0);
});
