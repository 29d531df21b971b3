import Sqlite from "better-sqlite3";

/**
 * Ids of the records in a database file, without tombstones. The file may be in use or damaged; unreadable records
 * are left out.
 */
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
    // Return what could be read.
  } finally {
    database?.close();
  }
  return ids;
}
