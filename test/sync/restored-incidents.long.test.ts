import { randomUUID } from "node:crypto";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TripDispatcher } from "../../src/inputs/trip-dispatcher.ts";
import { backUp } from "../../src/ops/backups.ts";
import { restore } from "../../src/ops/restore.ts";
import { redeliverLostTrips } from "../../src/store/pending-searches.ts";
import { OPERATOR_USER, TestApp, TESTER } from "../support/app.ts";
import { dispatcherOf } from "../support/dispatching-site.ts";
import { eventually } from "../support/eventually.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * The database of the site is restored from a backup that lacks an alarm of three zones, or its later trips. The dispatch
 * centre has the record, and a dispatcher has set it done.
 */

const simulated = { simulated: true } as const;
const objective = { type: "obiective/cladiri", id: 1 } as const;
const ZONES = [
  zoneOf({ id: "door", name: "Door", objective, input: simulated, swinger: false }),
  zoneOf({ id: "hall", name: "Hall", kind: "motion", objective, input: simulated, swinger: false }),
  zoneOf({ id: "glass", name: "Window", kind: "glass", objective, input: simulated, swinger: false }),
];

let dataDir: string;
let copy: string;
let centre: InMemoryCentre;
let baseUrl: string;
let site: SyncingSite;
let zones: MonitoredZones;
let dispatcher: TripDispatcher;

beforeEach(async () => {
  dataDir = temporaryFolder();
  copy = join(dataDir, "copy.db");
  centre = new InMemoryCentre();
  baseUrl = await centre.start();
  await open();
});
afterEach(async () => {
  await close();
  await centre.stop();
});

async function open(): Promise<void> {
  const app = await TestApp.make({}, join(dataDir, "santinela.db"));
  const url = `http://127.0.0.1:${await app.listen()}`;
  const journalPath = join(dataDir, "journal.db");
  zones = new MonitoredZones(ZONES, { clock: app.clock, journalPath, newKey: () => randomUUID() });
  site = new SyncingSite(app, baseUrl);
  dispatcher = dispatcherOf({ app, zones }, url, () => {});
}

async function close(): Promise<void> {
  await dispatcher.stop();
  zones.close();
  await site.close();
}

/** Waits until every trip and restore is in a record, or will be in none. */
async function dispatched(): Promise<void> {
  const { trips, restores } = zones.journal;
  await eventually("every trip to be processed", () => {
    dispatcher.requestRun();
    return trips.nextWaiting(0) === undefined && restores.nextPending(0) === undefined;
  });
}

/** Contacts open and close, a minute apart. */
async function trip(...zoneIds: readonly string[]): Promise<void> {
  for (const zoneId of zoneIds) {
    site.app.clock.advance(60_000);
    for (const contact of ["normal", "open", "normal"] as const)
      zones.monitor.read(zoneId, contact, { live: true });
    await dispatched();
  }
}

/** A day later the backup is restored. @returns the number of trips that are dispatched again */
async function restoreBackup(): Promise<number> {
  await close();
  restore(dataDir, copy, Date.now(), TESTER);
  await open();
  site.app.clock.advance(86_400_000);
  return redeliverLostTrips(zones.database, site.app.database, 0);
}

/** The site and the centre compare everything until nothing is left to do. */
async function synced(): Promise<void> {
  for (let hour = 0; hour < 4; hour += 1) {
    site.app.clock.advance(3_600_000);
    await site.push.cycleWithChecks();
  }
}

function statesOf(): (string | null)[][] {
  return zones.trips.map(({ zoneId, state }) => [zoneId, state]);
}

function there(): unknown[] {
  return [...centre.rows.values()].map(({ name, status }) => [name, status]);
}

/** Statuses that the site has sent in changes. */
function sentStatuses(): unknown[] {
  const puts = centre.writes.filter(({ method }) => method === "PUT");
  return puts.map(({ body }) => (JSON.parse(body) as { status?: string }).status).filter(Boolean);
}

const ALARM = "Alarm, intrusion: Door";

describe("an alarm of three zones that is done at the dispatch centre and missing in the backup", () => {
  beforeEach(async () => {
    await backUp(dataDir, copy);
    await trip("door", "hall", "glass", "hall");
    await site.push.cycle();
    centre.edit(1, { status: "done" });
    expect(await restoreBackup()).toBe(4);
  });
  afterEach(async () => {
    await synced();
    expect(there()).toEqual([[ALARM, "done"]]);
    expect(site.app.records().map(({ name, status }) => [name, status])).toEqual([[ALARM, "done"]]);
    expect(sentStatuses()).toEqual([]);
  });

  test("stays the only record if it is read back before its trips are dispatched", async () => {
    await site.push.audit.readBackRecords();
    await dispatched();
    expect(statesOf()).toEqual([
      ["door", "posted"],
      ["hall", "recorded"],
      ["glass", "recorded"],
      ["hall", "recorded"],
    ]);
  });

  test("stays the only record if it is read back between its first trip and the others", async () => {
    // What holds the other trips back.
    zones.database.exec(
      `INSERT INTO entry_delays(key, zone_id, due_wall, due_boot, due_monotonic)
       SELECT key, zone_id, 0, 'boot-1', 0 FROM trips WHERE key <> incident`,
    );
    await dispatched();
    await site.push.audit.readBackRecords();
    await site.push.cycle();
    zones.database.exec("DELETE FROM entry_delays");
    await dispatched();
  });

  test("stays the only record if it is read back after all of its trips", async () => {
    await dispatched();
    await site.push.audit.readBackRecords();
    await site.push.cycle();
  });
});

