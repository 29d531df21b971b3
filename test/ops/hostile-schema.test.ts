import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { expect, test } from "vitest";
import { planRestore } from "../../src/ops/restore.ts";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* A backup is uploaded over HTTP: what its schema does to the next record must not come with it. */

const NEWER = `PRAGMA user_version = ${(MAIN_DATABASE.minReaderVersion ?? 0) * 1000 + MAIN_DATABASE.migrations.length + 1};`;
const SILENT = "CREATE TRIGGER silent AFTER INSERT ON outbox BEGIN DELETE FROM outbox; END;";

function refusalOf(sql: string): string {
  const folder = temporaryFolder();
  openMainDatabase(join(folder, "santinela.db")).close();
  const copy = join(folder, "copy.db");
  openMainDatabase(copy).close();
  const database = new Sqlite(copy);
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
])("%s is refused", (_what, sql) => {
  expect(refusalOf(sql)).toMatch(
    /cannot be restored: (index|table|trigger|view) \w+ differs from this release/,
  );
});

test.each([
  ["nothing more", ""],
  [
    "a further table with an index",
    "CREATE TABLE more(id INTEGER, at INTEGER); CREATE INDEX more_at ON more(at, id);",
  ],
  ["a further column of a newer release", `${NEWER}ALTER TABLE interventions ADD COLUMN more TEXT;`],
])("a backup with %s can be restored", (_what, sql) => {
  expect(refusalOf(sql)).toBe("none");
});
