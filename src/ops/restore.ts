import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { revokeForeignTokens } from "../store/restored-accounts.ts";
import { openDatabase } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { untrustedFileProblems } from "../store/integrity.ts";
import { openJournalDatabase } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { recordIds } from "../store/record-ids.ts";
import { redeliverLostTrips } from "../store/redelivery.ts";
import { searchBeforeResend } from "../store/pending-searches.ts";
import { forgetGivenNumbers } from "./given-numbers.ts";
import { quarantinePath, replaceAndQuarantine } from "./quarantine.ts";
import { prepareDataDir } from "./secrets.ts";

/** What putting a copy back changes. */
export interface RestorePlan {
  readonly recordsInBackup: number;
  /** Records that only the present database has; its file is kept, and they can be looked up there. */
  readonly onlyInCurrent: readonly number[];
  /** Records that only the copy has. */
  readonly onlyInBackup: readonly number[];
}

/**
 * Says what `restore` would do; changes nothing and works while the daemon runs.
 * @throws AppError `bad-data` when the file is no good copy
 */
export function planRestore(dataDir: string, file: string): RestorePlan {
  const problems = existsSync(file) ? untrustedFileProblems(file, MAIN_DATABASE) : ["there is no such file"];
  if (problems.length > 0)
    throw new AppError("bad-data", `${file} cannot be put back: ${problems.join("; ")}`, {
      hint: "The regular copies are in the folder backups of the data folder.",
    });
  const path = join(dataDir, "santinela.db");
  const inCopy = recordIds(file);
  const inPresent = existsSync(path) ? recordIds(path) : new Set<number>();
  return {
    recordsInBackup: inCopy.size,
    onlyInCurrent: [...inPresent].filter((id) => !inCopy.has(id)),
    onlyInBackup: [...inCopy].filter((id) => !inPresent.has(id)),
  };
}

/** A copy that is being made ready lies here. */
const STAGING_DIRECTORY = "putting-back";

/**
 * Puts a copy in the place of the main database. The present one goes into quarantine, never away; the journal's trips
 * whose records the copy lacks are posted again at the next start.
 *
 * Everything that can fail is done to the copy in a folder of its own, and only then does it take the other one's name:
 * whatever goes wrong before, and wherever the power goes, there is a whole database, the present one or the copy.
 * @param plan what was found when the copy was looked at, if it was: the look takes longer than all the rest
 * @returns where the present database is now, and how many trips wait again
 * @throws AppError `bad-data` as `planRestore`, `busy` while the daemon runs
 */
export function restore(
  dataDir: string,
  file: string,
  nowMs: number,
  by: Actor,
  plan = planRestore(dataDir, file),
): { kept: string | null; redelivered: number } {
  prepareDataDir(dataDir);
  const release = takeInstanceLock(join(dataDir, "lock.db"));
  const workshop = join(dataDir, STAGING_DIRECTORY);
  try {
    removeStaging(dataDir);
    mkdirSync(workshop, { mode: 0o750 });
    const path = join(dataDir, "santinela.db");
    const kept = existsSync(path) ? quarantinePath(path, nowMs) : null;
    const ready = copied(file, join(workshop, "santinela.db"));
    const main = openDatabase(ready, MAIN_DATABASE);
    const journal = openJournalDatabase(join(dataDir, "journal.db"));
    let redelivered: number;
    try {
      searchBeforeResend(main);
      revokeForeignTokens(main, path);
      redelivered = redeliverLostTrips(journal, main, 0);
      const detail = { file, kept, redelivered, ...plan };
      new EventLog(main).add({ event: "database-restored", ...by, subject: "santinela.db", detail }, nowMs);
    } finally {
      main.close();
      journal.close();
    }
    forgetGivenNumbers(dataDir);
    replaceAndQuarantine(path, ready, nowMs);
    return { kept, redelivered };
  } finally {
    removeStaging(dataDir);
    release();
  }
}

/** Removes a copy that a power cut has left half made ready; it may be as large as the database. */
export function removeStaging(dataDir: string): void {
  rmSync(join(dataDir, STAGING_DIRECTORY), { recursive: true, force: true });
}

/**
 * Copies a database with its write-ahead log: without it, it is an older one.
 * @returns the copy
 * @throws AppError `bad-data` when it has gone since it was looked at: an empty one must not take the present one's place
 */
function copied(file: string, to: string): string {
  if (!existsSync(file)) throw new AppError("bad-data", `${file} cannot be put back: there is no such file`);
  for (const ending of ["", "-wal"]) if (existsSync(file + ending)) copyFileSync(file + ending, to + ending);
  return to;
}
