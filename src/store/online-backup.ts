import { closeSync, fsyncSync, openSync } from "node:fs";
import Sqlite from "better-sqlite3";

/** Pages per step, about 4 MB: limits the wait of a cancellation and of other writes during an fsync. */
const STEP_PAGES = 1_000;

/**
 * Copies a database that may be in use into a new file without a write-ahead log.
 * @throws SQLite's error
 */
export async function backupOnline(from: string, to: string): Promise<void> {
  const source = new Sqlite(from, { readonly: true, fileMustExist: true });
  const file = openSync(to, "w");
  try {
    // One read transaction for all steps: otherwise each write of the daemon would restart the copy.
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    const progress = (): number => {
      // One fsync at the end would block the next commit of a trip.
      fsyncSync(file);
      return STEP_PAGES;
    };
    await source.backup(to, { progress });
  } finally {
    source.close();
    // Only after SQLite has closed it: closing any descriptor of a file releases its locks.
    closeSync(file);
  }
  const copy = new Sqlite(to, { fileMustExist: true });
  try {
    copy.pragma("journal_mode = DELETE");
  } finally {
    copy.close();
  }
}
