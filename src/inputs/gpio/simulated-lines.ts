import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";

/** Lines without hardware: for a first run, the demo and tests above the port. */
export class SimulatedLines implements GpioPort {
  readonly #levels: Map<number, 0 | 1>;
  readonly #listeners = new Map<number, Set<OnActivity>>();

  /** @param levels initial levels; other lines read 0 */
  constructor(levels: Iterable<readonly [line: number, level: 0 | 1]> = []) {
    this.#levels = new Map(levels);
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
