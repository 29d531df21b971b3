import Sqlite from "better-sqlite3";
import { isNewer, stepsOf, type Database, type DatabaseKind } from "./database.ts";

/**
 * What a file's schema has or lacks that no release of ours has made: one sentence each. Tables and indexes that
 * somebody has added are let be, as long as they refuse no row; a newer release may have added more.
 */
export function schemaDrift(database: Database, kind: DatabaseKind): string[] {
  const own = ownParts(kind, stepsOf(database));
  const found = partsOf(database);
  const isOpen = isNewer(database, kind);
  const missing = [...own.keys()].filter((name) => !found.has(name)).map((name) => `it has no ${name}`);
  const strange = [...found].filter(([name, text]) => {
    const expected = own.get(name);
    if (isOpen) return false;
    return expected === undefined ? !isHarmless(text) : expected !== text;
  });
  return [...missing, ...strange.map(([name]) => `its ${name} is not Santinela's`)];
}

/** What an empty database has that a release with so many steps makes. */
function ownParts({ migrations }: DatabaseKind, steps: number): Map<string, string> {
  const database = new Sqlite(":memory:");
  try {
    for (const step of migrations.slice(0, steps)) step(database);
    return partsOf(database);
  } finally {
    database.close();
  }
}

/** Each part of a schema by its kind and name, as the text that made it. */
function partsOf(database: Database): Map<string, string> {
  const rows = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4')`,
    )
    .all() as { type: string; name: string; sql: string }[];
  return new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, plain(sql)]));
}

/** Without what says nothing: comments, and how it is set. */
function plain(sql: string): string {
  return sql
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function isHarmless(text: string): boolean {
  return /^CREATE (?:TABLE|INDEX) /i.test(text);
}
