import { join } from "node:path";
import type { Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import { takeInstanceLock } from "../store/instance-lock.ts";
import { ReserveFile, freeBytes } from "./reserve-file.ts";
import { Databases } from "./databases.ts";
import { Housekeeping } from "./housekeeping.ts";
import { prepareDataDir } from "./secrets.ts";

export interface DataDirectoryOptions {
  readonly dataDir: string;
  /** Retention of the audit trail in days; default 400. */
  readonly auditDays?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Creates the id of a new installation. */
  readonly newIdentity: () => string;
}

/** The data directory of a running daemon: locked against a second one, with open databases and a monitored disk. */
export class DataDirectory {
  readonly main: Database;
  readonly journal: Database;
  /** Whether so little space is free that it is kept for alarms. */
  readonly isDiskFull: () => boolean;
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
      const reserveFile = new ReserveFile(dataDir);
      const databases = new Databases({ ...options, reserveFile });
      this.#closes.push(() => databases.close());
      this.main = databases.main;
      this.journal = databases.journal;
      const housekeeping = new Housekeeping({
        ...options,
        main: this.main,
        journal: this.journal,
        reserveFile,
        freeBytes: () => freeBytes(dataDir),
        checkReport: () => {
          databases.checkRecoveryReport();
          databases.noteNumbers();
        },
      });
      this.#closes.push(() => housekeeping.stop());
      this.isDiskFull = () => housekeeping.isDiskFull;
      housekeeping.start();
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
