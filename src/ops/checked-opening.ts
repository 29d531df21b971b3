import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import { fileProblems, isDamage, type CheckDepth } from "../store/integrity.ts";
import { isUnwritable } from "../store/transaction.ts";
import type { NamedDatabase } from "./database-files.ts";
import { openGuarded, withReserve } from "./guarded-database.ts";
import type { LossReports } from "./loss-reports.ts";
import { checkDatabaseFile, INTACT, recoverDatabase, type RecoveryOptions } from "./recovery.ts";
import type { ReserveFile } from "./reserve-file.ts";
import { databaseBytes, recoveryBytes, type BeforeLongWork } from "./start-work.ts";
import { keepTornLog } from "./torn-log.ts";

interface OpeningOptions {
  readonly dataDir: string;
  /** Whether the directory has had databases: a missing one is lost, not new. */
  readonly isKnown: boolean;
  readonly depth: CheckDepth;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  readonly reserveFile: ReserveFile;
  readonly reports: LossReports;
  readonly beforeLongWork?: BeforeLongWork | undefined;
  readonly onError: ((error: unknown) => void) | undefined;
}

/**
 * Checks a database and opens it for writing; a damaged or missing one is recovered first.
 * @throws AppError `storage` if it cannot be used and a recovery cannot help, as on a read-only disk
 */
export function openChecked({ name, kind }: NamedDatabase, options: OpeningOptions): Database {
  const { dataDir, isKnown, depth, clock, log, reserveFile, reports, beforeLongWork } = options;
  const path = join(dataDir, name);
  // For the check and the migrations.
  beforeLongWork?.(2 * databaseBytes(path));
  const { problem, isTorn, versions } = isKnown
    ? withReserve(reserveFile, () => checkDatabaseFile(path, kind, depth))
    : INTACT;
  const states = problem === undefined ? undefined : versions();
  const recovery = (why: string): RecoveryOptions => {
    log.error("database-damaged", { database: name, problem: why });
    return { dataDir, name, kind, problem: why, versions: states ?? versions(), clock };
  };
  const recover = (found: RecoveryOptions): Database => {
    beforeLongWork?.(recoveryBytes(dataDir, name, found.versions));
    withReserve(reserveFile, () => recoverDatabase(found));
    withReserve(reserveFile, () => reports.finishReplacements(clock.wallMs()));
    return openGuarded(path, kind, options);
  };
  if (isTorn && problem !== undefined) {
    const found = recovery(problem);
    if (!isTornNoted(found, options)) return recover(found);
    const further = withReserve(reserveFile, () => fileProblems(path, kind, "full"));
    if (further.length > 0) return recover(recovery(further.join("; ")));
  } else if (problem !== undefined) return recover(recovery(problem));
  try {
    return openGuarded(path, kind, options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return recover(recovery(messageOf(error)));
  }
}

/**
 * Keeps the log. On a disk without room even for that, the database is used all the same: alarms matter more than a copy of an
 * incomplete commit.
 * @returns false if the database has to be recovered, as `keepTornLog`
 */
function isTornNoted(found: RecoveryOptions, { reserveFile, reports, clock, log }: OpeningOptions): boolean {
  try {
    if (!withReserve(reserveFile, () => keepTornLog(found, clock.wallMs()))) return false;
    withReserve(reserveFile, () => reports.finishReplacements(clock.wallMs()));
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    log.warn("torn-log-copy-failed", { error });
  }
  return true;
}
