import { beforeEach, describe, expect, test } from "vitest";
import { nextRunMs } from "../../src/sync/schedule.ts";
import type { SyncScheduler } from "../../src/sync/scheduler.ts";
import { eventually } from "../support/eventually.ts";
import { json, NonconformingCentre } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

let centre: NonconformingCentre;
let site: SyncingSite;
let scheduler: SyncScheduler;

beforeEach(async () => {
  centre = new NonconformingCentre();
  centre.answer = () => json(201, { id: centre.requests.length });
  site = await SyncingSite.at(centre);
  scheduler = site.scheduler();
});

const arrived = (count: number) =>
  eventually(`${count} records at the centre`, () => centre.requests.length >= count);

describe("the schedule", () => {
  test("finds a change without a notification at its next run", async () => {
    scheduler.start();
    await site.push.cycle();
    site.create();
    site.app.clock.advance(60_000);
    await arrived(1);
  });

  test.each([
    ["an hour back", -3_600_000],
    ["twenty seconds back", -20_000],
    ["thirty days on", 30 * 86_400_000],
    ["a year on", 365 * 86_400_000],
  ])("continues when the clock is set %s", async (_what, stepMs) => {
    scheduler.start();
    await site.push.cycle();
    site.app.clock.stepWall(stepMs);
    site.create();
    site.app.clock.advance(80_000);
    await arrived(1);
  });

  test("does not delay a record for the years that the clock was set back", async () => {
    centre.answer = () => json(500, {});
    const { id } = site.create();
    scheduler.start();
    await eventually("the first failure", () => site.entry(id).phase === "unsure");
    await site.push.cycle();
    centre.answer = () => json(201, { id: 1 });
    site.app.clock.stepWall(-20 * 365 * 86_400_000);
    site.app.clock.advance(15_000);
    await eventually(
      "the wait to be shortened",
      () => site.entry(id).nextAtMs < site.app.clock.wallMs() + 3_600_001,
    );
    site.app.clock.advance(3_600_000);
    await eventually("the record to be linked", () => site.entry(id).phase === "linked");
  });

  test.each([
    ["before the centre is searched", 0],
    ["by less than the interval of its detection", 10_000],
  ])("does not treat an attempt as settled because of a clock step, %s", async (_what, afterMs) => {
    centre.answer = () => json(504, {});
    const { id } = site.create();
    await site.push.cycle();
    site.app.clock.stepWall(30 * 86_400_000);
    site.app.clock.advance(afterMs);
    await site.push.cycle();
    expect(centre.requests).toHaveLength(1);
    expect(site.entry(id).phase).toBe("unsure");
    site.app.clock.advance(200_000);
    await site.push.cycle();
    expect(centre.requests).toHaveLength(2);
  });

  test("reports a clock step", async () => {
    scheduler.start();
    await site.push.cycle();
    site.app.clock.stepWall(-3_600_000);
    site.app.clock.advance(15_000);
    expect(site.logLines.join("")).toMatch(/clock-step-detected.*-3600000/);
  });
});

test("a change is pushed at once", async () => {
  scheduler.start();
  site.create();
  scheduler.requestRun({ urgent: false });
  await arrived(1);
});

test("a failed record is retried automatically, without a new change", async () => {
  centre.answer = () => (centre.requests.length === 1 ? json(500, {}) : json(201, { id: 1 }));
  const { id } = site.create();
  scheduler.start();
  await eventually("the first failure", () => site.entry(id).phase === "unsure");
  await eventually("the record to be linked", () => {
    site.app.clock.advance(15_000);
    return site.entry(id).phase === "linked";
  });
});

