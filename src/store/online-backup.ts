import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import Sqlite from "better-sqlite3";

/** Pages of one step, some 4 MB: what whoever ends the copying has to wait for, and what a flush holds the disk up for. */
const STEP_PAGES = 1_000;

/**
 * Copies a database that may be in use into a new file that needs no write-ahead log beside it.
 * @throws whatever SQLite says
 */
export async function backupOnline(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  const file = openSync(to, "w");
  try {
    // One look at the source for all steps: else the copying would begin again with each write of the running daemon.
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    const progress = (): number => {
      // Left to the end, the flush of the whole copy would have the next commit of a trip wait behind it.
      fsyncSync(file);
      return STEP_PAGES;
    };
    await source.backup(to, { progress });
  } finally {
    source.close();
    // Not before SQLite is done with the copy: closing any descriptor of a file gives its locks up.
    closeSync(file);
  }
  const copy = new Sqlite(to, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
}

/** Has a write-ahead log that a power cut has left read into its database; one that cannot be read stays as it is. */
export function checkpointLeftoverWal(path: string): void {
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
