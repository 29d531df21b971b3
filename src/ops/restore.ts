import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { openDatabase } from "../store/database.ts";
import { fileProblems } from "../store/integrity.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { openJournalDatabase } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { redeliverLostTrips } from "../store/redelivery.ts";
import { recordIds } from "../store/record-ids.ts";
import { seekUnsent } from "../store/sought-records.ts";
import { EventLog } from "../store/event-log.ts";
import { copyDurably } from "../store/durable-files.ts";
import { quarantine } from "./quarantine.ts";
import { prepareDataDir } from "./secrets.ts";

/** What putting a copy back changes. */
export interface RestorePlan {
  readonly recordsInCopy: number;
  /** Records that only the present database has; its file is kept, and they can be looked up there. */
  readonly onlyInPresent: readonly number[];
  /** Records that only the copy has. */
  readonly onlyInCopy: readonly number[];
}

/**
 * Says what `restore` would do; changes nothing and works while the daemon runs.
 * @throws AppError `bad-data` when the file is no good copy
 */
export function planRestore(dataDir: string, file: string): RestorePlan {
  const problems = existsSync(file) ? fileProblems(file, MAIN_DATABASE, "full") : ["there is no such file"];
  if (problems.length > 0)
    throw new AppError("bad-data", `${file} cannot be put back: ${problems.join("; ")}`, {
      hint: "The regular copies are in the folder backups of the data folder.",
    });
  const path = join(dataDir, "santinela.db");
  const inCopy = recordIds(file);
  const inPresent = existsSync(path) ? recordIds(path) : new Set<number>();
  return {
    recordsInCopy: inCopy.size,
    onlyInPresent: [...inPresent].filter((id) => !inCopy.has(id)),
    onlyInCopy: [...inCopy].filter((id) => !inPresent.has(id)),
  };
}

/**
 * Puts a copy in the place of the main database. The present one goes into quarantine, never away; the journal's trips
 * whose records the copy lacks are posted again at the next start.
 * @returns where the present database is now, and how many trips wait again
 * @throws AppError `bad-data` as `planRestore`, `busy` while the daemon runs
 */
export function restore(
  dataDir: string,
  file: string,
  nowMs: number,
  by: Actor,
): { kept: string | null; redelivered: number } {
  const plan = planRestore(dataDir, file);
  prepareDataDir(dataDir);
  const release = takeInstanceLock(join(dataDir, "lock.db"));
  try {
    const path = join(dataDir, "santinela.db");
    const kept = existsSync(path) ? quarantine(path, nowMs) : null;
    copyDurably(file, path);
    const main = openDatabase(path, MAIN_DATABASE);
    seekUnsent(main);
    const journal = openJournalDatabase(join(dataDir, "journal.db"));
    const redelivered = redeliverLostTrips(journal, main, 0);
    const subject = "santinela.db";
    const detail = { file, kept, redelivered, ...plan };
    new EventLog(main).add({ event: "database-restored", ...by, subject, detail }, nowMs);
    main.close();
    journal.close();
    return { kept, redelivered };
  } finally {
    release();
  }
}
