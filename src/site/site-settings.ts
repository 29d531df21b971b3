import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { ReloadView } from "../http/site/reload-view.ts";
import type { RestorePort } from "../http/site/restore-port.ts";
import type { OptionView, SettingsPort } from "../http/site/settings-port.ts";
import { BackupDownload } from "../ops/backup-download.ts";
import type { BackupTasks } from "../ops/backup-tasks.ts";
import { UploadedBackup } from "../ops/uploaded-backup.ts";
import { removeStaging, restore, type RestorePlan } from "../ops/restore.ts";
import type { JsonLog } from "../ops/log.ts";
import { isoTime } from "./iso-time.ts";

export interface SiteSettingsParts {
  readonly config: Pick<Config, "dataDir">;
  readonly clock: Clock;
  /** Where whole database files are worked on. */
  readonly copyWork: BackupTasks;
  readonly log: Pick<JsonLog, "enableDebug" | "restoreLevel">;
  /** Every option in force, and where it was said. */
  readonly effectiveOptions: () => readonly OptionView[];
  /** Goes on with the configuration as it is now. */
  readonly reload: (by: Actor) => Promise<ReloadView>;
  /** Ends this run in order, does something while no file is open, and runs again. */
  readonly restart: (meanwhile: () => void) => void;
}

/** What administrators see and do about the installation itself. */
export class SiteSettings implements SettingsPort, RestorePort {
  readonly #parts: SiteSettingsParts;
  readonly #copy: BackupDownload;
  readonly #handedIn: UploadedBackup;
  /** Between the order and the end of this run. */
  #isEnding = false;
  #isPuttingBack = false;

  constructor(parts: SiteSettingsParts) {
    this.#parts = parts;
    this.#copy = new BackupDownload(parts.config.dataDir, parts.copyWork);
    this.#handedIn = new UploadedBackup({ ...parts.config, clock: parts.clock, work: parts.copyWork });
  }

  configuration(): readonly OptionView[] {
    return this.#parts.effectiveOptions();
  }

  withTemporaryBackup(take: (path: string) => Promise<void>): Promise<void> {
    return this.#copy.lend(take);
  }

  enableDebugLog(minutes: number): string {
    const { clock, log } = this.#parts;
    const forMs = minutes * 60_000;
    log.enableDebug(forMs);
    return isoTime(clock.wallMs() + forMs);
  }

  async reload(by: Actor): Promise<ReloadView> {
    this.#assertRunning();
    return this.#parts.reload(by);
  }

  restart(): void {
    this.#isEnding = true;
    this.#parts.restart(() => {});
  }

  add(from: number, piece: Uint8Array): { copy: number; bytes: number } {
    this.#assertRunning();
    return this.#handedIn.add(from, piece);
  }

  plan(copy: number): Promise<RestorePlan> {
    return this.#handedIn.plan(copy);
  }

  async restore(copy: number, by: Actor): Promise<RestorePlan> {
    this.#assertRunning();
    const plan = await this.#handedIn.plan(copy);
    // Somebody else may have ordered the same meanwhile.
    this.#assertRunning();
    const { config, clock, restart } = this.#parts;
    const { path } = this.#handedIn;
    this.#isEnding = true;
    this.#isPuttingBack = true;
    this.#handedIn.retain();
    restart(() => {
      try {
        restore(config.dataDir, path, clock.wallMs(), by, plan);
      } finally {
        this.#handedIn.forget();
      }
    });
    return plan;
  }

  /** What is promised now nobody would do, and what is handed in would take the place of the copy to be put back. */
  #assertRunning(): void {
    if (this.#isEnding)
      throw new AppError("unavailable", "the daemon is about to run anew; try again in a moment", {
        retryAfterS: 5,
      });
  }

  /** Removes what a run that was cut off has left. */
  start(): void {
    removeStaging(this.#parts.config.dataDir);
    this.#handedIn.forget();
    this.#copy.forget();
  }

  /** Ends what was ordered for a while, and forgets a copy that was handed in and is not put back. */
  stop(): void {
    this.#parts.log.restoreLevel();
    if (!this.#isPuttingBack) this.#handedIn.forget();
  }
}
