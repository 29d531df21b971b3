import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { openDatabase, type Database, type DatabaseKind } from "../store/database.ts";
import { isDiskFull, setDiskFullHandler, onRollback } from "../store/transaction.ts";
import { EventLog } from "../store/event-log.ts";
import { isDamage, type CheckDepth } from "../store/integrity.ts";
import { JOURNAL_DATABASE } from "../store/journal-database.ts";
import { MAIN_DATABASE } from "../store/main-database.ts";
import { requestIntegrityCheck, integrityCheckFile } from "./backups.ts";
import { roomLeft, type ReserveFile } from "./reserve-file.ts";
import { writeDurably } from "../store/durable-files.ts";
import { lostRecords, redeliverLostTrips } from "../store/pending-searches.ts";
import {
  gapsIn,
  GivenNumbers,
  lossOf,
  LossNotes,
  sentenceOfLoss,
  type BothDatabases,
  type DataLoss,
  type NumberGaps,
} from "./data-loss.ts";
import { exchangeSwapped, type DatabaseName, type NamedDatabase } from "./database-files.ts";
import { TRIPS_KEPT_MS } from "./housekeeping.ts";
import { conditionOf, INTACT, recoverDatabase, type Recovery } from "./recovery.ts";

export interface DatabasesOptions {
  readonly dataDir: string;
  readonly reserveFile: ReserveFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Creates the id of a new installation. */
  readonly newIdentity: () => string;
}

/**
 * Opens the two databases of a data directory: with a quick check after a clean shutdown, a full check after a
 * crash, and a recovery if a file is damaged or missing.
 */
export class Databases {
  readonly main: Database;
  readonly journal: Database;
  readonly #options: DatabasesOptions;
  readonly #numbers: GivenNumbers;
  readonly #notes: LossNotes;

  /** @throws AppError `storage` if a database cannot be used and a recovery cannot help, as on a read-only disk */
  constructor(options: DatabasesOptions) {
    this.#options = options;
    const { dataDir, clock } = options;
    this.#notes = new LossNotes(dataDir);
    this.#numbers = new GivenNumbers(dataDir);
    const isKnown = existsSync(join(dataDir, IDENTITY_FILE));
    // After a crash each index is checked against its table; after a clean shutdown that is not necessary.
    const isCleanShutdown =
      existsSync(join(dataDir, CLEAN_SHUTDOWN_FILE)) && !existsSync(integrityCheckFile(dataDir));
    const depth = isCleanShutdown ? "quick" : "full";
    const recoveries: Recovery[] = [];
    if (isKnown && exchangeSwapped(dataDir, [MAIN, JOURNAL])) options.log.warn("databases-exchanged", {});
    this.journal = this.#open(JOURNAL, { isKnown, depth }, recoveries);
    try {
      this.main = this.#open(MAIN, { isKnown, depth }, recoveries);
    } catch (error) {
      this.journal.close();
      throw error;
    }
    rmSync(integrityCheckFile(dataDir), { force: true });
    this.#detectLosses(recoveries, clock.wallMs());
    if (!isKnown) this.#createInstallationId();
    rmSync(join(dataDir, CLEAN_SHUTDOWN_FILE), { force: true });
    this.checkRecoveryReport();
  }

