import type { CancelTimer, Clock } from "../domain/clock.ts";

/** One timer for many deadlines: calls back at the earliest. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #onDeadline: () => void;
  #cancel: CancelTimer = () => {};

  constructor(clock: Clock, onDeadline: () => void) {
    this.#clock = clock;
    this.#onDeadline = onDeadline;
  }

  /** Replaces the earlier deadlines. @param deadlines by the monotonic clock, in milliseconds; none stops the timer */
  arm(deadlines: readonly number[]): void {
    this.#cancel();
    if (deadlines.length === 0) return;
    const delayMs = Math.ceil(Math.min(...deadlines) - this.#clock.monotonicMs());
    this.#cancel = this.#clock.after(delayMs, this.#onDeadline);
  }

  stop(): void {
    this.#cancel();
  }
}
