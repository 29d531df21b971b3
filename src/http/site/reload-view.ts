/** Result of a reload. */
export interface ReloadView {
  /** Zone ids. A zone with a changed sensor starts without a reading; other zones keep their state. */
  readonly zones: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly string[];
  };
  /** Other changed options that are in force. */
  readonly applied: readonly string[];
  /** Changed options that need a restart. */
  readonly needsRestart: readonly string[];
  /** Valid settings that are probably unintended. */
  readonly warnings: readonly string[];
}
