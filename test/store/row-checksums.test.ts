import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InterventionService, type InterventionServiceOptions } from "../../src/service/interventions.ts";
import { AccountStore } from "../../src/store/accounts.ts";
import type { Database } from "../../src/store/database.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { OverrideStore } from "../../src/store/overrides.ts";
import { alteredRows } from "../../src/store/row-checksums.ts";
import { TripStore } from "../../src/store/trips.ts";
import { SwingerStore, ZoneStateStore } from "../../src/store/zone-states.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tripRow } from "../support/trip-row.ts";

let main: Database;
let journal: Database;
let options: InterventionServiceOptions;
let service: InterventionService;
let trips: TripStore;
beforeEach(() => {
  main = openMainDatabase(":memory:");
  journal = openJournalDatabase(":memory:");
  main.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')");
  const keys = ["a", "b", "c"];
  options = {
    database: main,
    clock: new ManualClock(),
    timezone: "Europe/Bucharest",
    dispeceratId: 7,
    newUid: () => keys.shift() as string,
    onChange: () => {},
  };
  service = new InterventionService(options);
  trips = new TripStore(journal);
});
afterEach(() => {
  main.close();
  journal.close();
});

/** Whether each row of a table has a checksum; whether it is right says `alteredRows`. */
const areSummed = (database: Database, table: string, column = "checksum"): unknown =>
  database.prepare(`SELECT count(*) > 0 AND count(*) = count(${column}) FROM ${table}`).pluck().get();

