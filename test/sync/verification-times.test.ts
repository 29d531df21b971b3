import { randomUUID } from "node:crypto";
import { afterEach, expect, test, vi } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { Sync } from "../../src/sync/sync.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";

const MINUTE_S = 60;
const STEP_S = 3;
/** One after the other; a request that was sent before them has its response by then. */
const FURTHER_REQUESTS = 5;

afterEach(() => void vi.useRealTimers());

test.each([
  ["bank-1", 20],
  ["hala-sud", 45],
])("the site %s verifies its records from second %i of the minute on", async (ref, second) => {
  const seconds = await secondsOfReads(ref);
  expect(seconds.length).toBeGreaterThan(0);
  for (const one of seconds) expect(Math.abs(one - second)).toBeLessThanOrEqual(2 * STEP_S);
});

/** @returns the second of the minute of each read of a record within its first fifteen minutes */
async function secondsOfReads(ref: string): Promise<number[]> {
  const centre = new NonconformingCentre();
  centre.answer = () => json(201, { id: 1 });
  const baseUrl = await centre.start();
  const { database, interventions, clock } = await TestApp.forTest();
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const sync = new Sync({
    database,
    clock,
    log,
    conditions: new ConditionRegistry(clock, log),
    random: () => 0.5,
    failpoint: () => {},
    newKey: randomUUID,
    site: { ref, timezone: "Europe/Bucharest", locale: "en" },
    upstream: {
      baseUrl,
      email: "site@centre.example",
      password: "correct horse battery",
      schedule: "* * * * *",
      objectives: "off",
      marker: "notes",
      timeoutS: 30,
      ca: undefined,
    },
  });
  // node-cron reads the wall clock itself.
  vi.useFakeTimers({ toFake: ["Date"], now: clock.wallMs() });
  interventions.create(PATROL, OPERATOR_USER);
  sync.start();
  await eventually("the record at the centre", () => centre.requests.length > 0);
  const seconds: number[] = [];
  for (let passedS = 0; passedS < 15 * MINUTE_S && seconds.length < 2; passedS += STEP_S) {
    const before = centre.reads.length;
    // Never behind: a run would be due again at once.
    vi.setSystemTime(clock.wallMs() + STEP_S * 1_000);
    clock.advance(STEP_S * 1_000);
    for (let further = 0; further < FURTHER_REQUESTS; further += 1)
      await (await fetch(`${baseUrl}/objectives`)).text();
    const isRead = centre.reads.slice(before).some(({ path }) => path === "/interventii/1");
    if (isRead) seconds.push((clock.wallMs() / 1_000) % MINUTE_S);
  }
  await sync.stop();
  await centre.stop();
  return seconds;
}
