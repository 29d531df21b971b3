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

/** Lines without hardware: for a first run, the demo and tests above the port. */
export class SimulatedLines implements GpioPort {
  readonly #levels: Map<number, 0 | 1>;
  /** The lines of further chips, by name. */
  readonly #chips = new Map<string, SimulatedLines>();
  readonly #listeners = new Map<number, Set<OnActivity>>();

  /** @param levels initial levels; other lines read 0 */
  constructor(levels: Iterable<readonly [line: number, level: 0 | 1]> = []) {
    this.#levels = new Map(levels);
  }

  /** The lines of a chip by its name in `gpio.chips`; these lines for undefined. */
  chip(name: string | undefined): SimulatedLines {
    if (name === undefined) return this;
    const lines = this.#chips.get(name) ?? new SimulatedLines();
    this.#chips.set(name, lines);
    return lines;
  }

  open(line: number, _bias: Bias, onActivity: OnActivity): GpioLine {
    const listeners = this.#listeners.get(line) ?? new Set();
    this.#listeners.set(line, listeners.add(onActivity));
    return {
      read: () => this.#levels.get(line) ?? 0,
      check: () => {},
      setEdgeDetection: () => {},
      close: () => listeners.delete(onActivity),
    };
  }

  /** Sets the initial levels of lines that have none. */
  know(levels: Iterable<readonly [line: number, level: 0 | 1]>): void {
    for (const [line, level] of levels) if (!this.#levels.has(line)) this.#levels.set(line, level);
  }

  close(): void {
    this.#listeners.clear();
  }

  /** Sets a level and reports an edge if it has changed. */
  set(line: number, level: 0 | 1): void {
    if ((this.#levels.get(line) ?? 0) === level) return;
    this.#levels.set(line, level);
    for (const listener of this.#listeners.get(line) ?? []) listener();
  }
}
