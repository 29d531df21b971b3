import Sqlite from "better-sqlite3";

/** Ids of the living records in a database file, which may be in use or damaged in parts; unreadable ones are left out. */
export function recordIds(path: string): Set<number> {
  const ids = new Set<number>();
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(path, { readonly: true, fileMustExist: true });
    const rows = database
      .prepare("SELECT id FROM interventions WHERE deleted_at IS NULL ORDER BY id")
      .pluck();
    for (const id of rows.iterate()) ids.add(id as number);
  } catch {
    // What could be read is what is known.
  } finally {
    database?.close();
  }
  return ids;
}
