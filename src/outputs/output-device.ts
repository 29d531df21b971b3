/** What an output drives: a line or a topic. */
export interface OutputDevice {
  /**
   * Switches it.
   * @throws AppError `unavailable` with the reason and the remedy
   */
  set(isOn: boolean): Promise<void>;
  /** Releases it, switched off where that is still possible. */
  stop(): Promise<void>;
}
