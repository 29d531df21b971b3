/** A GPIO backend: real lines or simulated ones. */
export interface GpioPort {
  /**
   * Opens an input line.
   * @param line BCM number
   * @param onActivity called at any edge. It is evidence of activity, not of a level: read the level again.
   * @throws AppError `unavailable` with a sentence that names the line and the remedy
   */
  open(line: number, onActivity: () => void): GpioLine;
}

export interface GpioLine {
  /** The level now. @throws when the line is gone */
  read(): 0 | 1;
  close(): void;
}