describe("the checksum of a row", () => {
  test("is stored with each new record, outbox entry and trip, and fits", () => {
    const full = { notes: 'Ușă "forțată"\\\n\t😀', dateStart: "2026-11-20T23:30:00", police: true, crews: 3 };
    service.create({ ...PATROL, ...full }, OPERATOR_USER, { key: "given", fingerprint: "f" });
    service.create(PATROL, OPERATOR_USER);
    trips.insert(tripRow("key", { ...PATROL, ...full }, 1_700_000_000_000), "key");
    expect([alteredRows(main), alteredRows(journal)]).toEqual([[], []]);
    for (const table of ["interventions", "outbox"]) expect(areSummed(main, table)).toBe(1);
    expect(areSummed(journal, "trips")).toBe(1);
  });

  test("fits after each change of the record", () => {
    const { record } = service.create(PATROL, OPERATOR_USER);
    service.update(record.id, { name: "Ușa", status: "done" }, OPERATOR_USER);
    service.delete(record.id, OPERATOR_USER);
    expect(alteredRows(main)).toEqual([]);
    for (const table of ["interventions", "outbox"]) expect(areSummed(main, table)).toBe(1);
  });

  test("fits a text that SQLite stores in another way", () => {
    const line = `half of a pair: ${String.fromCharCode(0xd8_3d)}`;
    trips.insert({ ...tripRow("key", PATROL, 0), line });
    expect(trips.find("key")?.line).not.toBe(line);
    expect([alteredRows(journal), areSummed(journal, "trips")]).toEqual([[], 1]);
  });

  test("is stored with each override of a user and each account, and fits after a change", () => {
    const overrides = new OverrideStore(journal);
    const bypass = { zoneId: "door", reason: "painters", who: "ana", sinceWallMs: 1, untilWallMs: 2 };
    overrides.saveBypass(bypass);
    overrides.saveBypass({ ...bypass, untilWallMs: 3 });
    overrides.saveGateState("key", { state: "open", since: { wallMs: 1, bootId: "b", monotonicMs: 1 } });
    journal.exec("UPDATE gate_states SET state = 'closed'");
    const accounts = new AccountStore(main);
    const added = {
      email: "a@b.example",
      role: "viewer",
      passwordHash: null,
      mustChangePassword: false,
    } as const;
    accounts.add({ ...added, createdAtMs: 1 });
    accounts.change(1, { role: "operator" });
    expect([alteredRows(main), alteredRows(journal)]).toEqual([[], []]);
    expect(areSummed(main, "accounts")).toBe(1);
    for (const table of ["bypasses", "gate_states"])
      expect(areSummed(journal, table, "keyed_checksum")).toBe(1);
  });

  const OPEN = {
    contact: "open",
    sinceWallMs: 1_700_000_000_000,
    autoRestored: false,
    sensor: "{}",
  } as const;
  const COUNTERS = { incidents: 1, trips: 2, counted: 0, lastWallMs: 1_700_000_000_000 };

  test("is stored with each contact and count of a zone, and fits after each change", () => {
    const [states, swingers] = [new ZoneStateStore(journal), new SwingerStore(journal)];
    const pending = { contact: "normal", sinceWallMs: 5, live: true } as const;
    // The second one changes nothing.
    for (const state of [OPEN, OPEN, { ...OPEN, pending }]) states.save("door", state);
    for (const trips of [2, 2, 3]) swingers.save("door", { ...COUNTERS, trips });
    swingers.countIncident("door");
    expect(states.find("door")).toEqual({ ...OPEN, pending });
    expect(swingers.find("door")).toEqual({ ...COUNTERS, incidents: 2, trips: 3 });
    expect(alteredRows(journal)).toEqual([]);
    for (const table of ["zone_states", "swingers"])
      expect(areSummed(journal, table, "keyed_checksum")).toBe(1);
  });

  test("fits a contact that is changed beside a column of a newer release, which stays", () => {
    journal.exec("ALTER TABLE zone_states ADD COLUMN later INTEGER");
    const newer = new ZoneStateStore(journal);
    newer.save("door", OPEN);
    journal.exec("UPDATE zone_states SET later = 7, keyed_checksum = NULL");
    newer.save("door", { ...OPEN, contact: "normal" });
    expect(journal.prepare("SELECT contact, later FROM zone_states").get()).toEqual({
      contact: "normal",
      later: 7,
    });
  });

  test("is added to the rows that an earlier release has written or changed", () => {
    const folder = temporaryFolder();
    const file = join(folder, "journal.db");
    openJournalDatabase(file).close();
    const earlier = new Sqlite(file);
    earlier.exec(
      "INSERT INTO bypasses(zone_id, reason, who, since_wall, until_wall) VALUES('door', 'r', 'w', 0, 1)",
    );
    earlier.close();
    openJournalDatabase(file).close();
    const changing = new Sqlite(file);
    expect(areSummed(changing, "bypasses", "keyed_checksum")).toBe(1);
    changing.exec("UPDATE bypasses SET until_wall = 2");
    expect(areSummed(changing, "bypasses", "keyed_checksum")).toBe(0);
    changing.close();
    const now = openJournalDatabase(file);
    expect([alteredRows(now), areSummed(now, "bypasses", "keyed_checksum")]).toEqual([[], 1]);
    now.close();
  });

  test("finds a value that was altered in the file", () => {
    service.create(PATROL, OPERATOR_USER);
    main.exec("DROP TRIGGER interventions_changed; UPDATE interventions SET crews = 2");
    expect(alteredRows(main)).toEqual([{ table: "interventions", ids: [1] }]);
  });
});

test("a record gets the number after the highest that any record ever had", () => {
  const ids = (): number => service.create(PATROL, OPERATOR_USER).record.id;
  expect(ids()).toBe(1);
  main.exec("DELETE FROM outbox; DELETE FROM interventions");
  expect(ids()).toBe(2);
  main.exec("UPDATE sqlite_sequence SET seq = 40 WHERE name = 'interventions'");
  expect(ids()).toBe(41);
});

test("a new and a changed row of a table to which a newer release has added a column fit too", () => {
  const folder = temporaryFolder();
  const file = join(folder, "santinela.db");
  const newer = openMainDatabase(file);
  newer.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')");
  newer.exec("ALTER TABLE outbox ADD COLUMN later INTEGER NOT NULL DEFAULT 5");
  newer.close();
  const database = openMainDatabase(file);
  const on = new InterventionService({ ...options, database });
  on.update(on.create(PATROL, OPERATOR_USER).record.id, { crews: 2 }, OPERATOR_USER);
  expect([alteredRows(database), areSummed(database, "outbox")]).toEqual([[], 1]);
  database.close();
});