  /** Closes both and writes the clean shutdown marker. */
  close(): void {
    this.noteNumbers();
    this.main.close();
    this.journal.close();
    try {
      writeFileSync(join(this.#options.dataDir, CLEAN_SHUTDOWN_FILE), "");
    } catch (error) {
      // Not critical: the next start only checks more.
      this.#options.log.warn("clean-shutdown-marker-write-failed", { error });
    }
  }

  /** Keeps the conditions of a recovery open until a user removes the report. */
  checkRecoveryReport(): void {
    const { dataDir, conditions } = this.#options;
    const report = join(dataDir, RECOVERY_REPORT);
    if (!existsSync(report)) {
      conditions.clear("database-recovered");
      for (const { name } of [MAIN, JOURNAL]) conditions.clear("data-lost", name);
      this.#notes.forget();
      return;
    }
    const text = readFileSync(report, "utf8").trim().split("\n").at(-1) ?? "";
    conditions.raise("database-recovered", `${text} Read ${report}, then remove it.`);
    for (const loss of this.#notes.list()) conditions.raise("data-lost", { ...loss, report }, loss.database);
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
      this.#options.log.debug("given-numbers-not-noted", { error });
    }
  }

  get #both(): BothDatabases {
    return { "santinela.db": this.main, "journal.db": this.journal };
  }

  /** Checks the databases for losses, queues trips of lost records again, and reports what is missing. */
  #detectLosses(recoveries: readonly Recovery[], nowMs: number): void {
    const recovery = recoveries.find(({ name }) => name === MAIN.name);
    const lost = lostRecords(this.journal, this.main, nowMs - TRIPS_KEPT_MS);
    // Trips older than a restored backup have their records in it.
    const backupMs = recovery?.backup?.atMs;
    const sinceMs = backupMs === undefined ? nowMs - TRIPS_KEPT_MS : backupMs - CLOCK_MARGIN_MS;
    const redelivered = redeliverLostTrips(this.journal, this.main, sinceMs);
    const losses = Object.entries(this.#both).flatMap(([name, database]) => {
      const loss = lossOf(name as DatabaseName, database, {
        numbers: this.#numbers,
        recovery: recoveries.find((each) => each.name === name),
        lostNumbers: name === MAIN.name ? lost.map(({ interventionId }) => interventionId) : [],
        nowMs,
      });
      return loss ? [loss] : [];
    });
    // Only a full check compares altered rows with the schema's constraints.
    if (losses.some(({ altered }) => altered > 0))
      requestIntegrityCheck(this.#options.dataDir, "rows have a wrong checksum");
    if (recoveries.length + losses.length === 0) return this.noteNumbers();
    this.#report(recoveries, losses, redelivered);
    this.noteNumbers(gapsIn(this.#both));
  }

  #open(
    { name, kind }: NamedDatabase,
    { isKnown, depth }: { isKnown: boolean; depth: CheckDepth },
    recoveries: Recovery[],
  ): Database {
    const path = join(this.#options.dataDir, name);
    const { problem, versions } = isKnown ? conditionOf(path, kind, depth) : INTACT;
    const recover = (why: string): Database => {
      const { dataDir, clock, log } = this.#options;
      log.error("database-damaged", { database: name, problem: why });
      recoveries.push(recoverDatabase({ dataDir, name, kind, problem: why, versions: versions(), clock }));
      return this.#opened(path, kind);
    };
    if (problem !== undefined) return recover(problem);
    try {
      return this.#opened(path, kind);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return recover(messageOf(error));
    }
  }

  /** Opens a database; a full disk may reject even the few pages this takes. */
  #opened(path: string, kind: DatabaseKind): Database {
    const { reserveFile } = this.#options;
    let database: Database;
    try {
      database = openDatabase(path, kind);
    } catch (error) {
      if (!isDiskFull(error) || !reserveFile.release()) throw error;
      database = openDatabase(path, kind);
    }
    setDiskFullHandler(database, () => reserveFile.release());
    // Damage is checked and repaired at the next start, even after a clean shutdown.
    onRollback(database, (error) => {
      const { dataDir, conditions } = this.#options;
      if (isDamage(error)) requestIntegrityCheck(dataDir, `${path}: ${messageOf(error)}`);
      if (isDiskFull(error)) conditions.raise("disk-full", roomLeft(dataDir));
    });
    return database;
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

  #report(recoveries: readonly Recovery[], losses: readonly DataLoss[], redelivered: number): void {
    const { dataDir, clock, log } = this.#options;
    const sentences = [...recoveries.map(({ sentence }) => sentence), ...losses.map(sentenceOfLoss)];
    const again =
      redelivered === 0
        ? ""
        : ` ${redelivered} trips of the journal are posted again with their original keys.`;
    const text = `${new Date(clock.wallMs()).toISOString()} ${sentences.join(" ")}${again}`;
    const report = join(dataDir, RECOVERY_REPORT);
    const earlier = existsSync(report) ? readFileSync(report, "utf8") : "";
    writeDurably(report, `${earlier}${text}\n`);
    this.#notes.add(losses);
    log.error("database-recovered", { text });
    const record = (event: "database-recovered" | "data-lost", subject: string, detail: object): void =>
      new EventLog(this.main).add(
        { event, who: "santinela", from: "start", subject, detail: { ...detail } },
        clock.wallMs(),
      );
    if (recoveries.length > 0)
      record("database-recovered", recoveries.map(({ name }) => name).join(", "), {
        recoveries,
        redelivered,
      });
    for (const loss of losses) record("data-lost", loss.database, loss);
  }
}

/** Margin for clock steps; an extra trip is harmless, because its key is known. */
const CLOCK_MARGIN_MS = 86_400_000;
/** Marks a directory that has had databases: a missing one is lost, not new. */
const IDENTITY_FILE = "installation-id";
const CLEAN_SHUTDOWN_FILE = "stopped-in-order";
const RECOVERY_REPORT = "recovery.txt";

const MAIN: NamedDatabase = { name: "santinela.db", kind: MAIN_DATABASE };
const JOURNAL: NamedDatabase = { name: "journal.db", kind: JOURNAL_DATABASE };
