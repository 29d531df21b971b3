import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { DEVICE_EMAIL } from "../../src/domain/principal.ts";
import { backUp } from "../../src/ops/backups.ts";
import { restore } from "../../src/ops/restore.ts";
import { Journal } from "../../src/store/journal.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { PATROL, TestApp, OPERATOR_USER, TESTER } from "../support/app.ts";
import { json } from "../support/nonconforming-centre.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tripRow } from "../support/trip-row.ts";

/*
 * The database of the site is restored from a backup; the dispatch centre has no keys, and has records sent
 * after the backup.
 */

let dataDir: string;
let copy: string;
let centre: InMemoryCentre;
let site: SyncingSite;
let baseUrl: string;

beforeEach(async () => {
  dataDir = temporaryFolder();
  copy = join(dataDir, "copy.db");
  centre = new InMemoryCentre();
  baseUrl = await centre.start();
  site = await opened();
});
afterEach(async () => {
  await site.close();
  await centre.stop();
});

async function opened(): Promise<SyncingSite> {
  return new SyncingSite(await TestApp.make({}, join(dataDir, "santinela.db")), baseUrl);
}

/** Stops the daemon, restores the backup, and starts the daemon. @returns the number of pending trips */
async function restoreBackup(): Promise<number> {
  await site.close();
  const { redelivered } = restore(dataDir, copy, Date.now(), TESTER);
  site = await opened();
  return redelivered;
}

/** A record that the backup has as not sent, and that the dispatch centre has. */
async function sentAfterTheCopy(): Promise<number> {
  site.create({ description: "earlier" });
  await site.push.cycle();
  const { id } = site.create({ description: "later" });
  await backUp(dataDir, copy);
  await site.push.cycle();
  return id;
}

function there(): unknown[] {
  return [...centre.rows.values()].map(({ description }) => description);
}

describe("a record that the backup has as not sent", () => {
  test("and that was sent since is found at the dispatch centre and not sent again", async () => {
    const id = await sentAfterTheCopy();
    await restoreBackup();
    await site.push.cycle();
    expect(there()).toEqual(["earlier", "later"]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
  });

  test("and that was not sent is sent at once", async () => {
    site.create({ description: "waiting" });
    await backUp(dataDir, copy);
    await restoreBackup();
    await site.push.cycle();
    expect(there()).toEqual(["waiting"]);
  });

  test("and that is deleted before the search is deleted at the dispatch centre", async () => {
    const id = await sentAfterTheCopy();
    await restoreBackup();
    site.app.interventions.delete(id, OPERATOR_USER);
    site.app.clock.advance(1_000_000);
    await site.push.cycleWithChecks();
    expect(there()).toEqual(["earlier"]);
  });

  test("and that was rejected then and accepted since is found at a manual retry", async () => {
    centre.instead = ({ method }) => (method === "POST" ? json(400, {}) : undefined);
    const { id } = site.create({ description: "later" });
    await site.push.cycle();
    await backUp(dataDir, copy);
    centre.instead = () => undefined;
    site.push.operator.retry(id);
    await site.push.cycle();
    await restoreBackup();
    site.push.operator.retry(id);
    await site.push.cycle();
    expect(there()).toEqual(["later"]);
  });
});

test("a trip whose record is missing in the backup is recorded again and found at the dispatch centre; a new one is sent at once", async () => {
  site.create({ description: "earlier" });
  await site.push.cycle();
  await backUp(dataDir, copy);
  const database = openJournalDatabase(join(dataDir, "journal.db"));
  const journal = new Journal(database, site.app.clock);
  const trip = tripRow("trip-1", { ...PATROL, description: "alarm" }, Date.now());
  journal.commit({
    zoneId: trip.zoneId,
    state: { contact: "open", sinceWallMs: 0, autoRestored: false, sensor: null },
    trips: [trip],
  });
  const record = (): Intervention => site.create({ description: "alarm", priority: "high" }, trip.key);
  journal.trips.resolve(trip.key, "posted", record().id);
  database.close();
  await site.push.cycle();
  expect(there()).toEqual(["earlier", "alarm"]);

  expect(await restoreBackup()).toBe(1);
  const { id } = record();
  site.create({ description: "new" });
  await site.push.cycle();
  expect(there()).toEqual(["earlier", "alarm", "new"]);
  expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 2 });
});

test("a trip whose record was read back from the dispatch centre before it is recorded again is not recorded twice", async () => {
  await backUp(dataDir, copy);
  const KEY = "01939a3e-5c1b-7000-8000-00000000a1a7";
  const asDevice = (): Intervention =>
    site.app.interventions.create(
      { ...PATROL, description: "alarm" },
      { ...OPERATOR_USER, accountId: 99, email: DEVICE_EMAIL },
      { key: KEY, fingerprint: KEY },
    ).record;
  asDevice();
  await site.push.cycle();
  await restoreBackup();
  await site.push.audit.readBackRecords();
  const [readBack] = site.app.records();
  expect(asDevice().id).toBe(readBack?.id);
  await site.push.cycle();
  expect(there()).toEqual(["alarm"]);
  expect(site.app.records()).toHaveLength(1);
});
