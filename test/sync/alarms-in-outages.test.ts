import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncScheduler } from "../../src/sync/scheduler.ts";
import { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

/* Alarms during and directly after an outage of the link, with the longest waits that the back-off allows. */

let centre: InMemoryCentre;
let line: TcpProxy;
let site: SyncingSite;
let scheduler: SyncScheduler;

beforeEach(async () => {
  centre = new InMemoryCentre();
  line = new TcpProxy(Number(new URL(await centre.start()).port));
  site = new SyncingSite(await TestApp.make(), await line.start(), () => 0.99);
  scheduler = site.scheduler();
});
afterEach(async () => {
  await line.stop();
  await site.close();
  await centre.stop();
});

/** A trip, which is tried at once. */
async function trip(): Promise<number> {
  const { id } = site.create({ priority: "high" });
  scheduler.requestRun({ urgent: true });
  await site.push.cycle();
  return id;
}

test("many trips in an outage wait a minute at most once the link is back", async () => {
  scheduler.start();
  line.mode = "refuse";
  const ids: number[] = [];
  for (let count = 0; count < 8; count += 1) ids.push(await trip());
  line.mode = "carry";
  site.app.clock.advance(75_000);
  await eventually("every alarm to be linked", () => ids.every((id) => site.entry(id).phase === "linked"));
  expect(centre.rows.size).toBe(8);
});

test("an alarm is tried once a wait while the centre asks for more time than an alarm waits", async () => {
  scheduler.start();
  centre.instead = () => json(503, {}, { "Retry-After": "600" });
  const id = await trip();
  let refused = 0;
  centre.instead = () => ((refused += 1) <= 20 ? json(503, {}) : undefined);
  site.app.clock.advance(75_000);
  await eventually("the alarm to be tried again", () => refused > 0);
  await site.push.cycle();
  // The list and the alarm itself, each followed by a simple read.
  expect(refused).toBeLessThan(8);
  expect(site.entry(id).phase).not.toBe("linked");
});

test("an alarm that fails again and again waits no longer than the other records", async () => {
  line.mode = "refuse";
  site.create({ priority: "high" });
  await site.push.cycle();
  let attempts = 0;
  for (let second = 0; second < 900; second += 1) {
    const { waitMs } = site.link.state;
    expect(site.link.alarmWaitMs).toBeLessThanOrEqual(waitMs);
    site.app.clock.advance(1_000);
    if (site.link.alarmWaitMs > 0) continue;
    attempts += 1;
    await site.push.cycle();
  }
  expect(attempts).toBeGreaterThan(5);
});

test("an alarm has the number of its attempts in an outage; they do not delay it once the centre responds", async () => {
  line.mode = "refuse";
  const { id } = site.create({ priority: "high" });
  await site.push.cycle();
  for (let attempts = 1; attempts < 12; attempts += 1) {
    expect(site.entry(id)).toMatchObject({ phase: "new", attempts });
    site.app.clock.advance(site.link.alarmWaitMs);
    await site.push.cycle();
  }
  // A device without a clock gets its time together with the link.
  site.app.clock.stepWall(86_400_000);
  line.mode = "carry";
  centre.instead = ({ method, path }) =>
    method === "POST" && path === "/interventii" ? json(500, {}) : undefined;
  site.app.clock.advance(site.link.alarmWaitMs);
  await site.push.cycle();
  const { attempts, nextAtMs } = site.entry(id);
  expect(attempts).toBe(1);
  expect(nextAtMs - site.app.clock.wallMs()).toBeLessThan(5_000);
});

test("an alarm of a site that has never reached its centre has the number of its attempts as well", async () => {
  scheduler.start();
  line.mode = "refuse";
  const { id } = site.create({ priority: "high" });
  scheduler.requestRun({ urgent: true });
  await eventually("the first attempt", () => site.entry(id).attempts === 1);
  site.app.clock.advance(75_000);
  await eventually("a further attempt", () => site.entry(id).attempts > 1);
  line.mode = "carry";
  site.app.clock.advance(75_000);
  await eventually("the alarm to be linked", () => site.entry(id).phase === "linked");
  expect(site.entry(id).attempts).toBe(0);
});
