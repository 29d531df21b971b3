import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { backupOnline } from "../../src/store/online-backup.ts";
import { fileProblems } from "../../src/store/integrity.ts";
import { openDatabase, type Database, type DatabaseKind } from "../../src/store/database.ts";
import { transaction } from "../../src/store/transaction.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { JOURNAL_DATABASE, openJournalDatabase } from "../../src/store/journal-database.ts";
import { Journal } from "../../src/store/journal.ts";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "a.db");
});

const TWO_STEPS: DatabaseKind = {
  applicationId: 7,
  migrations: [
    (db) => db.exec("CREATE TABLE a(x) STRICT".replace("x", "x INTEGER")),
    (db) => db.exec("ALTER TABLE a ADD COLUMN y INTEGER"),
  ],
};

test("a backup of a database under constant writes has the state at its start", async () => {
  const database = openDatabase(path, {
    applicationId: 7,
    migrations: [(db) => db.exec("CREATE TABLE a(x)")],
  });
  const add = database.prepare("INSERT INTO a VALUES(zeroblob(3000))");
  transaction(database, () => {
    for (let row = 0; row < 4_000; row += 1) add.run();
  });
  const copy = join(folder, "copy.db");
  const copying = { isOver: false };
  const making = backupOnline(path, copy).finally(() => (copying.isOver = true));
  let written = 0;
  while (!copying.isOver) {
    add.run();
    written += 1;
    await new Promise(setImmediate);
  }
  await making;
  const made = new Sqlite(copy, { readonly: true });
  expect(written).toBeGreaterThan(2);
  expect(made.prepare("SELECT count(*) FROM a").pluck().get()).toBeLessThan(4_000 + written);
  expect(made.prepare("SELECT count(*) FROM a").pluck().get()).toBeGreaterThanOrEqual(4_000);
  expect(made.pragma("integrity_check", { simple: true })).toBe("ok");
  made.close();
  database.close();
});

