import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import { openReadOnly, type Database } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import type { CheckDepth } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { ALTERED_ROWS, requestIntegrityCheck, integrityCheckFile } from "./backups.ts";
import type { ReserveFile } from "./reserve-file.ts";
import { writeDurably } from "../store/durable-files.ts";
import { countLostTrips, lostRecords, redeliverLostTrips } from "../store/pending-searches.ts";
import { AssignedNumbers, type DatabasesByName, type NumberGaps } from "./assigned-numbers.ts";
import { acceptLosses, gapsIn, lossOf } from "./data-loss.ts";
import { openChecked } from "./checked-opening.ts";
import type { DatabaseName, NamedDatabase } from "./database-files.ts";
import { withReserve } from "./guarded-database.ts";
import { formatReport, LossReports, type LossReport } from "./loss-reports.ts";
import { TRIPS_KEPT_MS } from "./retention-schedule.ts";
import { databaseBytes, type BeforeLongWork } from "./start-work.ts";
import { correctSwappedDatabases } from "./swapped-databases.ts";

export interface DatabasesOptions {
  readonly dataDir: string;
  readonly reserveFile: ReserveFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Creates the id of a new installation. */
  readonly newIdentity: () => string;
  /** Called with each error of the journal; optional. */
  readonly onJournalError?: ((error: unknown) => void) | undefined;
  /** Called before each long work: systemd would end a start that exceeds its limit, and so each later one. */
  readonly beforeLongWork?: BeforeLongWork | undefined;
}

/**
 * Opens the two databases of a data directory: with a quick check after a clean shutdown, a full check after a
 * crash, and a recovery if a file is damaged or missing.
 */
export class Databases {
  readonly journal: Database;
  #main: Database;
  readonly #options: DatabasesOptions;
  readonly #numbers: AssignedNumbers;
  readonly #reports: LossReports;

