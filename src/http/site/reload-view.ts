/** What has become of a new configuration. */
export interface ReloadView {
  /** Zones by their ids. One whose sensor is another one now is seen for the first time; the others go on as they were. */
  readonly zones: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Other options that have changed, and are in force. */
  readonly applied: readonly string[];
  /** Options that are not as the file says before the daemon is restarted. */
  readonly needsRestart: readonly string[];
  /** What is allowed but probably not meant, as full sentences. */
  readonly warnings: readonly string[];
}
