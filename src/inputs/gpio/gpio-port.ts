import type { ZoneInput } from "../../domain/zone.ts";

/** Pull resistor of a line. */
export type Bias = Extract<ZoneInput, { source: "gpio" }>["bias"];

/**
 * Told of an edge. It is evidence of activity, not of a level: read the level again.
 * @param atMs when it was, on the monotonic clock, where the kernel has noted it
 */
export type OnActivity = (atMs?: number) => void;

/** A GPIO backend: real lines or simulated ones. */
export interface GpioPort {
  /**
   * Opens an input line.
   * @param line BCM number
   * @throws AppError `unavailable` with a sentence that names the line and the remedy
   */
  open(line: number, bias: Bias, onActivity: OnActivity): GpioLine | Promise<GpioLine>;
  /** Lets go of everything. */
  close(): void;
}

export interface GpioLine {
  /** The level now. @throws when the line is gone */
  read(): 0 | 1;
  /** Looks whether it still is what it was opened as. @throws AppError when another program has changed that */
  check(): void;
  /** True: has the kernel tell of single edges no more, as long as there are too many of them. False: of all again. */
  setEdgeDetection(isCalmed: boolean): void;
  close(): void;
}
