import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import { backupsIn } from "./backups.ts";
import type { ReserveFile } from "./reserve-file.ts";
import { removeOldRows, type RemovedRows } from "./retention-job.ts";

export interface HousekeepingOptions {
  readonly dataDir: string;
  readonly main: Database;
  readonly journal: Database;
  readonly reserveFile: ReserveFile;
  /** Free bytes of the data folder's disk. */
  readonly freeBytes: () => number;
  /** Looks whether somebody has read the report of a recovery. */
  readonly checkReport: () => void;
  /** How long the audit trail keeps its entries; 400 days by default. */
  readonly auditDays?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

const AUDIT_DAYS = 400;
const LOOK_EVERY_MS = 60_000;
/** A disk fills within seconds, and a person is to see it in time. */
const LOOK_AT_DISK_EVERY_MS = 5_000;
const REMOVE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Below this people are told while there is time, and what may be removed is removed at once. */
const NEARLY_FULL_BYTES = 64 * 1_048_576;
/** Below this a minor record may take the place that the next alarm needs. */
const FULL_BYTES = 16 * 1_048_576;
/** Copies are made daily where they are made; so many missing ones are told. */
const BACKUP_OVERDUE_MS = 3 * DAY_MS;
/** Between two slices of a removal: what has come in meanwhile is done first, and a card is not kept busy. */
const BETWEEN_SLICES_MS = 100;

/** Looks after the disk while the daemon runs: its free space, the age of the records, the age of the copies. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #cancel: CancelTimer | undefined;
  #cancelDisk: CancelTimer | undefined;
  #isTight = false;
  #removedAtMs: number | undefined;
  /** While a removal is under way. */
  #cancelRemoval: CancelTimer | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#watchDisk();
    this.#look();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancelDisk?.();
    this.#cancelRemoval?.();
  }

  #look(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(LOOK_EVERY_MS, () => this.#look());
    try {
      this.#options.checkReport();
      this.#checkBackups();
      const nowMs = clock.monotonicMs();
      if (this.#isTight || nowMs - (this.#removedAtMs ?? -REMOVE_EVERY_MS) >= REMOVE_EVERY_MS) {
        this.#removedAtMs = nowMs;
        this.#removeOld();
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  #watchDisk(): void {
    this.#cancelDisk = this.#options.clock.after(LOOK_AT_DISK_EVERY_MS, () => this.#watchDisk());
    try {
      this.#isTight = this.#checkDisk();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @returns whether space is short */
  #checkDisk(): boolean {
    const { freeBytes, reserveFile, conditions, log, dataDir } = this.#options;
    const free = freeBytes();
    const left = { freeMb: Math.floor(free / 1_048_576), folder: dataDir };
    if (free < FULL_BYTES) conditions.raise("disk-full", left);
    else conditions.clear("disk-full");
    if (free < NEARLY_FULL_BYTES) conditions.raise("disk-nearly-full", left);
    else conditions.clear("disk-nearly-full");
    reserveFile.fill(free).catch((error: unknown) => log.warn("reserve-file-write-failed", { error }));
    return free < NEARLY_FULL_BYTES;
  }

  /** A folder without any copy is one where nobody makes them; one whose copies have stopped is told. */
  #checkBackups(): void {
    const { dataDir, clock, conditions } = this.#options;
    const [newest] = backupsIn(dataDir);
    if (newest && clock.wallMs() - newest.atMs > BACKUP_OVERDUE_MS)
      conditions.raise("backup-overdue", { newest: new Date(newest.atMs).toISOString() });
    else conditions.clear("backup-overdue");
  }

  #removeOld(): void {
    if (this.#cancelRemoval) return;
    const { main, journal, auditDays = AUDIT_DAYS, clock } = this.#options;
    this.#goOn(removeOldRows({ main, journal, auditDays }, clock.wallMs()));
  }

  #goOn(removal: Generator<void, RemovedRows>): void {
    const { clock, log } = this.#options;
    this.#cancelRemoval = undefined;
    const step = removal.next();
    if (step.done !== true) {
      this.#cancelRemoval = clock.after(BETWEEN_SLICES_MS, () => this.#tryOn(removal));
      return;
    }
    const { records, events, trips } = step.value;
    if (records + events + trips > 0) log.info("retention-completed", { records, events, trips });
  }

  #tryOn(removal: Generator<void, RemovedRows>): void {
    try {
      this.#goOn(removal);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** A disk in trouble; the parts that need it say so themselves, and the next look is a minute away. */
  #failed(error: unknown): void {
    const { log, conditions } = this.#options;
    log.warn("housekeeping-failed", { error });
    if (messageOf(error).includes("ENOSPC")) conditions.raise("disk-full", messageOf(error));
  }
}