  /** @throws AppError `storage` if a database cannot be used and a recovery cannot help, as on a read-only disk */
  constructor(options: DatabasesOptions) {
    this.#options = options;
    const { dataDir, clock, reserveFile } = options;
    this.#reports = new LossReports(dataDir);
    const isKnown = hasHadDatabases(dataDir);
    // After a crash each index is checked against its table; after a clean shutdown that is not necessary.
    const isCleanShutdown =
      existsSync(join(dataDir, CLEAN_SHUTDOWN_FILE)) && !existsSync(integrityCheckFile(dataDir));
    const depth = isCleanShutdown ? "quick" : "full";
    // Before anything is checked: the files of an interrupted recovery are replaced by those that it has completed.
    withReserve(reserveFile, () => this.#reports.finishReplacements(clock.wallMs()));
    this.#numbers = new AssignedNumbers(dataDir);
    if (isKnown && correctSwappedDatabases(dataDir, [MAIN, JOURNAL]))
      options.log.warn("databases-exchanged", {});
    this.journal = this.#open(JOURNAL, { isKnown, depth });
    try {
      this.#main = this.#open(MAIN, { isKnown, depth });
    } catch (error) {
      this.journal.close();
      throw error;
    }
    rmSync(integrityCheckFile(dataDir), { force: true });
    const bothBytes = databaseBytes(join(dataDir, JOURNAL.name)) + databaseBytes(join(dataDir, MAIN.name));
    options.beforeLongWork?.(bothBytes);
    withReserve(reserveFile, () => this.#reportLosses(clock.wallMs()));
    if (!isKnown) this.#createInstallationId();
    rmSync(join(dataDir, CLEAN_SHUTDOWN_FILE), { force: true });
    this.checkRecoveryReport();
  }

  /** `santinela.db`: writable until `handOver`, then read-only. */
  get main(): Database {
    return this.#main;
  }

  /**
   * Leaves the writing of `santinela.db` to another connection.
   * @param open opens that connection, while no other one is open
   */
  async handOver<T>(open: () => Promise<T>): Promise<T> {
    const path = join(this.#options.dataDir, MAIN.name);
    this.#main.close();
    const opened = await open();
    this.#main = openReadOnly(path);
    return opened;
  }

  /** Closes `santinela.db`, so that the connection that writes it can remove its write-ahead log. */
  closeMain(): void {
    if (!this.#main.open) return;
    this.noteNumbers();
    this.#main.close();
  }

  /** Closes both, and writes the clean shutdown marker if the writer of `santinela.db` has closed it completely too. */
  close(): void {
    this.closeMain();
    this.journal.close();
    if (existsSync(join(this.#options.dataDir, `${MAIN.name}-wal`))) return;
    try {
      writeFileSync(join(this.#options.dataDir, CLEAN_SHUTDOWN_FILE), "");
    } catch (error) {
      // Not critical: the next start only checks more.
      this.#options.log.warn("clean-shutdown-marker-write-failed", { error });
    }
  }

  /** Keeps the conditions of a recovery open until a user removes the report. */
  checkRecoveryReport(): void {
    this.#reports.showConditions(this.#options.conditions);
  }

  /**
   * Stores the last assigned numbers, so that an older file in their place is detected.
   * @param reported gaps that must not be reported again
   */
  noteNumbers(reported: NumberGaps = {}): void {
    try {
      this.#numbers.note(this.#both, reported);
    } catch (error) {
      // The disk is full; a loss of the newest commits is then detected by the earlier numbers.
      this.#options.log.debug("record-numbers-write-failed", { error });
    }
  }

  get #both(): DatabasesByName {
    return { "santinela.db": this.main, "journal.db": this.journal };
  }

  /** Reports what is missing, queues trips of lost records again, and only then accepts the losses. */
  #reportLosses(nowMs: number): void {
    const { log } = this.#options;
    const { unaccepted, isRestored } = this.#reports;
    if (unaccepted) this.#accept(unaccepted);
    if (isRestored) {
      // A repetition after a power cut finds only what is left.
      redeliverLostTrips(this.journal, this.main, 0);
      this.#reports.endRestore();
    }
    const report = this.#lossReport(nowMs);
    if (report.recoveries.length + report.losses.length === 0) return this.noteNumbers();
    log.error("database-recovered", { text: formatReport(report) });
    this.#reports.write(report, new EventLog(this.main));
    this.#accept(report);
  }

  /** Determines the losses without changing anything, so that an interrupted start can do it again. */
  #lossReport(nowMs: number): LossReport {
    const { recoveries } = this.#reports;
    const lost = lostRecords(this.journal, this.main, nowMs - TRIPS_KEPT_MS);
    const lostNumbers = { [MAIN.name]: lost.map(({ interventionId }) => interventionId) };
    // Trips older than a restored backup have their records in it, if its date is plausible.
    const backups = recoveries.flatMap(({ backup }) => (backup ? [backup.atMs - CLOCK_MARGIN_MS] : []));
    const isDated = backups.length > 0 && backups.every((atMs) => atMs <= nowMs);
    const redeliverSinceMs = isDated ? Math.min(...backups) : nowMs - TRIPS_KEPT_MS;
    const losses = this.#each.flatMap(([name, database]) => {
      const loss = lossOf(name, database, {
        numbers: this.#numbers,
        recoveries: recoveries.filter((each) => each.name === name),
        lostNumbers: lostNumbers[name] ?? [],
        nowMs,
      });
      return loss ? [loss] : [];
    });
    const redelivered = countLostTrips(this.journal, this.main, redeliverSinceMs);
    const gaps = gapsIn(this.#both, this.#numbers, lostNumbers);
    return { atMs: nowMs, recoveries, losses, redelivered, redeliverSinceMs, gaps };
  }

  /** Accepts the losses of a report that has been written; an interrupted call is repeated. */
  #accept(report: LossReport): void {
    if (report.losses.some(({ altered }) => altered > 0))
      requestIntegrityCheck(this.#options.dataDir, ALTERED_ROWS);
    redeliverLostTrips(this.journal, this.main, report.redeliverSinceMs);
    for (const [name, database] of this.#each) acceptLosses(name, database, report.gaps);
    this.noteNumbers(report.gaps);
    this.#reports.end(report);
  }

  get #each(): [DatabaseName, Database][] {
    return Object.entries(this.#both) as [DatabaseName, Database][];
  }

  #open(database: NamedDatabase, how: { isKnown: boolean; depth: CheckDepth }): Database {
    const onError = database.name === JOURNAL.name ? this.#options.onJournalError : undefined;
    return openChecked(database, { ...this.#options, ...how, onError, reports: this.#reports });
  }

  #createInstallationId(): void {
    const { dataDir, newIdentity, log } = this.#options;
    try {
      writeDurably(join(dataDir, IDENTITY_FILE), `${newIdentity()}\n`);
    } catch (error) {
      // The disk is full. The next start retries; until then a lost database counts as new.
      log.warn("installation-id-write-failed", { error });
    }
  }
}

/** Margin for clock steps; an extra trip is harmless, because its key is known. */
const CLOCK_MARGIN_MS = 86_400_000;
/** Marks a directory that has had databases: a missing one is lost, not new. */
const IDENTITY_FILE = "installation-id";
const CLEAN_SHUTDOWN_FILE = "stopped-in-order";

/** Whether a daemon has started in a directory; `init`, `restore` and other commands create only `santinela.db`. */
export function hasHadDatabases(dataDir: string): boolean {
  return existsSync(join(dataDir, IDENTITY_FILE));
}

const MAIN: NamedDatabase = { name: "santinela.db", kind: MAIN_DATABASE };
const JOURNAL: NamedDatabase = { name: "journal.db", kind: JOURNAL_DATABASE };
