import type { Request, Response, Router } from "express";
import type { Config } from "../config/config.ts";
import { isoTime, type Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor, NewEvent } from "../domain/event.ts";
import type { Remote } from "../domain/remote.ts";
import { requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { readBody } from "../http/body.ts";
import { disableIdleTimeout, restoreIdleTimeout } from "../http/idle-timeouts.ts";
import { addResource, json, slowJson } from "../http/resource.ts";
import { TemporaryBackups, UploadedBackup } from "../ops/backup-transfers.ts";
import type { BackupTasks } from "../ops/backup-worker.ts";
import { assertUndecided } from "../ops/machine-identity.ts";
import { assertOwnSite, type RestorePlan } from "../ops/restore.ts";
import type { EventNotes } from "../service/event-notes.ts";
import type { OptionView, ReloadView, RestoreView, UploadView } from "./administration-view.ts";
import type { ConfigurationRequest, ConfigurationResult } from "./configuration-view.ts";
import { minutesOf, requestObject } from "./request-parameters.ts";
import type { SiteApi } from "./site-api.ts";

const LOG_MINUTES = 30;
/** Debug lines of a busy site take megabytes an hour and wear the SD card. */
const LOG_MINUTES_MAX = 120;

/** Routes of the settings, for administrators. */
export function settingsRoutes(
  router: Router,
  { administrator: guard }: AuthGuards,
  { settings, site, events }: { settings: SiteSettings; site: SiteApi; events: EventNotes },
): void {
  const note = (request: Request, event: Omit<NewEvent, "who" | "from">): void =>
    events.note({ ...event, ...requestActor(request) });
  addResource(router, "/site/configuration", guard, { get: json(() => settings.configuration()) });
  const backup = (request: Request, response: Response): Promise<void> => {
    disableIdleTimeout(response);
    return settings.withTemporaryBackup(async (path, signal) => {
      note(request, { event: "backup-downloaded", subject: "database", detail: {} });
      restoreIdleTimeout(response);
      signal.addEventListener("abort", () => response.destroy(), { once: true });
      await sent(response, path, `${(await site.status()).site.ref}.db`);
    });
  };
  addResource(router, "/site/backup", guard, { get: backup });
  const enableDebugLog = async (request: Request): Promise<{ until: string }> => {
    const minutes = minutesOf(requestObject(request)) ?? LOG_MINUTES;
    if (!Number.isInteger(minutes) || minutes < 1 || minutes > LOG_MINUTES_MAX)
      throw new AppError("invalid", `minutes must be a whole number from 1 to ${LOG_MINUTES_MAX}`);
    const until = await settings.enableDebugLog(minutes);
    note(request, { event: "log-detailed", subject: "log", detail: { until } });
    return { until };
  };
  addResource(router, "/site/log-level", guard, { post: [readBody, json(enableDebugLog)] });
  addResource(router, "/site/reload", guard, {
    post: slowJson((request) => settings.reload(requestActor(request))),
  });
  const restart = async (request: Request): Promise<object> => {
    note(request, { event: "restart-ordered", subject: "daemon", detail: {} });
    await settings.restart();
    return {};
  };
  addResource(router, "/site/restart", guard, { post: json(restart, 202) });
}

/** Resolves when the file has been sent or the client has disconnected. */
function sent(response: Response, path: string, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The data directory may be inside a hidden directory.
    response.download(path, name, { dotfiles: "allow", cacheControl: false }, (error: unknown) => {
      // A client that ends the download before its first byte is no defect.
      const isCancelled = (error as NodeJS.ErrnoException | undefined)?.code === "ECONNABORTED";
      if (error !== undefined && !response.headersSent && !isCancelled) reject(error);
      else resolve();
    });
  });
}

/** What the sensing thread does for the settings. */
export interface DaemonControl {
  /** All options in force with their sources, without secrets. */
  configuration(): readonly OptionView[];
  /** Enables debug log lines for a limited time. */
  enableDebugLog(forMs: number): void;
  /** Applies the configuration file, as `SiteSettings.reload`. */
  reload(by: Actor): Promise<ReloadView>;
  /** Writes a checked configuration text and applies it on trial, as `DaemonConfiguration.apply`. */
  applyConfiguration(order: ConfigurationRequest): Promise<ConfigurationResult>;
  /** Stops this run cleanly and starts a new one. */
  restart(): void;
  /** Remembers this machine as the one of the site; the next run acts on it. */
  acceptMachine(): void;
  /** As `restart`; restores a backup in between. */
  restore(order: RestoreRequest): void;
}

/** A backup to restore, with the result of `planRestore`. The file is removed afterwards. */
export interface RestoreRequest {
  readonly path: string;
  readonly by: Actor;
  readonly plan: RestorePlan;
}

