import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import { assertLogIntact } from "../ops/intact-log.ts";
import { prepareDataDir } from "../ops/secrets.ts";
import { readDatabase, stepsOf, type Database } from "../store/database.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { MAIN_DATABASE, openMainDatabase } from "../store/main-database.ts";
import { logCensus } from "../store/wal-census.ts";

/**
 * Opens `santinela.db` for one command, whether the daemon runs or not; a missing one is created.
 * @throws AppError as `assertNotOfRunningRelease`, `assertLogIntact` and `openMainDatabase`
 */
export function openForCommand(dataDir: string): Database {
  assertNotOfRunningRelease(dataDir);
  prepareDataDir(dataDir);
  const path = join(dataDir, "santinela.db");
  // Once more if it was stopped: a running daemon changes the log while it is read.
  if (mayBeIncomplete(path) && !isRunning(dataDir)) assertLogIntact(path);
  return openMainDatabase(path);
}

/** The lock is not held meanwhile: reading a long log takes seconds, and a start in that time would fail. */
function mayBeIncomplete(path: string): boolean {
  try {
    return logCensus(path) !== undefined;
  } catch {
    // A daemon that stops removes it.
    return true;
  }
}

/** Whether a daemon uses the data directory. It takes the lock for an instant, in which none can start. */
function isRunning(dataDir: string): boolean {
  try {
    takeInstanceLock(join(dataDir, "lock.db"))();
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "busy") return true;
    throw error;
  }
}

/** Runs `use` on `santinela.db` as `openForCommand` opens it, and closes it. */
export async function withDatabase<T>(dataDir: string, use: (database: Database) => T): Promise<Awaited<T>> {
  const database = openForCommand(dataDir);
  try {
    return await use(database);
  } finally {
    database.close();
  }
}

/**
 * Asserts that no daemon of an earlier release uses the database, as during an upgrade's wait for the end of an alarm: opening it
 * would bring its schema to this release under that daemon.
 * @throws AppError `busy`
 */
export function assertNotOfRunningRelease(dataDir: string): void {
  if (!isOlder(join(dataDir, "santinela.db")) || !isRunning(dataDir)) return;
  throw new AppError(
    "busy",
    "the running daemon is of an earlier release, whose database this release would change",
    {
      hint: "Repeat the command when the new release runs. A restart of the service starts it at once, also during an alarm.",
    },
  );
}

/** Whether an earlier release has written the file. One that cannot be read is not: its opening reports why. */
function isOlder(path: string): boolean {
  try {
    const steps = existsSync(path) ? readDatabase(path, stepsOf) : 0;
    return steps > 0 && steps < MAIN_DATABASE.migrations.length;
  } catch {
    return false;
  }
}
