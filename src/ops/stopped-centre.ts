import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../domain/errors.ts";
import { counted } from "../domain/headline-text.ts";
import { readDatabase, stepsOf, type Database } from "../store/database.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { alteredRows } from "../store/row-checksums.ts";
import { lastNumbers } from "../store/sequence-gaps.ts";
import { requestIntegrityCheck } from "./backups.ts";
import { AssignedNumbers } from "./assigned-numbers.ts";
import { isReplacementPending } from "./database-files.ts";
import { LossReports } from "./loss-reports.ts";
import { checkDatabaseFile } from "./recovery.ts";

/** A start repairs what it can and reports what is lost; a copy could do neither. */
const START_ONCE = "Start the centre once with this release on SQLite, without the option database. Then";

/**
 * Locks the data directory of a stopped centre on SQLite, for a complete copy of its database.
 * @returns a function that releases the lock
 * @throws AppError `no-input` without a database, `busy` while a centre or a daemon uses the directory
 */
export function lockStopped(dataDir: string): () => void {
  if (!existsSync(mainPath(dataDir)))
    throw new AppError("no-input", `there is no database in ${dataDir}`, {
      hint: "Specify the data directory (dataDir) of the centre on SQLite.",
    });
  try {
    return takeInstanceLock(join(dataDir, "lock.db"));
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== "busy") throw cause;
    throw new AppError("busy", `a centre is running on ${dataDir}`, {
      hint: "Stop it, for example with systemctl stop santinela. Its sites keep their records and send them later.",
      cause,
    });
  }
}

/**
 * Asserts that the database of a stopped centre has everything that its last run has stored, in the schema of this release. Reads
 * the whole file and changes nothing in it.
 * @throws AppError `bad-data` if it is damaged or has another schema, `conflict` if it is that of a site with unsent records
 */
export function assertComplete(dataDir: string): void {
  const path = mainPath(dataDir);
  const damage = damageIn(dataDir);
  if (damage !== undefined) {
    // After a clean shutdown the next start would otherwise check less than this.
    requestIntegrityCheck(dataDir, damage);
    throw new AppError("bad-data", `${path} is damaged: ${damage}`, {
      hint: `${START_ONCE} read the report and repeat this command.`,
    });
  }
  readDatabase(path, (database) => assertSchema(path, stepsOf(database)));
  const unsent = unsentIn(dataDir);
  if (unsent > 0)
    throw new AppError("conflict", `${dataDir} belongs to a site, with records or trips to send: ${unsent}`, {
      hint: "Only a dispatch centre can move. A site keeps SQLite.",
    });
}

/** What the database of a centre has of a centre on SQLite, once this was moved there. */
export interface MovedRows {
  hasRecord(uid: string): Promise<boolean>;
  hasAccount(account: { readonly id: number; readonly createdAt: number }): Promise<boolean>;
  hasSignInAccounts(): Promise<boolean>;
}

/**
 * Asserts that a centre does not work on PostgreSQL beside records of its time on SQLite that were not moved there: its sites would
 * be locked out and create their records again, and the move needs an empty database.
 * @throws AppError `configuration` if the data directory has such records, or sites that may not have sent any yet
 */
export async function assertNothingLeft(dataDir: string, moved: MovedRows): Promise<void> {
  const path = mainPath(dataDir);
  if (!existsSync(path)) return;
  let found: { readonly records: number; readonly sites: number; readonly newest: Newest };
  try {
    // A file of the first releases knows no sites.
    const sites = countIn(path, HAS_SITES) === 0 ? 0 : countIn(path, SITES);
    found = { records: countIn(path, "SELECT count(*) FROM interventions"), sites, newest: newestIn(path) };
  } catch (error) {
    // Long after the move, the old file may be damaged: this does not hold up a centre.
    if (await moved.hasSignInAccounts()) return;
    throw error;
  }
  const { records, sites, newest } = found;
  if (records + sites === 0 || (await isMoved(newest, moved))) return;
  const what = [counted(records, "intervention"), counted(sites, "site")].join(" and ");
  throw new AppError("configuration", `the records of ${path} are not in the database: it has ${what}`, {
    hint: `Move them to a new database: santinela migrate --from-sqlite ${dataDir}\nTo work without them, use another data directory (dataDir).`,
  });
}

