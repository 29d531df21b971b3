import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/**
 * The tables without rows in the databases below a folder of installations, as `journal.db trips`. Those of SQLite itself are left
 * out. One installation with rows is enough.
 */
export function emptyTables(folder: string): string[] {
  const rows = new Map<string, number>();
  for (const installation of readdirSync(folder).filter((name) => existsSync(join(folder, name, "secrets"))))
    for (const file of readdirSync(join(folder, installation)).filter((name) => isDatabase(name))) {
      const database = new Sqlite(join(folder, installation, file), { readonly: true });
      for (const table of tablesOf(database)) {
        const count = database.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number;
        rows.set(`${file} ${table}`, (rows.get(`${file} ${table}`) ?? 0) + count);
      }
      database.close();
    }
  return [...rows].filter(([, count]) => count === 0).map(([table]) => table);
}

function isDatabase(name: string): boolean {
  return name.endsWith(".db") && name !== "lock.db";
}

function tablesOf(database: Sqlite.Database): string[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck();
  return (tables.all() as string[]).filter((name) => !name.startsWith("sqlite_"));
}
