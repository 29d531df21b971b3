import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import {
  newestChangeMs,
  removeOldAudit,
  removeOldEvents,
  removeOldIncidents,
  removeOldRecords,
  removeOldTrips,
  shrink,
  type BatchResult,
} from "../store/retention.ts";
import { backupsIn } from "./backups.ts";
import { FULL_BYTES, NEARLY_FULL_BYTES, type ReserveFile } from "./reserve-file.ts";

export interface HousekeepingOptions {
  readonly dataDir: string;
  readonly main: Database;
  readonly journal: Database;
  readonly reserveFile: ReserveFile;
  /** Free bytes of the data directory's file system. */
  readonly freeBytes: () => number;
  /** Checks whether the recovery report was removed. */
  readonly checkReport: () => void;
  /** Retention of the audit trail in days; default 400. */
  readonly auditDays?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

const AUDIT_DAYS = 400;
const CHECK_INTERVAL_MS = 60_000;
/** A disk can fill within seconds, and users should see it in time. */
const DISK_CHECK_INTERVAL_MS = 5_000;
const RETENTION_INTERVAL_MS = 3_600_000;
const DAY_MS = 86_400_000;
const RECORDS_KEPT_MS = 90 * DAY_MS;
/**
 * Retention of posted trips. Records are kept longer, so the missing record of an older trip was removed, not lost.
 */
export const TRIPS_KEPT_MS = 30 * DAY_MS;
/** Scheduled backups are daily; three missing ones are reported. */
const BACKUP_OVERDUE_MS = 3 * DAY_MS;
/** Pause between batches, so that other work is done first and an SD card is not kept busy. */
const BATCH_PAUSE_MS = 100;

/** Monitors the disk: free space, age of rows and age of backups. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #cancel: CancelTimer | undefined;
  #cancelDisk: CancelTimer | undefined;
  /** Free bytes at the last check. */
  #free = Number.POSITIVE_INFINITY;
  #removedAtMs: number | undefined;
  /** Set while a removal is running. */
  #cancelRemoval: CancelTimer | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Whether so little space is free that it is kept for alarms. */
  get isDiskFull(): boolean {
    return this.#free < FULL_BYTES;
  }

  start(): void {
    this.#monitorDisk();
    this.#check();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancelDisk?.();
    this.#cancelRemoval?.();
  }

  #check(): void {
    const { clock } = this.#options;
    this.#cancel = clock.after(CHECK_INTERVAL_MS, () => this.#check());
    try {
      this.#options.checkReport();
      this.#checkBackups();
      const nowMs = clock.monotonicMs();
      const isDue = nowMs - (this.#removedAtMs ?? -RETENTION_INTERVAL_MS) >= RETENTION_INTERVAL_MS;
      if (isDue || this.#free < NEARLY_FULL_BYTES) {
        this.#removedAtMs = nowMs;
        this.#removeOld();
      }
    } catch (error) {
      this.#failed(error);
    }
  }

  #monitorDisk(): void {
    this.#cancelDisk = this.#options.clock.after(DISK_CHECK_INTERVAL_MS, () => this.#monitorDisk());
    try {
      this.#checkDisk();
    } catch (error) {
      this.#failed(error);
    }
  }

  #checkDisk(): void {
    const { freeBytes, reserveFile, conditions, log, dataDir } = this.#options;
    const free = freeBytes();
    this.#free = free;
    const left = { freeMb: Math.floor(free / 1_048_576), folder: dataDir };
    if (this.isDiskFull) conditions.raise("disk-full", left);
    else conditions.clear("disk-full");
    if (free < NEARLY_FULL_BYTES) conditions.raise("disk-nearly-full", left);
    else conditions.clear("disk-nearly-full");
    reserveFile.fill(free).catch((error: unknown) => log.warn("reserve-file-write-failed", { error }));
  }

  /** Without any backup no schedule is assumed; if backups have stopped, a condition is raised. */
  #checkBackups(): void {
    const { dataDir, clock, conditions } = this.#options;
    const [newest] = backupsIn(dataDir);
    if (newest && clock.wallMs() - newest.atMs > BACKUP_OVERDUE_MS)
      conditions.raise("backup-overdue", { newest: new Date(newest.atMs).toISOString() });
    else conditions.clear("backup-overdue");
  }

  #removeOld(): void {
    if (this.#cancelRemoval) return;
    this.#continue(removeOldRows(this.#options, this.#options.clock.wallMs()));
  }

  #continue(removal: Generator<void, RemovedRows>): void {
    const { clock, log } = this.#options;
    this.#cancelRemoval = undefined;
    try {
      const step = removal.next();
      if (step.done !== true) {
        this.#cancelRemoval = clock.after(BATCH_PAUSE_MS, () => this.#continue(removal));
        return;
      }
      const { records, events, trips } = step.value;
      if (records + events + trips > 0) log.info("retention-completed", { records, events, trips });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Logs an error of the disk; the components concerned report it, and the next check is a minute away. */
  #failed(error: unknown): void {
    const { log, conditions } = this.#options;
    log.warn("housekeeping-failed", { error });
    if (messageOf(error).includes("ENOSPC")) conditions.raise("disk-full", messageOf(error));
  }
}

/** Numbers of rows removed because of their age. */
interface RemovedRows {
  readonly records: number;
  readonly events: number;
  readonly trips: number;
}

/**
 * Removes expired rows, one batch per step, so that the caller can process readings and requests in between.
 * @param wallMs the wall clock, which may be years ahead
 */
function* removeOldRows(
  { main, journal, auditDays = AUDIT_DAYS }: Pick<HousekeepingOptions, "main" | "journal" | "auditDays">,
  wallMs: number,
): Generator<void, RemovedRows> {
  // A clock set years ahead must not expire everything, so age is measured from the newest record.
  const nowMs = Math.min(wallMs, newestChangeMs(main) ?? 0);
  const tripsBeforeMs = nowMs - TRIPS_KEPT_MS;
  const records = yield* removeInBatches(main, (cursor) =>
    removeOldRecords(main, nowMs - RECORDS_KEPT_MS, cursor),
  );
  const events = yield* removeInBatches(main, () => {
    const removed = removeOldEvents(main);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  yield* removeInBatches(main, () => {
    const removed = removeOldAudit(main, nowMs - auditDays * DAY_MS);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  yield* removeInBatches(journal, (cursor) => removeOldIncidents(journal, tripsBeforeMs, cursor));
  const trips = yield* removeInBatches(journal, (cursor) => removeOldTrips(journal, tripsBeforeMs, cursor));
  return { records, events, trips };
}

/** @returns the number of removed rows */
function* removeInBatches(
  database: Database,
  removeBatch: (cursor: number) => BatchResult,
): Generator<void, number> {
  let total = 0;
  for (let cursor: number | null = 0; cursor !== null;) {
    const { removed, cursor: next } = removeBatch(cursor);
    yield;
    if (removed > 0) {
      shrink(database);
      yield;
    }
    total += removed;
    cursor = next;
  }
  return total;
}
