import { existsSync } from "node:fs";
import { join } from "node:path";
import { SYSTEM_FILE } from "../config/data-directories.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { checkMachine } from "./machine-identity.ts";
import { ReserveFile, freeBytes } from "./reserve-file.ts";
import { Databases, type DatabasesOptions } from "./databases.ts";
import { Housekeeping } from "./housekeeping.ts";
import { journalRetention, RetentionSchedule } from "./retention-schedule.ts";
import { prepareDataDir } from "./secrets.ts";
import { returnedRelease } from "./returned-release.ts";
import { volatileStorage } from "./volatile-storage.ts";

/** Exists while the daily backup of the package's site is enabled. */
const BACKUP_TIMER = "/etc/systemd/system/timers.target.wants/santinela-backup.timer";

interface DataDirectoryOptions extends Omit<DatabasesOptions, "reserveFile"> {
  /** File of the configuration; null for the embedded one of a first run. */
  readonly configurationFile: string | null;
  /** Identifies the boot of the machine. */
  readonly bootId: string;
  /** Called with damage of a database that any thread or a backup has met since the start; optional. */
  readonly onDamage?: (problem: string) => void;
}

/** The data directory of a running daemon: locked against a second one, with open databases and a monitored disk. */
export class DataDirectory {
  readonly databases: Databases;
  /** Functions that close what was opened, in reverse order. */
  readonly #closes: (() => void)[] = [];

  /**
   * @throws AppError `busy` if another daemon uses the directory; `cannot-create` or `storage` if it cannot be
   * used. Nothing stays locked then.
   */
  constructor(options: DataDirectoryOptions) {
    const { dataDir } = options;
    prepareDataDir(dataDir);
    this.#closes.push(takeInstanceLock(join(dataDir, "lock.db")));
    try {
      checkPlace(options);
      const reserveFile = new ReserveFile(dataDir);
      const databases = new Databases({ ...options, reserveFile });
      this.databases = databases;
      this.#closes.push(() => databases.close());
      const free = (): number => freeBytes(dataDir);
      const checkReport = (): void => {
        databases.checkRecoveryReport();
        databases.noteNumbers();
      };
      const isBackedUpDaily = options.configurationFile === SYSTEM_FILE && existsSync(BACKUP_TIMER);
      const of = { reserveFile, freeBytes: free, isBackedUpDaily, checkReport };
      const housekeeping = new Housekeeping({ ...options, ...of });
      this.#closes.push(() => housekeeping.stop());
      housekeeping.start();
      const { clock, bootId } = options;
      const removal = (wallMs: number, uptimeMs: number) => {
        const now = { wallMs, uptimeMs, monotonicMs: clock.monotonicMs(), bootId };
        return journalRetention(databases.journal, databases.main, now);
      };
      const retention = new RetentionSchedule({ ...options, freeBytes: free, removal });
      this.#closes.push(() => retention.stop());
      retention.start();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Stores the clean shutdown marker, and releases the lock. */
  close(): void {
    for (let close = this.#closes.pop(); close; close = this.#closes.pop()) close();
  }
}

/** Raises the conditions of the machine and of the file system. */
function checkPlace({ dataDir, configurationFile, conditions, log }: DataDirectoryOptions): void {
  const volatile = volatileStorage(dataDir, configurationFile);
  if (volatile) conditions.raise(...volatile);
  const version = returnedRelease();
  if (version !== undefined) conditions.raise("release-returned", { version });
  try {
    if (checkMachine(dataDir)) conditions.raise("machine-unknown", {});
  } catch (error) {
    // The disk is full; the next start compares again. Monitoring must not wait for it.
    log.warn("machine-check-failed", { error });
  }
}
