import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import {
  newestChangeMs,
  removeOldEvents,
  removeOldRecords,
  removeOldTrips,
  shrink,
} from "../store/retention.ts";
import { backupsIn } from "./backups.ts";
import { BALLAST_BYTES, type Ballast } from "./ballast.ts";
import { TRIPS_KEPT_MS } from "./recovery.ts";

export interface HousekeepingOptions {
  readonly dataDir: string;
  readonly main: Database;
  readonly journal: Database;
  readonly ballast: Ballast;
  /** Free bytes of the data folder's disk. */
  readonly freeBytes: () => number;
  /** Looks whether somebody has read the report of a recovery. */
  readonly lookForReport: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
}

const LOOK_EVERY_MS = 60_000;
const REMOVE_EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
const RECORDS_KEPT_MS = 90 * DAY_MS;
/** Below this people are told while there is time, and what may be removed is removed at once. */
const NEARLY_FULL_BYTES = 64 * 1_048_576;
/** Below this a minor record may take the place that the next alarm needs. */
const FULL_BYTES = 16 * 1_048_576;
/** Copies are made daily where they are made; so many missing ones are told. */
const BACKUP_OVERDUE_MS = 3 * DAY_MS;
/** Batches of one round. */
const BATCHES_MAX = 10;

/** Looks after the disk while the daemon runs: its free space, the age of the records, the age of the copies. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #cancel: CancelTimer | undefined;
  #removedAtMs: number | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#look();
  }

  stop(): void {
    this.#cancel?.();
  }

  #look(): void {
    const { clock, log, conditions } = this.#options;
    this.#cancel = clock.after(LOOK_EVERY_MS, () => this.#look());
    try {
      const isTight = this.#lookAtDisk();
      this.#options.lookForReport();
      this.#lookAtBackups();
      const nowMs = clock.monotonicMs();
      if (isTight || nowMs - (this.#removedAtMs ?? -REMOVE_EVERY_MS) >= REMOVE_EVERY_MS) {
        this.#removedAtMs = nowMs;
        this.#removeOld();
      }
    } catch (error) {
      // A disk in trouble; the parts that need it say so themselves, and the next look is a minute away.
      log.warn("housekeeping-failed", { error });
      if (messageOf(error).includes("ENOSPC")) conditions.raise("disk-full", messageOf(error));
    }
  }

  /** @returns whether space is short */
  #lookAtDisk(): boolean {
    const { freeBytes, ballast, conditions, log, dataDir } = this.#options;
    const free = freeBytes();
    const left = { freeMb: Math.floor(free / 1_048_576), folder: dataDir };
    if (free < FULL_BYTES) conditions.raise("disk-full", left);
    else conditions.clear("disk-full");
    if (free < NEARLY_FULL_BYTES) conditions.raise("disk-nearly-full", left);
    else conditions.clear("disk-nearly-full");
    if (free >= NEARLY_FULL_BYTES + BALLAST_BYTES)
      ballast.fill().catch((error: unknown) => log.warn("ballast-not-written", { error }));
    return free < NEARLY_FULL_BYTES;
  }

  /** A folder without any copy is one where nobody makes them; one whose copies have stopped is told. */
  #lookAtBackups(): void {
    const { dataDir, clock, conditions } = this.#options;
    const [newest] = backupsIn(dataDir);
    if (newest && clock.wallMs() - newest.atMs > BACKUP_OVERDUE_MS)
      conditions.raise("backup-failed", { newest: new Date(newest.atMs).toISOString() });
    else conditions.clear("backup-failed");
  }

  #removeOld(): void {
    const { main, journal, clock, log } = this.#options;
    // A clock that was set years ahead must not age everything at once: age counts back from the newest record.
    const nowMs = Math.min(clock.wallMs(), newestChangeMs(main) ?? 0);
    const removed = {
      records: inBatches(() => removeOldRecords(main, nowMs - RECORDS_KEPT_MS)),
      events: inBatches(() => removeOldEvents(main)),
      trips: inBatches(() => removeOldTrips(journal, nowMs - TRIPS_KEPT_MS)),
    };
    if (removed.records + removed.events + removed.trips === 0) return;
    shrink(main);
    shrink(journal);
    log.info("old-records-removed", removed);
  }
}

function inBatches(remove: () => number): number {
  let total = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const removed = remove();
    total += removed;
    if (removed === 0) break;
  }
  return total;
}
