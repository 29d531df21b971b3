import type { Clock } from "../domain/clock.ts";

/** The next time of a schedule. Its owner plans again when the time has come or the clock was set. */
export class NextRun {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #nextMs: () => number | undefined;
  #dueAtMs: number | undefined;

  /** @param nextMs returns the next time of the schedule, milliseconds since 1970; undefined if there is none */
  constructor(clock: Pick<Clock, "wallMs">, nextMs: () => number | undefined) {
    this.#clock = clock;
    this.#nextMs = nextMs;
  }

  /** Determines the next time. */
  plan(): void {
    this.#dueAtMs = this.#nextMs();
  }

  /** Whether the planned time has come. */
  isDue(): boolean {
    return this.#dueAtMs !== undefined && this.#clock.wallMs() >= this.#dueAtMs;
  }

  /** Milliseconds until the planned time, never below 0; undefined if there is none. */
  waitMs(): number | undefined {
    return this.#dueAtMs === undefined ? undefined : Math.max(0, this.#dueAtMs - this.#clock.wallMs());
  }
}
