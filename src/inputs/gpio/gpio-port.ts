import type { ZoneInput } from "../../domain/zone.ts";

/** Pull resistor of a line. */
export type Bias = Extract<ZoneInput, { source: "gpio" }>["bias"];

/**
 * Called after an edge. It reports activity, not a level: read the level again.
 * @param atMs time of the edge on the monotonic clock, if the kernel recorded it
 */
export type OnActivity = (atMs?: number) => void;

/** A GPIO backend: real lines or simulated ones. */
export interface GpioPort {
  /**
   * Opens an input line.
   * @param line BCM number
   * @throws AppError `unavailable` with a message that names the line and the remedy
   */
  open(line: number, bias: Bias, onActivity: OnActivity): GpioLine | Promise<GpioLine>;
  /** Releases all lines. */
  close(): void;
}

export interface GpioLine {
  /** The level now. @throws when the line is no longer available */
  read(): 0 | 1;
  /** Checks that the line is still configured as opened. @throws AppError when another program has changed it */
  check(): void;
  /** True debounces in the kernel while there are too many edges; false reports every edge again. */
  setEdgeDetection(isDebounced: boolean): void;
  close(): void;
}
