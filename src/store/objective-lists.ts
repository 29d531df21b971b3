import type { ObjectiveType } from "../domain/objective.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { Database } from "./database.ts";

/**
 * The step that gives each list of objectives a version, which every change of a row replaces, whatever program makes it;
 * and each account the objectives that it is bound to, as a JSON list, null for all of them. A version is random and not a
 * number: a database restored from a backup would count up to a number again that it had given to another list.
 */
export function addObjectiveLists(database: Database): void {
  database.exec(`
    CREATE TABLE list_versions(kind TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
    ${["objectives", "centre_objectives"].map(triggersOf).join("")}
    ALTER TABLE accounts ADD COLUMN objectives TEXT CHECK(json_valid(objectives));
  `);
  for (const kind of OBJECTIVE_TYPES)
    database.prepare(`INSERT INTO list_versions(kind, version) VALUES(?, ${RANDOM})`).run(kind);
}

/** 64 random bits. */
const RANDOM = "lower(hex(randomblob(8)))";

function triggersOf(table: string): string {
  const actions = [
    ["INSERT", "NEW"],
    ["UPDATE", "NEW"],
    ["DELETE", "OLD"],
  ];
  return actions
    .map(
      ([action, row]) => `
    CREATE TRIGGER ${table}_${action}_version AFTER ${action} ON ${table} BEGIN
      UPDATE list_versions SET version = ${RANDOM} WHERE kind = ${row}.kind;
    END;`,
    )
    .join("");
}

/** The version of a list: another one whenever a row of it may be another one. */
export function listVersion(database: Database, type: ObjectiveType): string {
  return database.prepare("SELECT version FROM list_versions WHERE kind = ?").pluck().get(type) as string;
}
