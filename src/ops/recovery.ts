import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { openDatabase, type DatabaseKind } from "../store/database.ts";
import { REBUILD_COUNTS } from "../store/intervention-lists.ts";
import { fileProblems, isTooNew, type CheckDepth } from "../store/integrity.ts";
import { logCensus, versionsOf, type LogCensus, type LogVersion } from "../store/wal-census.ts";
import { lastNumbers as lastNumbersOf } from "../store/sequence-gaps.ts";
import { enqueueUnaccounted, searchBeforeResend } from "../store/pending-searches.ts";
import { salvage, type Salvage } from "../store/salvage.ts";
import { isDiskFull } from "../store/transaction.ts";
import { backupsIn, bestFirst } from "./backups.ts";
import { endTransmissions } from "./carried-over.ts";
import {
  clearStaging,
  quarantinePath,
  replaceDatabase,
  stageReplacement,
  type DatabaseName,
  type Replacement,
} from "./database-files.ts";
import { isCopied, rebuild } from "./rebuilt-version.ts";
import { withSentence } from "./recovery-sentence.ts";
import { freeBytes } from "./reserve-file.ts";
import { databaseBytes } from "./start-work.ts";

/** The state of a database file before it is opened. */
interface FileState {
  /** Undefined if intact. */
  readonly problem: string | undefined;
  /** Whether the only problem is the end of its log, which a power cut may have left: the database can be used as it is. */
  readonly isTorn: boolean;
  /** The recoverable states; call it before the files are moved. */
  readonly versions: () => readonly LogVersion[];
}

/** The state at the first run. */
export const INTACT: FileState = { problem: undefined, isTorn: false, versions: () => [] };

/** Checks a closed database. The log is read first, because opening the database would overwrite it. */
export function checkDatabaseFile(path: string, kind: DatabaseKind, depth: CheckDepth): FileState {
  const census = logCensus(path);
  const versions = (): readonly LogVersion[] => census?.versions ?? versionsOf(path);
  const problem = problemOf(path, kind, depth, census);
  return { problem, isTorn: problem === TORN, versions };
}

/** The problem of a database whose log ends with an incomplete commit. */
export const TORN =
  "the last commit in its write-ahead log is incomplete: a power cut interrupted it, or the log is damaged";

function problemOf(
  path: string,
  kind: DatabaseKind,
  depth: CheckDepth,
  census: LogCensus | undefined,
): string | undefined {
  if (!existsSync(path)) return "the file is missing";
  // Do not open it: SQLite removes the log of an empty file.
  if (statSync(path).size === 0) return "the file is empty";
  if (census) return census.isTorn ? TORN : "its write-ahead log is damaged";
  // Opening it will be rejected, and the file stays in place.
  if (isTooNew(path, kind)) return undefined;
  const problems = fileProblems(path, kind, depth);
  return problems.length === 0 ? undefined : problems.join("; ");
}

/** The result of a recovery, for the log, the event log and the report. It is stored as JSON. */
export interface Recovery extends Replacement {
  readonly name: DatabaseName;
  readonly problem: string;
  /** Path of the damaged file in quarantine. */
  readonly quarantined: string;
  /** Whether the newest state could be rebuilt from the file and its write-ahead log. */
  readonly isWhole: boolean;
  /** Whether only an earlier state could be rebuilt; rows of later commits are salvaged. */
  readonly isEarlier: boolean;
  /** Whether the database was used as it is, without the end of its log; only the log is in quarantine. */
  readonly isOnlyCut?: boolean;
  /** Committed pages of the write-ahead log that are lost. */
  readonly lostPages: number;
  /** The restored backup; null if none was intact or needed. */
  readonly backup: { readonly path: string; readonly atMs: number } | null;
  /** Null if the newest state could be rebuilt. */
  readonly salvage: Salvage | null;
  /** The last numbers assigned by its tables, as far as known. */
  readonly lastNumbers: Readonly<Record<string, number>>;
  /** The result as a sentence. */
  readonly sentence: string;
}

export interface RecoveryOptions {
  readonly dataDir: string;
  readonly name: DatabaseName;
  readonly kind: DatabaseKind;
  readonly problem: string;
  /** The recoverable states, best first. */
  readonly versions: readonly LogVersion[];
  readonly clock: Clock;
}

/** Time limit: an SD card reads 20 MB a second, and after a minute alarms matter more than old rows. */
const SALVAGE_MS_MAX = 60_000;

