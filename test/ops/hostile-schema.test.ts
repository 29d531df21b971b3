import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { planRestore } from "../../src/ops/restore.ts";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A backup is uploaded over HTTP: what its schema does to the next record must not come with it. */

const NEWER = `PRAGMA user_version = ${(MAIN_DATABASE.minReaderVersion ?? 0) * 1000 + MAIN_DATABASE.migrations.length + 1};`;
const SILENT = "CREATE TRIGGER silent AFTER INSERT ON outbox BEGIN DELETE FROM outbox; END;";

/** Changes the statement of the table of records, as no ALTER TABLE could. */
function replacing(part: string, by: string): string {
  return `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '${part}', '${by}')
    WHERE name = 'interventions'; PRAGMA writable_schema = OFF;`;
}

function refusalOf(sql: string): string {
  const folder = temporaryFolder();
  openMainDatabase(join(folder, "santinela.db")).close();
  const copy = join(folder, "copy.db");
  openMainDatabase(copy).close();
  const database = new Sqlite(copy);
  database.unsafeMode();
  database.exec(sql);
  database.close();
  try {
    planRestore(folder, copy);
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  [
    "an index of an expression that fails for the next record",
    "CREATE INDEX evil ON interventions(abs(iif(id > 9, -9223372036854775808, id)));",
  ],
  [
    "an index with a condition that fails",
    "CREATE INDEX evil ON interventions(id) WHERE json_extract(notes, '$') IS NULL;",
  ],
  [
    "a reference that keeps records from being removed",
    "CREATE TABLE evil(id REFERENCES interventions(id));",
  ],
  ["a trigger that removes what is to be sent", SILENT],
  ["such a trigger, as if of a newer release", NEWER + SILENT],
  ["a unique index, as if of a newer release", `${NEWER}CREATE UNIQUE INDEX evil ON interventions(type);`],
  ["a view in place of a table, as if of a newer release", `${NEWER}CREATE VIEW evil AS SELECT 1;`],
  [
    "a condition of a further column that a later record breaks, as if of a newer release",
    `${NEWER}ALTER TABLE interventions ADD COLUMN evil INTEGER DEFAULT 0 CHECK(id < 9);`,
  ],
  [
    "a further column with a value of another type, as if of a newer release",
    `${NEWER}ALTER TABLE interventions ADD COLUMN evil INTEGER DEFAULT 'x';`,
  ],
  [
    "a further column that each record needs, as if of a newer release",
    NEWER + replacing("uid TEXT", "evil TEXT NOT NULL, uid TEXT"),
  ],
  ["a changed column, as if of a newer release", NEWER + replacing("notes TEXT", "notes BLOB")],
])("%s is refused", (_what, sql) => {
  expect(refusalOf(sql)).toMatch(
    /cannot be restored: (index|table|trigger|view) \w+ differs from this release/,
  );
});

test.each([
  ["a sequence", "INSERT INTO sqlite_sequence(name, seq) VALUES('interventions', 9223372036854775807);"],
  [
    "a row",
    `INSERT INTO events(rowid, at, event, who, origin, subject, detail) VALUES(9223372036854775807, 0, 'a', 'b', 'c', 'd', '{}');
     DELETE FROM sqlite_sequence WHERE name = 'events';`,
  ],
  [
    "an entry of the audit trail",
    `INSERT INTO audit(position, seq, at, event, who, origin, subject, detail, hash) VALUES(9007199254740992, 1, 0, 'a', 'b', 'c', 'd', '{}', 'e');`,
  ],
  [
    "the beginning of the audit trail",
    "INSERT OR REPLACE INTO audit_cut(one, position, hash, at) VALUES(1, 9007199254740992, 'x', 0);",
  ],
])("a backup in which %s leaves no number for the next one is refused", (_what, sql) => {
  expect(refusalOf(sql)).toMatch(/cannot be restored: the numbers of table \w+ are used up$/);
});

test.each([
  ["nothing more", ""],
  [
    "a further table with an index",
    "CREATE TABLE more(id INTEGER, at INTEGER); CREATE INDEX more_at ON more(at, id);",
  ],
  ["a further column of a newer release", `${NEWER}ALTER TABLE interventions ADD COLUMN more TEXT;`],
  [
    "several further columns of a newer release",
    `${NEWER}ALTER TABLE outbox ADD COLUMN more INTEGER NOT NULL DEFAULT 0 CHECK(more IN (0,1));
     ALTER TABLE outbox ADD COLUMN other TEXT CHECK(json_valid(other)); ALTER TABLE outbox ADD COLUMN third INTEGER DEFAULT 12;`,
  ],
])("a backup with %s can be restored", (_what, sql) => {
  expect(refusalOf(sql)).toBe("none");
});
