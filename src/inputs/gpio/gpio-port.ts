import type { ZoneInput } from "../../domain/zone.ts";

/** Pull resistor of a line. */
export type Bias = Extract<ZoneInput, { source: "gpio" }>["bias"];

/** A GPIO backend: real lines or simulated ones. */
export interface GpioPort {
  /**
   * Opens an input line.
   * @param line BCM number
   * @param onActivity called at any edge. It is evidence of activity, not of a level: read the level again.
   * @throws AppError `unavailable` with a sentence that names the line and the remedy
   */
  open(line: number, bias: Bias, onActivity: () => void): GpioLine | Promise<GpioLine>;
  /** Lets go of everything. */
  close(): void;
}

export interface GpioLine {
  /** The level now. @throws when the line is gone */
  read(): 0 | 1;
  close(): void;
}
