import type { ObjectiveType } from "../domain/objective.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { Database } from "./database.ts";

/**
 * Migration: each list of objectives gets a version, which every change of a row replaces. Each account gets the
 * objectives it is limited to, as a JSON list or null for all. Versions are random: a counter could repeat a value
 * after a restore from backup.
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

/** The version of a list, which changes with its rows. */
export function listVersion(database: Database, type: ObjectiveType): string {
  return database.prepare("SELECT version FROM list_versions WHERE kind = ?").pluck().get(type) as string;
}