describe("an alarm that is unfinished in the backup, and was joined by trips and set done since", () => {
  beforeEach(async () => {
    await trip("door");
    await site.push.cycle();
    await backUp(dataDir, copy);
    await trip("hall", "hall");
    await site.push.cycle();
    centre.edit(1, { status: "done" });
    expect(await restoreBackup()).toBe(2);
  });
  afterEach(async () => {
    await synced();
    expect(there()).toEqual([[ALARM, "done"]]);
    expect(sentStatuses()).toEqual([]);
    expect(site.app.records()).toMatchObject([{ status: "done" }]);
  });

  test("stays done if its trips are dispatched before it is read", async () => {
    await dispatched();
    expect(statesOf().map(([, state]) => state)).toEqual(["posted", "merged", "merged"]);
  });

  test("stays done if its trips are dispatched after it was read", async () => {
    await synced();
    await dispatched();
    expect(statesOf().map(([, state]) => state)).toEqual(["posted", "recorded", "recorded"]);
  });
});

test("an alarm that the dispatch centre does not have becomes one record again, with the lines of its zones", async () => {
  await backUp(dataDir, copy);
  await trip("door", "hall", "glass");
  expect(await restoreBackup()).toBe(3);
  await dispatched();
  await synced();
  expect(there()).toEqual([[ALARM, "planned"]]);
  expect(centre.rows.get(1)).toMatchObject({ police: true, notes: expect.stringContaining("Hall") });
  expect(centre.rows.get(1)).toMatchObject({ notes: expect.stringContaining("Window") });
});

test("a trip that a finished record does not name becomes a record of its own", async () => {
  await backUp(dataDir, copy);
  await trip("door");
  await site.push.cycle();
  // The link is down.
  await trip("hall");
  centre.edit(1, { status: "done" });
  await restoreBackup();
  await site.push.audit.readBackRecords();
  await dispatched();
  await synced();
  expect(there()).toEqual([
    [ALARM, "done"],
    ["Alarm, motion: Hall", "planned"],
  ]);
});

describe("an alarm of two zones that was deleted since the backup", () => {
  beforeEach(async () => {
    await backUp(dataDir, copy);
    await trip("door", "hall");
    await site.push.cycle();
    expect(there()).toEqual([[ALARM, "planned"]]);
  });
  afterEach(async () => {
    expect(await restoreBackup()).toBe(0);
    await dispatched();
    await synced();
    expect(there()).toEqual([]);
    expect(statesOf().map(([, state]) => state)).toEqual(["posted", "merged"]);
  });

  test("by a dispatcher is not sent again", async () => {
    centre.rows.delete(1);
    await synced();
    expect(site.entry(1)).toMatchObject({ phase: "gone" });
  });

  test("at the site is not sent again", async () => {
    site.app.interventions.delete(1, OPERATOR_USER);
    await synced();
    expect(there()).toEqual([]);
  });

  test("at the site, while the link was down, is deleted at the dispatch centre", async () => {
    site.app.interventions.delete(1, OPERATOR_USER);
  });
});

test("an alarm that was waiting in the backup, and deleted since, is not sent", async () => {
  await trip("door");
  await backUp(dataDir, copy);
  await site.push.cycle();
  site.app.interventions.delete(1, OPERATOR_USER);
  await synced();
  await restoreBackup();
  await dispatched();
  await synced();
  expect(there()).toEqual([]);
  expect(site.app.records()).toEqual([]);
});

test("an alarm at an objective that the backup lacks, and deleted since, is not sent again", async () => {
  await backUp(dataDir, copy);
  await trip("door");
  site.app.interventions.delete(1, OPERATOR_USER);
  const early = new Sqlite(copy);
  early.exec("DELETE FROM objectives");
  early.close();
  expect(await restoreBackup()).toBe(0);
  expect(site.entry(1)).toMatchObject({ deleted: true });
});

test("a row of the replaced database that says deleted, with a wrong checksum, keeps no alarm from the dispatch centre", async () => {
  await backUp(dataDir, copy);
  await trip("door");
  const { database } = site.app;
  database.exec("DROP TRIGGER interventions_changed");
  database.exec("UPDATE interventions SET deleted_at = 1");
  expect(await restoreBackup()).toBe(1);
  await dispatched();
  await synced();
  expect(there()).toEqual([[ALARM, "planned"]]);
});
