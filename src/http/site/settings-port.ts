import type { Actor } from "../../domain/event.ts";
import type { ReloadView } from "./reload-view.ts";

/** What the settings show and hand over. */
export interface SettingsPort {
  /** Every option in force, without any secret. */
  configuration(): readonly OptionView[];
  /**
   * Makes a copy of the database, lends it to whoever takes it away, and removes it.
   * @throws AppError `conflict` while another one is lent, `cannot-create` or `storage` when none can be made
   */
  withTemporaryBackup(take: (path: string) => Promise<void>): Promise<void>;
  /**
   * Writes every detail into the log for a while, such as what each message said about its zone.
   * @returns until when, ISO 8601 UTC
   */
  enableDebugLog(minutes: number): string;
  /**
   * Reads the configuration again and goes on with it, without an end.
   * @returns what has changed, once it is in force
   * @throws AppError `configuration` with its mistakes, `unavailable` when it cannot be taken now; nothing has changed then
   */
  reload(by: Actor): Promise<ReloadView>;
  /** Ends this run of the daemon in order and runs it again, with the configuration as it is then. */
  restart(): void;
}

/** One option, such as `http.port`, and where it was said: `file:line:col`, an environment variable, or `default`. */
export interface OptionView {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}
