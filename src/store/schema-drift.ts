import Sqlite from "better-sqlite3";
import { isNewer, stepsOf, type Database, type DatabaseKind } from "./database.ts";

/**
 * The differences of a file's schema from that of a release, one sentence each. Additional tables and indexes are
 * ignored as long as they reject no row; a newer release may have added more.
 */
export function schemaDrift(database: Database, kind: DatabaseKind): string[] {
  const own = ownParts(kind, stepsOf(database));
  const found = partsOf(database);
  const isFromNewerRelease = isNewer(database, kind);
  const missing = [...own.keys()].filter((name) => !found.has(name)).map((name) => `${name} is missing`);
  const foreign = [...found].filter(([name, text]) => {
    const expected = own.get(name);
    if (isFromNewerRelease) return false;
    return expected === undefined ? !isHarmless(text) : expected !== text;
  });
  return [...missing, ...foreign.map(([name]) => `${name} differs from this release`)];
}

/** The schema of an empty database after this number of migrations. */
function ownParts({ migrations }: DatabaseKind, steps: number): Map<string, string> {
  const database = new Sqlite(":memory:");
  try {
    for (const step of migrations.slice(0, steps)) step(database);
    return partsOf(database);
  } finally {
    database.close();
  }
}

/** The parts of a schema by type and name, as SQL. */
function partsOf(database: Database): Map<string, string> {
  const rows = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')`,
    )
    .all() as { type: string; name: string; sql: string }[];
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, plain(sql)]));
}

/** Removes comments and line breaks. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function isHarmless(text: string): boolean {
  return /^CREATE (?:TABLE|INDEX) /i.test(text);
}