/**
 * Recovers a damaged or missing database. If the file and its write-ahead log can be rebuilt, the result replaces
 * it. Otherwise the newest intact backup does, or an empty journal, because an old one would post old trips. Unless
 * the newest state was rebuilt, all its readable rows are salvaged. Nothing is deleted, and until all of this is done,
 * the damaged file stays in place: after an error or a power cut the next start recovers it from the beginning.
 * @throws AppError `storage` if the disk has no room for it, with what could be removed
 */
export function recoverDatabase(options: RecoveryOptions): void {
  const path = join(options.dataDir, options.name);
  try {
    replaceDatabase(path, recoverInto(stageReplacement(path), path, options));
  } catch (error) {
    if (isDiskFull(error)) throw noRoomError(options, error);
    throw error;
  } finally {
    clearStaging(path);
  }
}

/** What would go on as before if the start left it out is not tried: only a person can tell which files are not needed. */
function noRoomError({ dataDir, name, problem }: RecoveryOptions, cause: unknown): AppError {
  const megabytes = (bytes: number): number => Math.ceil(bytes / 1_048_576);
  const needed = megabytes(databaseBytes(join(dataDir, name)));
  return new AppError(
    "storage",
    `${name} is damaged (${problem}), and there is no room to recover it: about ${needed} MB are needed in ${dataDir}, ${Math.floor(freeBytes(dataDir) / 1_048_576)} MB are free`,
    {
      hint: "Move old directories of quarantine/, older files of backups/ and *.db.v<n> from the data directory to another disk.",
      cause,
    },
  );
}

/** A recovery whose stored result is damaged. */
export function unknownRecovery(dataDir: string, name: DatabaseName, nowMs: number): Recovery {
  const quarantined = quarantinePath(join(dataDir, name), nowMs);
  return {
    name,
    quarantined,
    problem: "unknown",
    isWhole: false,
    isEarlier: false,
    lostPages: 0,
    backup: null,
    salvage: null,
    lastNumbers: {},
    sentence: `${name} was damaged and recovered; the details are lost. The damaged file is kept as ${quarantined}.`,
  };
}

/** Creates the recovered database. @param staged its path; the damaged one at `path` is only read */
function recoverInto(staged: string, path: string, options: RecoveryOptions): Recovery {
  const { dataDir, name, kind, problem, versions, clock } = options;
  // A missing file may have left its log, which contains pages of it.
  const damaged = existsSync(path) || !existsSync(`${path}-wal`) ? path : emptyFile(`${staged}.missing`);
  const exists = existsSync(damaged);
  const rebuilt = exists ? rebuild(damaged, staged, kind, versions) : undefined;
  const isWhole = rebuilt !== undefined && rebuilt === versions[0];
  const common = {
    name,
    problem,
    quarantined: quarantinePath(path, clock.wallMs()),
    isWhole,
    isEarlier: rebuilt !== undefined && !isWhole,
    lostPages: versions[0]?.lostPages ?? 0,
  };
  if (isWhole) return withSentence({ ...common, backup: null, salvage: null, lastNumbers: {} });
  const backups = name === "santinela.db" && !rebuilt ? backupsIn(dataDir) : [];
  const backup =
    bestFirst(backups, clock.wallMs()).find(
      (copy) => fileProblems(copy.path, kind, "full").length === 0 && isCopied(copy.path, staged),
    ) ?? null;
  const database = openDatabase(staged, kind);
  try {
    if (name === "santinela.db") searchBeforeResend(database);
    // Those that the damaged file still has replace them below.
    if (backup) endTransmissions(database);
    const endMs = clock.monotonicMs() + SALVAGE_MS_MAX;
    const isInTime = (): boolean => clock.monotonicMs() < endMs;
    const overlay = versions[0]?.overlay;
    const salvaged = exists ? salvage(damaged, database, { kind, overlay, isInTime }) : null;
    if (name === "santinela.db") {
      enqueueUnaccounted(database);
      database.exec(REBUILD_COUNTS);
    }
    const lastNumbers = salvaged?.lastNumbers ?? lastNumbersOf(database);
    // Closing does it as well, but would hide an error.
    database.pragma("wal_checkpoint(TRUNCATE)");
    return withSentence({ ...common, backup, salvage: salvaged, lastNumbers });
  } finally {
    database.close();
  }
}

function emptyFile(path: string): string {
  writeFileSync(path, "");
  return path;
}
