import { isoTime, type CancelTimer, type Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { backupsIn, bestFirst, requestedIntegrityCheck } from "./backups.ts";
import { quarantineBytes } from "./database-files.ts";
import { FULL_BYTES, NEARLY_FULL_BYTES, type ReserveFile } from "./reserve-file.ts";

interface HousekeepingOptions {
  readonly dataDir: string;
  readonly reserveFile: ReserveFile;
  /** Free bytes of the data directory's file system. */
  readonly freeBytes: () => number;
  /** Whether the machine makes a backup every day. */
  readonly isBackedUpDaily: boolean;
  /** Checks whether the recovery report was removed. */
  readonly checkReport: () => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called with damage of a database that any thread or a backup has met since the start; optional. */
  readonly onDamage?: ((problem: string) => void) | undefined;
}

const CHECK_INTERVAL_MS = 60_000;
/** A disk can fill within seconds, and users should see it in time. */
const DISK_CHECK_INTERVAL_MS = 5_000;
const DAY_MS = 86_400_000;
/** Scheduled backups are daily; three missing ones are reported. */
const BACKUP_OVERDUE_MS = 3 * DAY_MS;
/** Monitors the disk: its free space, damage of the databases, the recovery report, and the age of the backups. */
export class Housekeeping {
  readonly #options: HousekeepingOptions;
  /** The timers by their interval. */
  readonly #cancels = new Map<number, CancelTimer>();
  /** Monotonic time of the start. */
  readonly #startedMs: number;
  /** What the start itself has left to the next one. */
  #leftByStart: string | undefined;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
  }

  start(): void {
    const { dataDir, checkReport } = this.#options;
    this.#attempt(() => (this.#leftByStart = requestedIntegrityCheck(dataDir)));
    this.#repeat(DISK_CHECK_INTERVAL_MS, () => {
      this.#checkDisk();
      this.#checkDamage();
    });
    this.#repeat(CHECK_INTERVAL_MS, () => {
      checkReport();
      this.#checkBackups();
    });
  }

  stop(): void {
    for (const cancel of this.#cancels.values()) cancel();
  }

  #repeat(intervalMs: number, check: () => void): void {
    const again = (): void => this.#repeat(intervalMs, check);
    this.#cancels.set(intervalMs, this.#options.clock.after(intervalMs, again));
    this.#attempt(check);
  }

  #checkDisk(): void {
    const { freeBytes, reserveFile, conditions, log, dataDir } = this.#options;
    const free = freeBytes();
    const left = { freeMb: Math.floor(free / 1_048_576), folder: dataDir };
    if (free < FULL_BYTES) conditions.raise("disk-full", left);
    else conditions.clear("disk-full");
    if (free < NEARLY_FULL_BYTES) {
      const quarantineMb = Math.ceil(quarantineBytes(dataDir) / 1_048_576);
      conditions.raise("disk-nearly-full", { ...left, quarantineMb });
    } else conditions.clear("disk-nearly-full");
    reserveFile.fill(free).catch((error: unknown) => log.warn("reserve-file-write-failed", { error }));
  }

  /**
   * Damage that any thread or a backup has met; only the next start can recover it. What the start itself has left is shown:
   * another start at once would leave it again.
   */
  #checkDamage(): void {
    const { dataDir, conditions, onDamage } = this.#options;
    const problem = requestedIntegrityCheck(dataDir);
    if (problem === undefined) return;
    conditions.raise("database-damaged", { problem });
    if (problem !== this.#leftByStart) onDamage?.(problem);
  }

  /**
   * Raises a condition if backups have stopped, or if there is none although the machine should have made some. That time is
   * counted from the start of the daemon: the clock may have been wrong when the machine was installed.
   */
  #checkBackups(): void {
    const { dataDir, isBackedUpDaily, clock, conditions } = this.#options;
    const nowMs = clock.wallMs();
    const [newest] = bestFirst(backupsIn(dataDir), nowMs);
    const noneForMs = isBackedUpDaily ? clock.monotonicMs() - this.#startedMs : 0;
    const ageMs = newest ? nowMs - newest.atMs : noneForMs;
    if (ageMs > BACKUP_OVERDUE_MS) conditions.raise("backup-overdue", { since: isoTime(nowMs - ageMs) });
    else conditions.clear("backup-overdue");
  }

  /** Logs an error of the disk; the components concerned report it, and the next check is a minute away. */
  #attempt(check: () => void): void {
    const { log, conditions } = this.#options;
    try {
      check();
    } catch (error) {
      log.warn("housekeeping-failed", { error });
      if (messageOf(error).includes("ENOSPC")) conditions.raise("disk-full", messageOf(error));
    }
  }
}
