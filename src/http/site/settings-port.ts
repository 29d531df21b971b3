/** What the settings show and hand over. */
export interface SettingsPort {
  /** Every option in force, without any secret. */
  readonly configuration: () => readonly OptionView[];
  /**
   * Makes a copy of the database, lends it to whoever takes it away, and removes it.
   * @throws AppError `conflict` while another one is lent, `cannot-create` or `storage` when none can be made
   */
  readonly lendCopy: (take: (path: string) => Promise<void>) => Promise<void>;
}

/** One option, such as `http.port`, and where it was said: `file:line:col`, an environment variable, or `default`. */
export interface OptionView {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}
