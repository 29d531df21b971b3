import { afterEach, beforeEach, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { TestApp, OPERATOR_USER } from "../support/app.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

/* The POST of a record is lost on the way: each test waits for the time limits of real requests. */

let centre: TestApp;
let line: TcpProxy;
let site: SyncingSite;

beforeEach(async () => {
  centre = await TestApp.forTest();
  line = new TcpProxy(await centre.listen());
  site = new SyncingSite(await TestApp.make(), await line.start());
});
afterEach(async () => {
  await line.stop();
  await site.close();
});

const there = (): Intervention[] => centre.records();

/** From right before the POST of the record, requests get no answer. */
const loseRequests = (): void => {
  site.atFailpoint = (name) => {
    if (name === "sync-posting-committed") line.mode = "swallow";
  };
};

test("a record that did not arrive is sent again once it can no longer arrive, and a change follows it", async () => {
  loseRequests();
  const { id } = site.create();
  await site.push.cycle();
  const attempt = site.entry(id).attempt;
  expect(attempt?.body).toContain('"crews":1');

  // A change made meanwhile must not change the body of the attempt; it follows as an update.
  site.app.interventions.update(id, { crews: 4 }, OPERATOR_USER);
  line.mode = "carry";
  const resent: unknown[] = [];
  site.atFailpoint = (name) => {
    if (name === "sync-posting-committed") resent.push(site.entry(id).attempt);
  };
  site.app.clock.advance(149_000);
  await site.push.cycle();
  expect(resent).toEqual([]);
  site.app.clock.advance(2_000);
  await site.push.cycle();
  expect(resent).toEqual([{ ...attempt, atMs: expect.any(Number) }]);
  expect(there()).toMatchObject([{ crews: 4 }]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", syncedRev: 2, wantRev: 2 });
});

test("a record of an alarm is sent again after seconds, because a duplicate is better than no crew", async () => {
  loseRequests();
  site.create({ priority: "high" });
  await site.push.cycle();
  line.mode = "carry";
  site.atFailpoint = () => {};
  site.app.clock.advance(16_000);
  await site.push.cycle();
  expect(there()).toHaveLength(1);
});

test("a record is sent again without a wait when the dispatch centre supports keys again", async () => {
  site.create();
  await site.push.cycle();
  loseRequests();
  site.create();
  await site.push.cycle();
  line.mode = "carry";
  site.atFailpoint = () => {};
  site.app.clock.advance(10_000);
  await site.push.cycle();
  expect(there()).toHaveLength(2);
});
