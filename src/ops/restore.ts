import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { foreignName } from "../domain/single-line.ts";
import { revokeForeignTokens } from "../store/accounts.ts";
import { openDatabase, type Database } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { untrustedFileProblems } from "../store/integrity.ts";
import { openJournalDatabase } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { recordIds } from "../store/interventions.ts";
import { announceLostTrips, lostRecords, searchBeforeResend } from "../store/pending-searches.ts";
import { siteReferencesIn } from "../store/site-references.ts";
import { isDiskFull } from "../store/transaction.ts";
import { logCensus } from "../store/wal-census.ts";
import { carryOver } from "./carried-over.ts";
import { AssignedNumbers } from "./assigned-numbers.ts";
import { clearStaging, quarantinePath, replaceDatabase, stageReplacement } from "./database-files.ts";
import { incompleteLog } from "./intact-log.ts";
import { keepDeletions } from "./kept-deletions.ts";
import { LossReports } from "./loss-reports.ts";
import { assertReadable, copyOf, noRoomError } from "./readable-backup.ts";
import { TORN } from "./recovery.ts";
import { prepareDataDir } from "./secrets.ts";
import { keepTornLog } from "./torn-log.ts";
import { brokenTrailIn } from "./trail-losses.ts";

/** The effect of restoring a backup. */
export interface RestorePlan {
  readonly recordsInBackup: number;
  /** Records that only the current database has; its file is kept for reference. */
  readonly onlyInCurrent: readonly number[];
  /** Records that only the backup has. */
  readonly onlyInBackup: readonly number[];
  /** The reference of another site, if the backup is of that one. */
  readonly otherSite?: string;
  /** The entries of its audit trail that are missing or altered, as ranges; undefined if its chain holds. */
  readonly brokenTrail?: string;
}

/** Shown of a reference: the file may be of anyone. */
const REFERENCE_LENGTH_MAX = 100;
/** A reference that an installation has given itself: the site has no name of its own yet. */
export const GIVEN_AT_INSTALLATION = /^(site-[0-9a-f]{10}|new-site)$/;

/**
 * Determines the effect of `restore` without changing anything; also while the daemon runs.
 * @param ref the reference in the configuration, for a database that names none of its own yet
 * @throws AppError `bad-data` if the file is not an intact backup; `no-permission` or `no-input` if it cannot be read
 */
export function planRestore(dataDir: string, file: string, ref?: string): RestorePlan {
  assertReadable(file);
  const problems = untrustedFileProblems(file, MAIN_DATABASE);
  if (problems.length > 0)
    throw new AppError("bad-data", `${file} cannot be restored: ${problems.join("; ")}`, {
      hint: "The scheduled backups are in the directory backups of the data directory.",
    });
  const path = join(dataDir, "santinela.db");
  const inCopy = recordIds(file);
  const inPresent = existsSync(path) ? recordIds(path) : new Set<number>();
  const references = { ofBackup: siteReferencesIn(file), known: siteReferencesIn(path), ref };
  const otherSite = otherSiteOf(references, inPresent.size > 0);
  const brokenTrail = brokenTrailIn(file);
  return {
    recordsInBackup: inCopy.size,
    onlyInCurrent: [...inPresent].filter((id) => !inCopy.has(id)),
    onlyInBackup: [...inCopy].filter((id) => !inPresent.has(id)),
    ...(otherSite === undefined ? {} : { otherSite }),
    ...(brokenTrail === undefined ? {} : { brokenTrail }),
  };
}

const isNamed = (ref: string): boolean => !GIVEN_AT_INSTALLATION.test(ref);

interface SiteReferences {
  readonly ofBackup: readonly string[];
  /** Of the present database. */
  readonly known: readonly string[];
  /** In the configuration. */
  readonly ref: string | undefined;
}

/**
 * The site of a backup, if it is another one. A new machine that takes the place of a dead one has no name and no records yet: any
 * backup may be its own. A file that an earlier release has written does not name its site.
 *
 * The reference in the configuration counts if the database has no name: a person who replaces a machine may have written the file
 * before the first start. It does not tell a backup from before the site had a name from that of another one.
 */
function otherSiteOf({ ofBackup, known, ref }: SiteReferences, hasRecords: boolean): string | undefined {
  const isByFile = ref !== undefined && isNamed(ref) && !known.some(isNamed);
  const present = isByFile ? [...known, ref] : known;
  const isNew = !hasRecords && (!present.some(isNamed) || (isByFile && !ofBackup.some(isNamed)));
  const isSame = present.length === 0 || ofBackup.some((one) => present.includes(one));
  const newest = ofBackup.at(-1);
  return isNew || isSame || newest === undefined ? undefined : foreignName(newest, REFERENCE_LENGTH_MAX);
}

/**
 * Rejects the backup of another site: this site would send its records, and its own would be missing.
 * @param isOtherMeant whether a person has confirmed that it is meant
 * @throws AppError `conflict`
 */
export function assertOwnSite({ otherSite }: RestorePlan, isOtherMeant: boolean, hint: string): void {
  if (otherSite === undefined || isOtherMeant) return;
  throw new AppError("conflict", `this backup is of another site: ${otherSite}`, { hint });
}

