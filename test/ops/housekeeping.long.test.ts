import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fileStamp } from "../../src/ops/backups.ts";
import { ReserveFile, RESERVE_BYTES } from "../../src/ops/reserve-file.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Housekeeping } from "../../src/ops/housekeeping.ts";
import { journalRetention, recordsRetention, RetentionSchedule } from "../../src/ops/retention-schedule.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { verifyTrail } from "../../src/store/audit-trail.ts";
import type { Database } from "../../src/store/database.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { setDiskFullHandler, transaction } from "../../src/store/transaction.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { Journal } from "../../src/store/journal.ts";
import { TripStore } from "../../src/store/trips.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { NO_MOUNT, SmallDisk } from "../support/small-disk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tripRow } from "../support/trip-row.ts";
import { testUnless } from "../support/required-programs.ts";

const BODY = { name: "Alarm", objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MB = 1_048_576;
const AUDIT_DAYS = 400;

let dataDir: string;
let clock: ManualClock;
let log: JsonLog;
let health: ConditionRegistry;
let main: Database;
let journal: Database;
let free: number;
let housekeeping: Housekeeping;
let retentions: RetentionSchedule[];

function newHousekeeping(of: { isBackedUpDaily: boolean }): Housekeeping {
  return new Housekeeping({
    ...of,
    dataDir,
    clock,
    log,
    conditions: health,
    reserveFile: new ReserveFile(dataDir),
    freeBytes: () => free,
    checkReport: () => {},
  });
}

/** Both threads start. */
function start(): void {
  housekeeping.start();
  for (const retention of retentions) retention.start();
}

beforeEach(() => {
  dataDir = temporaryFolder();
  clock = new ManualClock();
  log = new JsonLog({ level: "debug", clock, write: () => {} });
  health = new ConditionRegistry(clock, log);
  main = openMainDatabase(":memory:");
  journal = openJournalDatabase(":memory:");
  main.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')");
  free = 20_000 * MB;
  housekeeping = newHousekeeping({ isBackedUpDaily: false });
  const common = { clock, log, freeBytes: () => free };
  retentions = [
    new RetentionSchedule({
      ...common,
      removal: (wallMs, uptimeMs) =>
        journalRetention(journal, main, {
          wallMs,
          uptimeMs,
          monotonicMs: clock.monotonicMs(),
          bootId: "this boot",
        }),
    }),
    recordsSchedule(),
  ];
});
afterEach(() => {
  housekeeping.stop();
  for (const retention of retentions) retention.stop();
});

function recordsSchedule(): RetentionSchedule {
  return new RetentionSchedule({
    clock,
    log: new JsonLog({ level: "debug", clock, write: () => {} }),
    freeBytes: () => free,
    removal: (wallMs, uptimeMs) => recordsRetention(main, AUDIT_DAYS, { wallMs, uptimeMs }),
  });
}

/** The schedule of the process that started last. */
const retention = (): RetentionSchedule => retentions.at(-1) as RetentionSchedule;

/** Waits for the end of the running removal. */
const untilRemoved = (): void => clock.advance(90_000);

const conditions = (): string[] => health.list().map(({ code }) => code);

function record(
  ageDays: number,
  status: string,
  phase: string,
  { wantRev = 1, syncedRev = 1 }: { wantRev?: number; syncedRev?: number } = {},
): number {
  const atMs = clock.wallMs() - ageDays * DAY_MS;
  const id = main
    .prepare(
      `INSERT INTO interventions(uid,name,status,priority,type,objectiveType,objectiveId,crews,police,ambulance,firetruck,dispeceratId,created_by,created_at,updated_at)
       VALUES(hex(randomblob(8)),'n',?,'low','other','obiective/cladiri',1,1,0,0,0,1,1,?,?)`,
    )
    .run(status, atMs, atMs).lastInsertRowid;
  main
    .prepare(
      "INSERT INTO outbox(intervention_id,phase,rank,want_rev,synced_rev,upstream_id,base,attempt_key,attempt_body) VALUES(?,?,1,?,?,?,'{}','k','{}')",
    )
    .run(id, phase, wantRev, syncedRev, id);
  return Number(id);
}

const records = (): number[] =>
  main.prepare("SELECT id FROM interventions ORDER BY id").pluck().all() as number[];

describe("after 90 days", () => {
  test("a record that is done and synchronised is removed; one that needs attention remains", () => {
    record(91, "done", "linked");
    record(91, "planned", "closed");
    const kept = [
      record(91, "planned", "linked"),
      record(91, "done", "linked", { wantRev: 2 }),
      ...["new", "posting", "unsure", "blocked", "rejected", "gone"].map((phase) =>
        record(400, "done", phase, { syncedRev: 0 }),
      ),
      record(89, "done", "linked"),
      record(0, "done", "linked"),
    ];
    start();
    untilRemoved();
    expect(records()).toEqual(kept);
  });

  test("a clock step of years ahead removes no record", () => {
    record(89, "done", "linked");
    record(0, "done", "linked");
    clock.stepWall(4000 * DAY_MS);
    start();
    untilRemoved();
    expect(records()).toHaveLength(2);
  });

  test("a clock step of years ahead with records written by that clock costs days, not all, in any number of restarts", () => {
    const events = new EventLog(main);
    const deleted = { event: "intervention-deleted", who: "a", from: "b", subject: "c", detail: {} } as const;
    for (let days = 399; days >= 0; days -= 1) events.add(deleted, clock.wallMs() - days * DAY_MS);
    for (let days = 89; days >= 0; days -= 1) record(days, "done", "linked");
    const expectLeft = (): void => {
      expect(records().length).toBeGreaterThan(90 - 8);
      expect(verifyTrail(main).entries).toBeGreaterThan(400 - 8);
    };
    const runFor = (ms: number): void => {
      retention().start();
      clock.advance(ms);
      retention().stop();
    };
    runFor(HOUR_MS);
    clock.stepWall(4000 * DAY_MS);
    record(0, "done", "linked");
    for (let start = 0; start < 20; start += 1) {
      retentions = [...retentions, recordsSchedule()];
      runFor(HOUR_MS);
    }
    expectLeft();
    clock.stepWall(-4000 * DAY_MS);
    record(0, "done", "linked");
    runFor(DAY_MS);
    expectLeft();
  });

  test("a machine that was off for a year removes what has expired within weeks, and nothing of today", () => {
    for (let days = 89; days >= 0; days -= 1) record(days, "done", "linked");
    retention().start();
    clock.advance(HOUR_MS);
    expect(records()).toHaveLength(90);
    clock.stepWall(365 * DAY_MS);
    const today = record(0, "done", "linked");
    for (let day = 0; day < 40; day += 1) {
      clock.advance(DAY_MS);
      record(0, "done", "linked");
    }
    expect(records()[0]).toBe(today);
  });

  test("many old records are removed two hundred at a time, so that no alarm waits", () => {
    transaction(main, () => {
      for (let number = 0; number < 900; number += 1) record(91, "done", "linked");
      for (let number = 0; number < 1_500; number += 1) record(91, "done", "blocked");
      for (let number = 0; number < 300; number += 1) record(91, "done", "linked");
    });
    const newest = record(0, "done", "linked");
    start();
    clock.advance(60_000);
    let left = records().length;
    expect(left).toBe(2_501);
    const endMs = clock.monotonicMs() + 30_000;
    while (clock.monotonicMs() < endMs && clock.advanceToNext(30_000)) {
      const next = records().length;
      expect(left - next).toBeLessThanOrEqual(200);
      left = next;
    }
    expect(left).toBe(1_501);
    expect(records().at(-1)).toBe(newest);
  });

  test("a record that is changed during the removal stays", () => {
    transaction(main, () => {
      for (let number = 0; number < 300; number += 1) record(91, "done", "linked");
    });
    const opened = record(91, "done", "linked");
    record(0, "done", "linked");
    start();
    main.prepare("UPDATE interventions SET updated_at = ? WHERE id = ?").run(clock.wallMs(), opened);
    untilRemoved();
    expect(records()).toEqual([opened, opened + 1]);
  });
});

test("completed trips are removed from the journal after 30 days, others never", () => {
  record(0, "planned", "new", { syncedRev: 0 });
  const trips = new TripStore(journal);
  for (const state of ["posted", "merged", "bypassed", "waiting", "refused"] as const)
    for (const days of [29, 31]) {
      const key = `${state}-${days}`;
      trips.insert(tripRow(key, BODY, clock.wallMs() - days * DAY_MS));
      journal.prepare("UPDATE trips SET state = ?, intervention_id = 1 WHERE key = ?").run(state, key);
    }
  start();
  untilRemoved();
  expect(journal.prepare("SELECT key FROM trips ORDER BY seq").pluck().all()).toEqual([
    "posted-29",
    "merged-29",
    "bypassed-29",
    "waiting-29",
    "waiting-31",
    "refused-29",
    "refused-31",
  ]);
});

test("a trip of this boot, from before the clock was set, is removed by its age and not by its date", () => {
  record(0, "planned", "new", { syncedRev: 0 });
  const { trips } = new Journal(journal, clock);
  for (const bootId of ["this boot", "earlier boot"]) {
    const row = tripRow(bootId, BODY, 0);
    trips.insert({ ...row, isDated: false, moment: { ...row.moment, bootId } });
  }
  journal.exec("UPDATE trips SET state = 'posted', intervention_id = 1");
  start();
  untilRemoved();
  expect(journal.prepare("SELECT key FROM trips").pluck().all()).toEqual(["this boot"]);
});

test("a trip that a clock years ahead has dated is removed with the trip after it, before its record: it is not reported as lost", () => {
  const last = record(0, "planned", "new", { syncedRev: 0 });
  const trips = new TripStore(journal);
  for (const [key, days, isDated] of [
    ["ahead", -4000, true],
    ["ahead, not dated", -4000, false],
    ["after it", 31, true],
    ["ahead lately", -4000, true],
    ["now", 0, true],
  ] as const)
    trips.insert({ ...tripRow(key, BODY, clock.wallMs() - days * DAY_MS), isDated });
  journal.prepare("UPDATE trips SET state = 'posted', intervention_id = ?").run(last);
  start();
  untilRemoved();
  expect(journal.prepare("SELECT key FROM trips ORDER BY seq").pluck().all()).toEqual([
    "ahead lately",
    "now",
  ]);
});

test("an incident is removed with its trips, except for the repair of an open fault", () => {
  record(0, "planned", "new", { syncedRev: 0 });
  const store = new Journal(journal, clock);
  const wallMs = clock.wallMs() - 31 * DAY_MS;
  const since = {
    interventionId: 1,
    last: { wallMs, bootId: "", monotonicMs: 0 },
    zones: [],
    notes: null,
    next: null,
  };
  for (const subject of ["obiective/cladiri/1", "fault/door/tamper", "fault/gate/tamper"])
    store.incidents.save({ ...since, key: subject, subject });
  store.faults.open({
    owner: "gate",
    fault: "tamper",
    zoneId: "gate",
    key: "fault/gate/tamper",
    sinceWallMs: wallMs,
  });
  start();
  untilRemoved();
  expect(journal.prepare("SELECT subject FROM incidents").pluck().all()).toEqual(["fault/gate/tamper"]);
});

test("the event log keeps its newest ten thousand entries", () => {
  const add = main.prepare(
    "INSERT INTO events(at,event,who,origin,subject,detail) VALUES(0,'signed-in','a','b','c','{}')",
  );
  transaction(main, () => {
    for (let number = 0; number < 10_150; number += 1) add.run();
  });
  start();
  untilRemoved();
  expect(main.prepare("SELECT min(seq), count(*) FROM events").raw().get()).toEqual([151, 10_000]);
});

test("a removal that an error of the disk has ended is tried again a minute later, not an hour", () => {
  let attempts = 0;
  const schedule = new RetentionSchedule({
    clock,
    log,
    freeBytes: () => free,
    // eslint-disable-next-line require-yield
    *removal() {
      attempts += 1;
      throw new Error("disk I/O error");
    },
  });
  schedule.start();
  clock.advance(60_000);
  clock.advance(60_000);
  schedule.stop();
  expect(attempts).toBe(2);
});

describe("the free space of the disk", () => {
  test.each([
    [200, []],
    [63, ["disk-nearly-full"]],
    [16, ["disk-nearly-full"]],
    [15, ["disk-full", "disk-nearly-full"]],
  ])("at %i MB has the expected condition", (megabytes, told) => {
    free = megabytes * MB;
    start();
    expect(conditions()).toEqual(told);
    free = 200 * MB;
    clock.advance(60_000);
    expect(conditions()).toEqual([]);
  });

  test("names the size of the quarantine, which nothing removes", () => {
    mkdirSync(join(dataDir, "quarantine", "2026-11-21T03-17-00Z"), { recursive: true });
    writeFileSync(join(dataDir, "quarantine", "2026-11-21T03-17-00Z", "santinela.db"), Buffer.alloc(3 * MB));
    free = 63 * MB;
    start();
    expect(health.list().map(({ text }) => text)).toEqual([
      `63 MB is free on the disk of ${dataDir}. Remove unneeded files; quarantine/ has 3 MB.`,
    ]);
  });

  test.each([
    [200, 8],
    [63, 8],
    [12, 3],
  ])("of %i MB has %i MB in reserve for alarms", async (megabytes, held) => {
    free = megabytes * MB;
    start();
    await eventually("the reserve file to be whole", () => reservedBytes(dataDir) === held * MB);
    expect(RESERVE_BYTES).toBe(8 * MB);
  });

  test("that was released is reserved again only with enough space", async () => {
    const reserveFile = new ReserveFile(dataDir);
    await reserveFile.fill(200 * MB);
    expect(reserveFile.release()).toBe(true);
    await reserveFile.fill(20 * MB);
    expect(reservedBytes(dataDir)).toBe(0);
    await reserveFile.fill(40 * MB);
    expect(reservedBytes(dataDir)).toBeGreaterThan(0);
  });

  test("that the thread of the records has released is not reserved again at once by the other", async () => {
    const [sensing, records] = [new ReserveFile(dataDir), new ReserveFile(dataDir)];
    await sensing.fill(200 * MB);
    expect(records.release()).toBe(true);
    await sensing.fill(20 * MB);
    expect(reservedBytes(dataDir)).toBe(0);
    await sensing.fill(40 * MB);
    expect(reservedBytes(dataDir)).toBeGreaterThan(0);
    // After a restart, when it is already there.
    const next = new ReserveFile(dataDir);
    records.release();
    await next.fill(20 * MB);
    expect(reservedBytes(dataDir)).toBe(0);
  });

  test("is checked every five seconds, so that a full disk is reported in time", () => {
    start();
    free = 3 * MB;
    clock.advance(5_000);
    expect(conditions()).toContain("disk-full");
  });
});

test("missing backups are reported after three days, where the machine should make one every day", () => {
  housekeeping = newHousekeeping({ isBackedUpDaily: true });
  start();
  // The clock is set after the start.
  clock.stepWall(90 * DAY_MS);
  clock.advance(3 * DAY_MS);
  expect(conditions()).toEqual([]);
  clock.advance(3_600_000);
  expect(conditions()).toEqual(["backup-overdue"]);
});

test("outdated backups are reported; a directory without any means that none are configured", async () => {
  start();
  expect(conditions()).toEqual([]);
  await mkdir(join(dataDir, "backups"));
  writeFileSync(join(dataDir, "backups", `santinela-${fileStamp(clock.wallMs())}.db`), "");
  clock.advance(3 * DAY_MS);
  expect(conditions()).toEqual([]);
  clock.advance(3_600_000);
  expect(conditions()).toEqual(["backup-overdue"]);
});

testUnless(NO_MOUNT, "on a full disk the reserve file frees space for essential writes", async () => {
  const disk = new SmallDisk(24);
  const reserveFile = new ReserveFile(disk.folder);
  const database = openJournalDatabase(join(disk.folder, "journal.db"));
  try {
    setDiskFullHandler(database, () => reserveFile.release());
    await reserveFile.fill(23 * MB);
    disk.fill();
    const trips = new TripStore(database);
    const write = (key: string): void =>
      transaction(database, () =>
        trips.insert(tripRow(key, { ...BODY, description: "x".repeat(50_000) }, 0)),
      );
    for (let number = 0; number < 30; number += 1) write(`t${number}`);
    expect(database.prepare("SELECT count(*) FROM trips").pluck().get()).toBe(30);
    expect(reservedBytes(disk.folder)).toBe(0);
    disk.fill();
    const untilFull = (): void => {
      for (let number = 30; number < 1_000; number += 1) write(`t${number}`);
    };
    expect(untilFull).toThrow(/full/);
  } finally {
    database.close();
    disk.remove();
  }
});

/** The size of the reserve file of a data directory; 0 if there is none. */
function reservedBytes(folder: string): number {
  return statSync(join(folder, "ballast"), { throwIfNoEntry: false })?.size ?? 0; // words: allowed
}
