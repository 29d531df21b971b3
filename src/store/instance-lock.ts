import Sqlite from "better-sqlite3";
import { AppError } from "../domain/errors.ts";

/**
 * Takes the data folder for this process: an open write transaction on a small file of its own. The kernel releases
 * it when the process dies, however it dies, so there is no stale lock to clean up.
 * @returns the release
 * @throws AppError `busy` when another daemon holds the folder
 */
export function takeInstanceLock(path: string): () => void {
  const lock = new Sqlite(path, { timeout: 0 });
  try {
    lock.exec("BEGIN IMMEDIATE");
  } catch (cause) {
    lock.close();
    throw new AppError("busy", `another daemon is using this data folder (${path} is locked)`, {
      hint: "Stop it first, or give this one a dataDir of its own.",
      cause,
    });
  }
  return () => {
    lock.exec("ROLLBACK");
    lock.close();
  };
}
