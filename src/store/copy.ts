import { existsSync } from "node:fs";
import Sqlite from "better-sqlite3";

/** All pages in one step: a copy in many would begin again with each write of the running daemon. */
const ALL_PAGES = 2_147_483_647;

/**
 * Copies a database that may be in use into a new file that needs no write-ahead log beside it.
 * @throws whatever SQLite says
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  try {
    await source.backup(to, { progress: () => ALL_PAGES });
  } finally {
    source.close();
  }
  const copy = new Sqlite(to, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
}

/** Has a write-ahead log that a power cut has left read into its database; one that cannot be read stays as it is. */
export function absorbLog(path: string): void {
  if (!existsSync(path) || !existsSync(`${path}-wal`)) return;
  try {
    const database = new Sqlite(path, { fileMustExist: true });
    try {
      database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  } catch {
    // Damage; whoever asks has another database to go on with.
  }
}
