import type { Actor } from "../../domain/event.ts";
import type { ReloadView } from "./reload-view.ts";

/** Settings, backups and restarts for administrators. */
export interface SettingsPort {
  /** All options in force, without secrets. */
  configuration(): readonly OptionView[];
  /**
   * Creates a temporary backup, passes its path to the callback, and removes it afterwards.
   * @throws AppError `conflict` while another one is in use, `cannot-create` or `storage` if it cannot be created
   */
  withTemporaryBackup(use: (path: string) => Promise<void>): Promise<void>;
  /**
   * Enables debug log lines for a limited time.
   * @returns the end, ISO 8601 UTC
   */
  enableDebugLog(minutes: number): string;
  /**
   * Applies the configuration file without a restart.
   * @returns the changes, once they are in force
   * @throws AppError `configuration` with the errors, `unavailable` if it cannot be applied now; nothing changes then
   */
  reload(by: Actor): Promise<ReloadView>;
  /** Restarts the daemon with the current configuration file. */
  restart(): void;
}

/** One option, such as `http.port`, with its source: `file:line:col`, an environment variable, or `default`. */
export interface OptionView {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}