/**
 * Replaces the main database by a backup. The current one goes into quarantine. Trips of the journal whose records
 * the backup lacks are queued by the next start: before the replacement is decided they would become further records if the
 * restore failed.
 *
 * All steps that can fail are done on a copy (`replaceDatabase`). So an error or a power cut always leaves a complete
 * database, the current one or the backup. With the backup of another site the journal is replaced by an empty one: its trips are
 * of this machine.
 * @param plan the result of `planRestore` if known: computing it takes longer than the rest
 * @returns the path of the replaced database, and the number of trips that the next start queues
 * @throws AppError `bad-data` as `planRestore`, `busy` while the daemon runs, `storage` if a start has to recover
 * the journal first, or if the disk has no room for the backup
 */
export function restore(
  dataDir: string,
  file: string,
  nowMs: number,
  by: Actor,
  plan = planRestore(dataDir, file),
): { kept: string | null; redelivered: number } {
  prepareDataDir(dataDir);
  const release = lockForRestore(dataDir);
  const path = join(dataDir, "santinela.db");
  const reports = new LossReports(dataDir);
  try {
    // A recovery that a power cut has interrupted would otherwise continue after this and replace the backup.
    reports.finishReplacements(nowMs);
    const isOtherSite = plan.otherSite !== undefined;
    if (!isOtherSite) admitTornJournal(dataDir, reports, nowMs);
    const kept = existsSync(path) ? quarantinePath(path, nowMs) : null;
    const ofTrips = withRoomNamed(dataDir, file, () =>
      prepareCopy(copyOf(file, stageReplacement(path)), { dataDir, file, kept, plan, nowMs, by }),
    );
    const journalPath = join(dataDir, "journal.db");
    const keptJournal =
      isOtherSite && existsSync(journalPath) ? quarantinePath(journalPath, nowMs, "-journal") : undefined;
    replaceDatabase(path, { quarantined: kept, ...(keptJournal === undefined ? {} : { keptJournal }) });
    reports.finishReplacements(nowMs);
    return { kept, redelivered: ofTrips.redelivered };
  } finally {
    clearStaging(path);
    release();
  }
}

/** @throws AppError `busy` while the daemon runs */
function lockForRestore(dataDir: string): () => void {
  try {
    return takeInstanceLock(join(dataDir, "lock.db"));
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== "busy") throw cause;
    throw new AppError("busy", `a daemon is running on ${dataDir}`, {
      hint: "Stop the daemon first, for example with systemctl stop santinela, and start it again after the restore.",
      cause,
    });
  }
}

/** Names what is needed if the disk is full while the backup is prepared. */
function withRoomNamed<T>(dataDir: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!isDiskFull(cause)) throw cause;
    throw noRoomError(dataDir, file, cause);
  }
}

interface Preparation {
  readonly dataDir: string;
  readonly file: string;
  readonly kept: string | null;
  readonly plan: RestorePlan;
  readonly nowMs: number;
  readonly by: Actor;
}

/** Makes the copy of a backup ready to replace the current database. */
function prepareCopy(ready: string, { dataDir, file, kept, plan, nowMs, by }: Preparation): TripsOfRestore {
  const path = join(dataDir, "santinela.db");
  const isOtherSite = plan.otherSite !== undefined;
  const main = openDatabase(ready, MAIN_DATABASE);
  try {
    searchBeforeResend(main);
    const noted = new AssignedNumbers(dataDir).allOf("santinela.db");
    const carried = carryOver(main, path, noted, isOtherSite);
    revokeForeignTokens(main, path);
    // The alarms of this machine are not those of another site.
    const ofTrips = isOtherSite ? { keptDeleted: [], redelivered: 0 } : announceTripsOf(dataDir, main);
    // What was added since the plan was made.
    const copied = recordIds(ready);
    const onlyInCurrent = [...recordIds(path)].filter((id) => !copied.has(id));
    const detail = { file, kept, ...ofTrips, ...plan, onlyInCurrent, ...carried };
    new EventLog(main).add({ event: "database-restored", ...by, subject: "santinela.db", detail }, nowMs);
    return ofTrips;
  } finally {
    main.close();
  }
}

/**
 * Keeps and notes a commit of the journal that a power cut has interrupted, as a start would, which reports it later.
 * @throws AppError `storage` if more of the journal's log is damaged or unreadable: only a start recovers that
 */
function admitTornJournal(dataDir: string, reports: LossReports, nowMs: number): void {
  const name = "journal.db";
  const path = join(dataDir, name);
  const census = existsSync(path) ? logCensus(path) : undefined;
  if (census === undefined) return;
  const torn = { dataDir, name, problem: TORN, versions: census.versions } as const;
  if (!census.isTorn || !keepTornLog(torn, nowMs)) throw incompleteLog(path);
  reports.finishReplacements(nowMs);
}

interface TripsOfRestore {
  /** Records that were deleted since the backup, and stay deleted. */
  readonly keptDeleted: readonly number[];
  /** Trips that the next start queues. */
  readonly redelivered: number;
}

/** Prepares the backup for the trips that it lacks. */
function announceTripsOf(dataDir: string, main: Database): TripsOfRestore {
  const path = join(dataDir, "journal.db");
  // A missing one is lost: only a start reports that.
  const journal = existsSync(path) ? openJournalDatabase(path) : undefined;
  try {
    const lost = journal ? lostRecords(journal, main, 0).map(({ key }) => key) : [];
    const keptDeleted = keepDeletions(main, join(dataDir, "santinela.db"), lost);
    return { keptDeleted, redelivered: journal ? announceLostTrips(journal, main) : 0 };
  } finally {
    journal?.close();
  }
}