test("an alarm is attempted at once even during the back-off of the link", async () => {
  const busy = json(503, {}, { "Retry-After": "600" });
  centre.answer = () => busy;
  centre.read = () => (centre.requests.length === 0 ? json(200, []) : busy);
  scheduler.start();
  site.create();
  scheduler.requestRun({ urgent: false });
  await eventually("the back-off of the link", () => site.link.state.waitMs > 0);
  await site.push.cycle();
  const before = centre.requests.length;
  centre.answer = () => json(201, { id: centre.requests.length });
  centre.read = () => json(200, []);
  scheduler.requestRun({ urgent: false });
  await site.push.cycle();
  expect(centre.requests).toHaveLength(before);
  site.create({ priority: "high" });
  scheduler.requestRun({ urgent: true });
  await arrived(before + 1);
});

test("a manual sync attempts everything, also postponed records", async () => {
  centre.answer = () => json(429, {});
  const { id } = site.create();
  scheduler.start();
  await eventually("the first failure", () => site.entry(id).attempts === 1);
  await site.push.cycle();
  centre.answer = () => json(201, { id: 1 });
  await scheduler.now();
  expect(site.entry(id).phase).toBe("linked");
});

test("a change before the start waits for it, and the start first resumes the attempts of a crashed process", async () => {
  const { id } = site.create();
  scheduler.requestRun({ urgent: true });
  await scheduler.now();
  expect(centre.requests).toEqual([]);
  scheduler.start();
  await eventually("the record to be linked", () => site.entry(id).phase === "linked");
});

test("cron expressions are in the time zone of the site", () => {
  const next = nextRunMs("0 3 * * *", "Europe/Bucharest", Date.now());
  const local = new Intl.DateTimeFormat("en-GB", {
    timeZone: "Europe/Bucharest",
    hour: "2-digit",
    minute: "2-digit",
  }).format(next);
  expect(local).toBe("03:00");
  expect(nextRunMs("*/10 * * * * *", "UTC", Date.now()) ?? 0).toBeGreaterThan(0);
});

test("a temporarily unreadable database does not stop the sync permanently", async () => {
  scheduler.start();
  await site.push.cycle();
  site.app.database.exec("ALTER TABLE outbox RENAME TO outbox_away");
  site.app.clock.advance(15_000);
  await eventually("the condition", () => site.conditions().includes("outbox-write-failed"));
  await scheduler.now();
  site.app.database.exec("ALTER TABLE outbox_away RENAME TO outbox");
  const { id } = site.create();
  await eventually("the record to be linked", () => {
    site.app.clock.advance(15_000);
    return site.entry(id).phase === "linked";
  });
  await site.push.cycle();
  expect(site.conditions()).toEqual([]);
});

test("damage that only the sync reads is reported", async () => {
  const { database, clock, damages } = site.app;
  scheduler.start();
  await site.push.cycle();
  database.unsafeMode();
  database.pragma("writable_schema = ON");
  database.exec("UPDATE sqlite_schema SET rootpage = 999999 WHERE name = 'outbox'");
  database.pragma("writable_schema = RESET");
  await eventually("the report", () => {
    clock.advance(15_000);
    return damages.length > 0;
  });
  expect(damages[0]).toMatchObject({ code: expect.stringMatching(/^SQLITE_CORRUPT/) as string });
  expect(site.conditions()).toContain("outbox-write-failed");
});

test("a temporarily read-only database does not stop the sync permanently", async () => {
  const { id } = site.create();
  site.app.database.exec(
    "CREATE TRIGGER full BEFORE UPDATE ON outbox WHEN NEW.phase = 'linked' BEGIN SELECT RAISE(ABORT, 'disk full'); END",
  );
  scheduler.start();
  await eventually("the condition", () => site.conditions().includes("outbox-write-failed"));
  expect(site.entry(id).phase).toBe("posting");
  site.app.database.exec("DROP TRIGGER full");
  await eventually("the record to be linked", () => {
    site.app.clock.advance(15_000);
    return site.entry(id).phase === "linked";
  });
  await site.push.cycle();
  expect(site.conditions()).toEqual([]);
  expect(new Set(centre.requests.map(({ key, body }) => `${key}${body}`)).size).toBe(1);
});
