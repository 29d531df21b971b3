import { AppError } from "../domain/errors.ts";
import { logCensus } from "../store/wal-census.ts";

/**
 * Asserts that a closed database has all commits of its log. Opened by anything but a start, SQLite would cut off the rest without
 * a word, and the start would find nothing to report.
 * @throws AppError `storage`
 */
export function assertLogIntact(path: string): void {
  if (logCensus(path) !== undefined) throw incompleteLog(path);
}

/** The error of a log that only a start can use. @returns AppError `storage` */
export function incompleteLog(path: string): AppError {
  return new AppError("storage", `${path} is damaged: its write-ahead log is incomplete`, {
    hint: "Start the daemon once: it recovers what can be read, and reports the rest. Then repeat this command.",
  });
}
