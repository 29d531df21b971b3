import { afterEach, beforeEach, expect, test } from "vitest";
import type { SyncScheduler } from "../../src/sync/scheduler.ts";
import { transaction } from "../../src/store/transaction.ts";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

/* The database of the site was restored from a backup, so it reads its records back before it sends an alarm. */

const OTHERS = Array.from({ length: 200 }, (_, index) => ({
  id: 200 - index,
  name: "Another",
  status: "done",
}));

let centre: NonconformingCentre;
let line: TcpProxy;
let site: SyncingSite;
let scheduler: SyncScheduler;

beforeEach(async () => {
  centre = new NonconformingCentre();
  centre.answer = ({ body }) =>
    json(201, { ...(JSON.parse(body) as object), id: 200 + centre.requests.length });
  line = new TcpProxy(Number(new URL(await centre.start()).port));
  site = new SyncingSite(await TestApp.make(), await line.start());
  transaction(site.app.database, () => new UpstreamCapabilities(site.app.database).recordRestoreWatermark(0));
  scheduler = site.scheduler();
});
afterEach(async () => {
  await line.stop();
  await site.close();
  await centre.stop();
});

async function trip(): Promise<void> {
  const { id } = site.create({ priority: "high" });
  scheduler.requestRun({ urgent: true });
  await eventually("the alarm to be linked", () => site.entry(id).phase === "linked");
}

/** Number of readings of the list, which begin with its first page. */
function readings(): number {
  return centre.reads.filter(({ path }) => path.endsWith("&_start=0&_end=100")).length;
}

test("alarms wait once for a list that cannot be read completely", async () => {
  centre.read = () => json(200, OTHERS.slice(0, 100));
  scheduler.start();
  for (let count = 0; count < 3; count += 1) await trip();
  expect(centre.requests).toHaveLength(3);
  expect(readings()).toBe(1);
});

test("a list whose later pages fail each time does not keep an alarm here", async () => {
  centre.read = ({ path }) => (/_start=[1-9]/.test(path) ? json(504, {}) : json(200, OTHERS.slice(0, 100)));
  scheduler.start();
  site.create({ priority: "high" });
  await eventually("the alarm at the centre", () => {
    site.app.clock.advance(15_000);
    return centre.requests.length === 1;
  });
  expect(readings()).toBe(2);
});

test("records are read back by a later comparison if the list could not be read completely at first", async () => {
  centre.read = () => json(200, OTHERS.slice(0, 100));
  scheduler.start();
  await trip();
  const ours = {
    id: 100,
    name: "Finished before",
    objectiveType: "obiective/cladiri",
    objectiveId: 12,
    status: "done",
    notes: "[ref:test-01939a3e-5c1b-7000-8000-00000000a1a7]",
  };
  centre.read = ({ path }) => json(200, /_start=0/.test(path) ? [...OTHERS.slice(0, 40), ours] : []);
  site.push.audit.makeDue();
  await site.push.audit.runIfDue();
  expect(site.app.records().map(({ name }) => name)).toContain("Finished before");
});

test("several checks during a long reading share it", async () => {
  line.mode = "swallow";
  scheduler.start();
  await eventually("the reading", () => line.connections === 1);
  site.app.clock.advance(60_000);
  site.create({ priority: "high" });
  scheduler.requestRun({ urgent: true });
  line.mode = "carry";
  centre.read = () => json(200, OTHERS.slice(0, 50));
  line.cut();
  await eventually("the alarm at the centre", () => {
    site.app.clock.advance(15_000);
    return centre.requests.length === 1;
  });
  // A list that ends before its oldest record is read twice.
  expect(readings()).toBeLessThanOrEqual(2);
});

test("a stop waits for the reading, so that nothing of it follows", async () => {
  line.mode = "swallow";
  scheduler.start();
  await eventually("the reading", () => line.connections > 0);
  const stopped = scheduler.stop();
  line.cut();
  await stopped;
  expect(site.conditions()).toEqual(["upstream-unreachable"]);
});

const FINISHED = {
  id: 1,
  name: "Finished before",
  objectiveType: "obiective/cladiri",
  objectiveId: 12,
  status: "done",
  notes: "[ref:test-01939a3e-5c1b-7000-8000-00000000a1a7]",
};

/** A list of more than a page, whose end has a record of this site. @param failsAt whether a request after the first page fails */
function longList(failsAt: () => boolean): void {
  const rows = [...OTHERS.slice(0, 199), FINISHED];
  centre.read = ({ path }) => {
    const query = new URL(path, "http://centre").searchParams;
    const [start, end] = [Number(query.get("_start")), Number(query.get("_end"))];
    if (start > 0 && failsAt()) return json(503, {}, { "Retry-After": "1" });
    return json(200, rows.slice(start, end));
  };
}

test("a list that fails once in the middle is read again before the first alarm is sent", async () => {
  let requests = 0;
  longList(() => (requests += 1) === 1);
  scheduler.start();
  site.create({ priority: "high" });
  await eventually("the alarm at the centre", () => {
    site.app.clock.advance(15_000);
    return centre.requests.length === 1;
  });
  expect(site.app.records().map(({ name }) => name)).toContain("Finished before");
});

test("a list that fails each time in the middle does not keep an alarm here", async () => {
  longList(() => true);
  scheduler.start();
  site.create({ priority: "high" });
  await eventually("the alarm at the centre", () => {
    site.app.clock.advance(15_000);
    return centre.requests.length === 1;
  });
  expect(readings()).toBe(2);
});

test("a sorted list that fails each time does not keep an alarm here while a simple read succeeds", async () => {
  centre.read = ({ path }) => (path.includes("_sort") ? json(504, {}) : json(200, []));
  scheduler.start();
  site.create({ priority: "high" });
  await eventually("the alarm at the centre", () => {
    site.app.clock.advance(15_000);
    return centre.requests.length === 1;
  });
});

test("a centre that asks for a pause is not asked for the list meanwhile, except for an alarm", async () => {
  centre.read = () => json(503, {}, { "Retry-After": "3600" });
  const minutes = async (count: number): Promise<void> => {
    for (let quarter = 0; quarter < 4 * count; quarter += 1) {
      site.app.clock.advance(15_000);
      // Resolves when no reading is in progress.
      await site.push.audit.stop();
    }
  };
  scheduler.start();
  await site.push.audit.stop();
  await minutes(10);
  expect(readings()).toBe(1);
  site.create({ priority: "high" });
  await minutes(2);
  expect(readings()).toBeGreaterThan(1);
});
