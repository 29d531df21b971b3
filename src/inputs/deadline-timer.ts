import type { CancelTimer, Clock } from "../domain/clock.ts";

/** One timer for many moments: wakes somebody at the earliest of them. */
export class DeadlineTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #cancel: CancelTimer = () => {};

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /** Forgets the moments before. @param moments by the monotonic clock, in milliseconds; with none nobody is woken */
  arm(moments: readonly number[]): void {
    this.#cancel();
    if (moments.length === 0) return;
    const delayMs = Math.ceil(Math.min(...moments) - this.#clock.monotonicMs());
    this.#cancel = this.#clock.after(delayMs, this.#wake);
  }

  stop(): void {
    this.#cancel();
  }
}
