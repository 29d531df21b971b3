import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { ReloadView } from "../http/site/reload-view.ts";
import type { RestorePort } from "../http/site/restore-port.ts";
import type { OptionView, SettingsPort } from "../http/site/settings-port.ts";
import { BackupDownload, UploadedBackup } from "../ops/backup-transfers.ts";
import type { BackupTasks } from "../ops/backup-worker.ts";
import { removeStaging, restore, type RestorePlan } from "../ops/restore.ts";
import type { JsonLog } from "../ops/log.ts";
import { isoTime } from "./iso-time.ts";

export interface SiteSettingsParts {
  readonly config: Pick<Config, "dataDir">;
  readonly clock: Clock;
  /** Runs operations on whole database files. */
  readonly backupWorker: BackupTasks;
  readonly log: Pick<JsonLog, "enableDebug" | "restoreLevel">;
  /** All options in force with their sources. */
  readonly effectiveOptions: () => readonly OptionView[];
  /** Applies the configuration file. */
  readonly reload: (by: Actor) => Promise<ReloadView>;
  /** Stops this run cleanly, calls `betweenRuns` while no file is open, and starts a new run. */
  readonly restart: (betweenRuns: () => void) => void;
}

/** Settings, backups and restarts for administrators. */
export class SiteSettings implements SettingsPort, RestorePort {
  readonly #parts: SiteSettingsParts;
  readonly #download: BackupDownload;
  readonly #upload: UploadedBackup;
  /** Whether a restart was requested. */
  #isEnding = false;
  #isRestoring = false;

  constructor(parts: SiteSettingsParts) {
    this.#parts = parts;
    this.#download = new BackupDownload(parts.config.dataDir, parts.backupWorker);
    this.#upload = new UploadedBackup({ ...parts.config, clock: parts.clock, work: parts.backupWorker });
  }

  configuration(): readonly OptionView[] {
    return this.#parts.effectiveOptions();
  }

  withTemporaryBackup(use: (path: string) => Promise<void>): Promise<void> {
    return this.#download.lend(use);
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
    return this.#upload.add(from, piece);
  }

  plan(copy: number): Promise<RestorePlan> {
    return this.#upload.plan(copy);
  }

  async restore(copy: number, by: Actor): Promise<RestorePlan> {
    this.#assertRunning();
    const plan = await this.#upload.plan(copy);
    // Another user may have requested a restart in the meantime.
    this.#assertRunning();
    const { config, clock, restart } = this.#parts;
    const { path } = this.#upload;
    this.#isEnding = true;
    this.#isRestoring = true;
    this.#upload.retain();
    restart(() => {
      try {
        restore(config.dataDir, path, clock.wallMs(), by, plan);
      } finally {
        this.#upload.forget();
      }
    });
    return plan;
  }

  /** Rejects requests during a restart: they would be lost, and an upload would replace the backup being restored. */
  #assertRunning(): void {
    if (this.#isEnding)
      throw new AppError("unavailable", "the daemon is restarting; try again shortly", {
        retryAfterS: 5,
      });
  }

  /** Removes files left over from an interrupted run. */
  start(): void {
    removeStaging(this.#parts.config.dataDir);
    this.#upload.forget();
    this.#download.forget();
  }

  /** Restores the log level and removes an upload that is not being restored. */
  stop(): void {
    this.#parts.log.restoreLevel();
    if (!this.#isRestoring) this.#upload.forget();
  }
}
