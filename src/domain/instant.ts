import type { Clock } from "./clock.ts";

/** A smaller difference of the two clocks is no step: the text of a time does not change for it. */
const STEP_MS = 5_000;

/** A moment of this run, by both clocks. Its wall time is also right if the clock was set only later. */
export class Instant {
  readonly monotonicMs: number;
  readonly #clock: Clock;
  #wallMs: number;

  /** This moment. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.monotonicMs = clock.monotonicMs();
    this.#wallMs = clock.wallMs();
  }

  /** By the wall clock as it is set now, milliseconds since 1970. */
  get wallMs(): number {
    const wallMs = this.#clock.wallMs() - this.ageMs;
    if (Math.abs(wallMs - this.#wallMs) > STEP_MS) this.#wallMs = wallMs;
    return this.#wallMs;
  }

  get ageMs(): number {
    return this.#clock.monotonicMs() - this.monotonicMs;
  }
}
