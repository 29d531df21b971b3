import type { Bias, GpioLine, GpioPort, OnActivity } from "./gpio-port.ts";

/** Lines without hardware: for a first run, for the demo, and for tests of everything above the port. */
export class SimulatedLines implements GpioPort {
  readonly #levels: Map<number, 0 | 1>;
  readonly #listeners = new Map<number, Set<OnActivity>>();

  /** @param levels what each line reads at first; a line that is not named reads 0 */
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

  /** Sets the levels of lines that have none yet. */
  know(levels: Iterable<readonly [line: number, level: 0 | 1]>): void {
    for (const [line, level] of levels) if (!this.#levels.has(line)) this.#levels.set(line, level);
  }

  close(): void {
    this.#listeners.clear();
  }

  /** Sets a level, as the wire would; an unchanged one is no edge. */
  set(line: number, level: 0 | 1): void {
    if ((this.#levels.get(line) ?? 0) === level) return;
    this.#levels.set(line, level);
    for (const listener of this.#listeners.get(line) ?? []) listener();
  }
}
