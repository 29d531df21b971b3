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
  /** How long the audit trail keeps its entries; 400 days by default. */
  readonly auditDays?: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Makes the identity of a new installation. */
  readonly newIdentity: () => string;
}

/** The data folder of a running daemon: held against a second one, its databases open, its disk kept an eye on. */
export class DataDirectory {
  readonly main: Database;
  readonly journal: Database;
  /** What has been opened, to be closed in the opposite order. */
  readonly #closes: (() => void)[] = [];

  /**
   * @throws AppError `busy` when another daemon uses the folder; `cannot-create` or `storage` when it cannot
   *   be used. Nothing is held then.
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
      housekeeping.start();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Notes an orderly stop, and lets another daemon in. */
  close(): void {
    for (let close = this.#closes.pop(); close; close = this.#closes.pop()) close();
  }
}