describe("opening a database", () => {
  test.each([
    ["the main database", openMainDatabase],
    ["the journal", openJournalDatabase],
  ])("%s uses fsync at every commit", (_name, open) => {
    const database = open(path);
    expect(database.pragma("synchronous", { simple: true })).toBe(2);
    expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(database.pragma("foreign_keys", { simple: true })).toBe(1);
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    database.close();
  });

  test("sets the pragmas again for an old file", () => {
    openMainDatabase(path).close();
    const raw = new Sqlite(path);
    raw.pragma("synchronous = OFF");
    raw.close();
    const database = openMainDatabase(path);
    expect(database.pragma("synchronous", { simple: true })).toBe(2);
    database.close();
  });

  test("keeps a backup before a migration, which the previous release can open", () => {
    const first = { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) };
    const old = openDatabase(path, first);
    old.exec("INSERT INTO a VALUES(42)");
    old.close();
    expect(existsSync(`${path}.v1`)).toBe(false);

    const current = openDatabase(path, TWO_STEPS);
    expect(current.prepare("SELECT x, y FROM a").get()).toEqual({ x: 42, y: null });
    current.close();
    const copy = openDatabase(`${path}.v1`, first);
    expect(copy.prepare("SELECT * FROM a").get()).toEqual({ x: 42 });
    copy.close();
  });

  test("an unfinished copy that a power cut has left is removed", () => {
    const first = { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) };
    openDatabase(path, first).close();
    writeFileSync(`${path}.whole`, "unfinished");
    openDatabase(path, TWO_STEPS).close();
    expect(readdirSync(folder).filter((name) => name.includes("whole"))).toEqual([]);
  });

  test("that backup has the newest commits also while another program reads the file", () => {
    const first = { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) };
    const old = openDatabase(path, first);
    old.exec("INSERT INTO a VALUES(41)");
    const reader = new Sqlite(path, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM a").all();
    old.exec("INSERT INTO a VALUES(42)");
    const current = openDatabase(path, TWO_STEPS);
    reader.close();
    old.close();
    current.close();
    const copy = openDatabase(`${path}.v1`, first);
    expect(copy.prepare("SELECT x FROM a ORDER BY x").pluck().all()).toEqual([41, 42]);
    copy.close();
    expect(readdirSync(folder).filter((name) => name.includes("whole"))).toEqual([]);
  });

  test("keeps only the newest of these backups, and what is not one of them", () => {
    const third = (database: Database): void => void database.exec("CREATE TABLE third(x)");
    openDatabase(path, { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) }).close();
    openDatabase(path, TWO_STEPS).close();
    writeFileSync(`${path}.v1.mine`, "");
    openDatabase(path, { ...TWO_STEPS, migrations: [...TWO_STEPS.migrations, third] }).close();
    const kept = readdirSync(folder).filter((name) => name.includes(".v"));
    expect(kept.toSorted()).toEqual(["a.db.v1.mine", "a.db.v2"]);
  });

  test("keeps its lock on the file after that backup", () => {
    openDatabase(path, { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) }).close();
    const database = openDatabase(path, TWO_STEPS);
    const held = readFileSync("/proc/locks", "utf8")
      .split("\n")
      .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `));
    expect(held).toEqual([expect.stringContaining(" READ ")]);
    database.close();
  });

  test("dispatches pending trips of the previous release under their keys", () => {
    const before = { ...JOURNAL_DATABASE, migrations: JOURNAL_DATABASE.migrations.slice(0, 3) };
    const old = openDatabase(path, before);
    const body = JSON.stringify({ name: "Alarm", objectiveType: "obiective/cladiri", objectiveId: 12 });
    old.exec(
      `INSERT INTO trips(key, zone_id, source, cause, at_wall, body, state, intervention_id) VALUES
         ('a', 'door', 'gpio', 'edge', 1000, '${body}', 'posted', 7),
         ('b', 'door', 'mqtt', 'chatter', 2000, '${body}', 'waiting', NULL)`,
    );
    old.close();

    const journal = new Journal(openJournalDatabase(path), new ManualClock());
    expect(journal.trips.newest(10)).toMatchObject([
      { seq: 2, key: "b", state: "waiting", incident: "b", subject: "obiective/cladiri/12", type: "trip" },
      { seq: 1, key: "a", state: "posted", interventionId: 7, moment: { wallMs: 1000 }, isDated: true },
    ]);
  });

  test("needs no backup of a new file", () => {
    openDatabase(path, TWO_STEPS).close();
    expect(existsSync(`${path}.v0`)).toBe(false);
  });

  test("leaves schema and version unchanged when a migration fails", () => {
    openDatabase(path, { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) }).close();
    const broken = {
      ...TWO_STEPS,
      migrations: [...TWO_STEPS.migrations, () => expect.fail("the third step breaks")],
    };
    expect(() => openDatabase(path, broken)).toThrow(/the third step breaks/);
    const raw = new Sqlite(path);
    expect(raw.pragma("user_version", { simple: true })).toBe(1001);
    expect(raw.pragma("table_info(a)")).toHaveLength(1);
    raw.close();
  });

  test("rejects a file of a newer release with a message", () => {
    openDatabase(path, TWO_STEPS).close();
    const older = { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) };
    expect(() => openDatabase(path, older)).toThrow(/made by a newer release \(schema 2, this one knows 1\)/);
  });

  test("accepts a file of a newer release with only additions, in both directions", () => {
    const before = { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) };
    const after = { ...TWO_STEPS, minReaderVersion: 1 };
    openDatabase(path, before).close();
    openDatabase(path, after).close();
    const back = openDatabase(path, before);
    back.exec("INSERT INTO a(x) VALUES(42)");
    back.close();
    expect(fileProblems(path, before, "full")).toEqual([]);
    const again = openDatabase(path, after);
    expect(again.prepare("SELECT x, y FROM a").get()).toEqual({ x: 42, y: null });
    again.close();
  });

  test("adds the missing compatibility version to a file without other changes", () => {
    const before = { ...TWO_STEPS, migrations: TWO_STEPS.migrations.slice(0, 1) };
    openDatabase(path, TWO_STEPS).close();
    expect(fileProblems(path, before, "quick")).toEqual([expect.stringMatching(/made by a newer release/)]);
    openDatabase(path, { ...TWO_STEPS, minReaderVersion: 1 }).close();
    expect(fileProblems(path, before, "quick")).toEqual([]);
    expect(existsSync(`${path}.v2`)).toBe(false);
  });

  test("rejects the journal as the main database", () => {
    openJournalDatabase(path).close();
    expect(() => openMainDatabase(path)).toThrow(/not the expected database/);
  });

  test("rejects the database of another program, and does not change it", () => {
    const other = new Sqlite(path);
    other.exec("CREATE TABLE theirs(x)");
    other.close();
    const before = readFileSync(path);
    expect(() => openMainDatabase(path)).toThrow(/a\.db is not the expected database \(application_id 0\)/);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("rejects a file that is not a database, and does not change it", () => {
    const junk = new Sqlite(path);
    junk.exec("CREATE TABLE t(x)");
    junk.pragma("application_id = 99");
    junk.close();
    expect(() => openMainDatabase(path)).toThrow(/application_id 99/);
  });
});

describe("a transaction", () => {
  test("is rolled back completely when its function throws", () => {
    const database = openDatabase(path, TWO_STEPS);
    const work = (): void => {
      database.exec("INSERT INTO a(x) VALUES(1)");
      throw new Error("no");
    };
    expect(() => transaction(database, work)).toThrow("no");
    expect(database.prepare("SELECT count(*) FROM a").pluck().get()).toBe(0);
    database.close();
  });
});

test("the id of a deleted intervention is never reused", () => {
  const database = openDatabase(":memory:", MAIN_DATABASE);
  database.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')");
  const insert = database.prepare(
    `INSERT INTO interventions(uid,name,status,priority,type,objectiveType,objectiveId,crews,police,ambulance,firetruck,dispeceratId,created_by,created_at,updated_at)
     VALUES(?,'n','planned','low','other','obiective/cladiri',1,1,0,0,0,1,1,0,0)`,
  );
  const first = insert.run("a").lastInsertRowid;
  database.prepare("DELETE FROM interventions").run();
  expect(insert.run("b").lastInsertRowid).toBeGreaterThan(Number(first));
  database.close();
});

describe("the data directory", () => {
  test("is locked by one daemon at a time, and is free after it stops", () => {
    const release = takeInstanceLock(join(folder, "lock.db"));
    expect(() => takeInstanceLock(join(folder, "lock.db"))).toThrow(
      /another daemon is using this data directory/,
    );
    release();
    takeInstanceLock(join(folder, "lock.db"))();
  });

  test("that cannot be locked for another reason is not reported as in use", () => {
    writeFileSync(path, "this is not a database, it is a page of text ".repeat(200));
    expect(() => takeInstanceLock(path)).toThrow(/cannot lock the data directory.*not a database/);
    expect(() => takeInstanceLock(join(folder, "nowhere", "lock.db"))).toThrow(
      /cannot lock the data directory/,
    );
  });

  test("is locked without a write", () => {
    const release = takeInstanceLock(join(folder, "lock.db"));
    expect(readdirSync(folder)).toEqual(["lock.db"]);
    expect(statSync(join(folder, "lock.db")).size).toBe(0);
    release();
  });
});

test("a cached statement returns what its next caller requests", () => {
  const database = openDatabase(path, TWO_STEPS);
  database.exec("INSERT INTO a VALUES(1, 2)");
  const text = "SELECT x, y FROM a";
  expect(database.prepare(text).pluck().get()).toBe(1);
  expect(database.prepare(text).get()).toEqual({ x: 1, y: 2 });
  for (let other = 0; other < 500; other += 1)
    expect(database.prepare(`SELECT ${other}`).pluck().get()).toBe(other);
  database.prepare("INSERT INTO a VALUES(3, 4)").run();
  database.prepare("INSERT INTO a VALUES(3, 4)").run();
  expect(database.prepare("SELECT count(*) FROM a").pluck().get()).toBe(3);
  database.close();
});