export interface SiteSettingsParts {
  readonly config: Pick<Config, "dataDir">;
  readonly clock: Clock;
  /** Runs operations on whole database files. */
  readonly backupWorker: BackupTasks;
  readonly control: Remote<DaemonControl>;
}

/** Settings, backups and restarts. */
export class SiteSettings {
  readonly #parts: SiteSettingsParts;
  readonly #download: TemporaryBackups;
  readonly #upload: UploadedBackup;
  /** Whether a restart was requested. */
  #isEnding = false;
  #isRestoring = false;

  constructor(parts: SiteSettingsParts) {
    this.#parts = parts;
    const transfer = { dataDir: parts.config.dataDir, clock: parts.clock, work: parts.backupWorker };
    this.#download = new TemporaryBackups(transfer);
    this.#upload = new UploadedBackup(transfer);
  }

  /** All options in force, without secrets. */
  configuration(): Promise<readonly OptionView[]> {
    return this.#parts.control.configuration();
  }

  /**
   * Creates a temporary backup, passes its path to the callback, and removes it afterwards.
   * @param use as `take` of `TemporaryBackups.withBackupPath`
   * @throws AppError `conflict` while another one is in use, `cannot-create` or `storage` if it cannot be created
   */
  withTemporaryBackup(use: (path: string, signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.#download.withBackupPath(use);
  }

  /** Enables debug log lines for a limited time. @returns the end, ISO 8601 UTC */
  async enableDebugLog(minutes: number): Promise<string> {
    await this.#parts.control.enableDebugLog(minutes * 60_000);
    return isoTime(this.#parts.clock.wallMs() + minutes * 60_000);
  }

  /**
   * Applies the configuration file without a restart.
   * @returns the changes, once they are in force
   * @throws AppError `configuration` with the errors, `unavailable` if it cannot be applied now; nothing changes then
   */
  async reload(by: Actor): Promise<ReloadView> {
    this.#assertRunning();
    return this.#parts.control.reload(by);
  }

  /** Restarts the daemon with the current configuration file. */
  async restart(): Promise<void> {
    this.#isEnding = true;
    await this.#parts.control.restart();
  }

  /**
   * Confirms this machine, and restarts.
   * @param note adds the event; called once the confirmation is on disk
   * @throws AppError `conflict` if it is known
   */
  async confirmMachine(note: () => Promise<void>): Promise<void> {
    assertUndecided(this.#parts.config.dataDir);
    this.#isEnding = true;
    try {
      await this.#parts.control.acceptMachine();
    } catch (error) {
      // The disk is full: the machine is as unknown as before, and the daemon does not restart.
      this.#isEnding = false;
      throw error;
    }
    try {
      await note();
    } finally {
      await this.#parts.control.restart();
    }
  }

  /**
   * Adds a piece of an upload; offset 0 starts a new upload.
   * @throws AppError `conflict` for a piece that does not follow the last one or for missing disk space, `too-large`
   */
  add(from: number, piece: Uint8Array): UploadView {
    this.#assertRunning();
    return this.#upload.add(from, piece);
  }

  /**
   * Returns what the restore would change.
   * @throws AppError `conflict` if the upload is incomplete or no longer exists, `bad-data` if it is not a valid backup
   */
  plan(copy: number): Promise<RestoreView> {
    return this.#upload.plan(copy);
  }

  /**
   * Restores the backup: the daemon stops, replaces the database and starts again.
   * @param isOtherMeant whether it may be of another site
   * @throws as `plan`; AppError `conflict` for the backup of another site
   */
  async restore(copy: number, by: Actor, isOtherMeant = false): Promise<RestoreView> {
    this.#assertRunning();
    const plan: RestorePlan = await this.#upload.plan(copy);
    assertOwnSite(
      plan,
      isOtherMeant,
      'Upload a backup of this site, or confirm the other one with "otherSite": true.',
    );
    // Another user may have requested a restart in the meantime.
    this.#assertRunning();
    this.#isEnding = true;
    this.#isRestoring = true;
    this.#upload.retain();
    try {
      await this.#parts.control.restore({ path: this.#upload.path, by, plan });
    } catch (error) {
      this.#isEnding = false;
      this.#isRestoring = false;
      this.#upload.release();
      throw error;
    }
    return plan;
  }

  /** Rejects requests during a restart: they would be lost, and an upload would replace the backup being restored. */
  #assertRunning(): void {
    if (this.#isEnding)
      throw new AppError("unavailable", "the daemon is restarting; try again shortly", { retryAfterS: 5 });
  }

  /** Removes files left over from an interrupted run. */
  start(): void {
    this.#upload.forget();
    this.#download.forget();
  }

  /** Removes an upload that is not being restored. */
  stop(): void {
    if (!this.#isRestoring) this.#upload.forget();
  }
}