/** The last row of each table: what was moved has it. */
interface Newest {
  readonly record: { readonly uid: string } | undefined;
  readonly account: { readonly id: number; readonly createdAt: number } | undefined;
}

function newestIn(path: string): Newest {
  return readDatabase(path, (database) => ({
    record: database
      .prepare<[], { uid: string }>("SELECT uid FROM interventions ORDER BY id DESC LIMIT 1")
      .get(),
    account: database
      .prepare<[], { id: number; createdAt: number }>(
        "SELECT id, created_at AS createdAt FROM accounts ORDER BY id DESC LIMIT 1",
      )
      .get(),
  }));
}

/** A later account on SQLite is no loss, a later record is. */
async function isMoved({ record, account }: Newest, moved: MovedRows): Promise<boolean> {
  if (record) return moved.hasRecord(record.uid);
  return account !== undefined && moved.hasAccount(account);
}

function assertSchema(path: string, steps: number): void {
  const known = MAIN_DATABASE.migrations.length;
  if (steps === known) return;
  const isOlder = steps < known;
  throw new AppError(
    "bad-data",
    `${path} is of ${isOlder ? "an earlier" : "a newer"} release: schema ${steps}, not ${known}`,
    { hint: isOlder ? `${START_ONCE} repeat this command.` : "Use the newer release for this command." },
  );
}

/** Why the database may lack something; undefined if it is complete. */
function damageIn(dataDir: string): string | undefined {
  const path = mainPath(dataDir);
  const { recoveries, unaccepted, isRestored } = new LossReports(dataDir);
  if (isReplacementPending(path) || recoveries.length > 0 || unaccepted !== null || isRestored)
    return "a recovery or a restore has not been completed by a start";
  const { problem } = checkDatabaseFile(path, MAIN_DATABASE, "full");
  if (problem !== undefined) return problem;
  return readDatabase(path, (database) => alterationIn(dataDir, database));
}

function alterationIn(dataDir: string, database: Database): string | undefined {
  // An older file has fewer columns, and is rejected for its schema.
  if (stepsOf(database) !== MAIN_DATABASE.migrations.length) return undefined;
  const noted = new AssignedNumbers(dataDir).of("santinela.db", "interventions");
  const last = lastNumbers(database)["interventions"] ?? 0;
  if (last < noted) return `the last intervention was ${noted}, and the file knows ${last}`;
  const altered = alteredRows(database).map(({ table, ids }) => `${table} ${ids.join(", ")}`);
  return altered.length === 0 ? undefined : `rows have a wrong checksum: ${altered.join("; ")}`;
}

/** Records that still have to arrive at a dispatch centre, and trips that are not records yet. */
function unsentIn(dataDir: string): number {
  const journal = join(dataDir, "journal.db");
  return countIn(mainPath(dataDir), UNSENT) + (existsSync(journal) ? countIn(journal, WAITING) : 0);
}

function countIn(path: string, sql: string): number {
  try {
    return readDatabase(path, (database) => database.prepare(sql).pluck().get() as number);
  } catch (cause) {
    throw new AppError("bad-data", `${path} cannot be read: ${messageOf(cause)}`, {
      hint: `${START_ONCE} repeat this command.`,
      cause,
    });
  }
}

function mainPath(dataDir: string): string {
  return join(dataDir, "santinela.db");
}

/** Without a dispatch centre of its own, nothing of a record has ever been sent. */
const UNSENT = `SELECT count(*) FROM outbox
  WHERE phase IN ('posting', 'unsure', 'writing', 'blocked', 'rejected') OR (phase = 'linked' AND want_rev > synced_rev)`;
const HAS_SITES = "SELECT count(*) FROM pragma_table_info('accounts') WHERE name = 'site'";
/** Those that have an account or have reported. */
const SITES = `SELECT count(*) FROM (
  SELECT site FROM accounts WHERE site IS NOT NULL AND disabled = 0 UNION SELECT ref FROM sites)`;
const WAITING = "SELECT count(*) FROM trips WHERE state IN ('waiting', 'refused')";
