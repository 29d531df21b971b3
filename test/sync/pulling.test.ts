import { beforeEach, expect, test } from "vitest";
import type { SyncScheduler } from "../../src/sync/scheduler.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Automatic pull of changes by dispatchers: interval and number of reads. */

const MINUTE_MS = 60_000;
const OPEN_RECORDS = 50;
const AT_ONCE_MAX = 20;
const EACH_AT_MOST_EVERY_MS = 5 * MINUTE_MS;

let centre: NonconformingCentre;
let site: SyncingSite;
let scheduler: SyncScheduler;
/** Read times of each record, by its upstream path. */
let looks: Map<string, number[]>;
/** Records of the dispatch centre, by path. */
let there: Map<string, Record<string, unknown>>;

beforeEach(async () => {
  centre = new NonconformingCentre();
  looks = new Map();
  there = new Map();
  centre.answer = ({ body }) => {
    const record = { id: there.size + 1, ...(JSON.parse(body) as object) };
    there.set(`/interventii/${record.id}`, record);
    return json(201, record);
  };
  centre.read = ({ path }) => {
    if (!/^\/interventii\/\d+$/.test(path)) return json(200, []);
    looks.set(path, [...(looks.get(path) ?? []), site.app.clock.monotonicMs()]);
    return json(200, there.get(path));
  };
  site = await SyncingSite.at(centre);
  scheduler = site.scheduler();
});

/** Advances a minute in the steps of the schedule, and completes the resulting requests. */
async function aMinute(): Promise<void> {
  for (let passedMs = 0; passedMs < MINUTE_MS; passedMs += 15_000) {
    site.app.clock.advance(15_000);
    await site.push.cycle();
  }
}

test("a change by a dispatcher is pulled within minutes, without a change on site", async () => {
  const { id } = site.create();
  scheduler.start();
  await eventually("the record at the centre", () => site.entry(id).phase === "linked");
  Object.assign(there.get("/interventii/1") ?? {}, {
    status: "in_progress",
    dispeceratId: 77,
    invoicePdf: "https://centre.example/1.pdf",
  });
  for (let minute = 0; minute < 6; minute += 1) await aMinute();
  expect(site.app.interventions.get(id).record).toMatchObject({
    status: "in_progress",
    dispeceratId: 77,
    invoicePdf: "https://centre.example/1.pdf",
  });
  Object.assign(there.get("/interventii/1") ?? {}, { status: "done" });
  for (let minute = 0; minute < 6; minute += 1) await aMinute();
  expect(site.app.interventions.get(id).record.status).toBe("done");
});

test("fifty open records are read twenty at a time, each every five minutes", async () => {
  for (let count = 0; count < OPEN_RECORDS; count += 1) site.create();
  const closed = site.create({ status: "done" });
  scheduler.start();
  await eventually("all records at the centre", () => there.size === OPEN_RECORDS + 1);
  await site.push.cycle();
  const perMinute: number[] = [];
  const total = (): number => [...looks.values()].flat().length;
  for (let minute = 0; minute < 30; minute += 1) {
    const before = total();
    await aMinute();
    perMinute.push(total() - before);
  }
  expect(Math.max(...perMinute)).toBeLessThanOrEqual(AT_ONCE_MAX);
  const closedPath = `/interventii/${site.entry(closed.id).upstreamId}`;
  for (const [path, moments] of looks) {
    const pauses = moments.slice(1).map((moment, index) => moment - (moments[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(EACH_AT_MOST_EVERY_MS);
    // Done records are read rarely; an open one is read within the minutes that twenty at a time take.
    if (path !== closedPath)
      expect(Math.max(...pauses)).toBeLessThanOrEqual(EACH_AT_MOST_EVERY_MS + 4 * MINUTE_MS);
  }
  expect(looks.size).toBe(OPEN_RECORDS + 1);
  expect(looks.get(closedPath)?.length ?? 0).toBeLessThan(5);
});

test("a record that was deleted on site is no longer read", async () => {
  const { id } = site.create();
  scheduler.start();
  await eventually("the record at the centre", () => site.entry(id).phase === "linked");
  centre.answer = () => ({ status: 204 });
  site.app.interventions.delete(id, OPERATOR_USER);
  await site.push.cycle();
  expect(site.entry(id).phase).toBe("closed");
  const before = [...looks.values()].flat().length;
  for (let minute = 0; minute < 8; minute += 1) await aMinute();
  expect([...looks.values()].flat()).toHaveLength(before);
});
