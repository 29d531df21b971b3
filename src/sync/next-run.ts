import type { Clock } from "../domain/clock.ts";

/** The next moment of a schedule, planned anew by its owner when it has come and when the clock was set. */
export class NextRun {
  readonly #clock: Pick<Clock, "wallMs">;
  readonly #nextMs: () => number | undefined;
  #dueAtMs: number | undefined;

  /** @param nextMs the schedule's next moment after now, milliseconds since 1970; undefined when there is none */
  constructor(clock: Pick<Clock, "wallMs">, nextMs: () => number | undefined) {
    this.#clock = clock;
    this.#nextMs = nextMs;
  }

  /** Looks up the next moment from now on. */
  plan(): void {
    this.#dueAtMs = this.#nextMs();
  }

  /** Whether the planned moment has come. */
  isDue(): boolean {
    return this.#dueAtMs !== undefined && this.#clock.wallMs() >= this.#dueAtMs;
  }

  /** How long until the planned moment, milliseconds, never below 0; undefined when there is none. */
  waitMs(): number | undefined {
    return this.#dueAtMs === undefined ? undefined : Math.max(0, this.#dueAtMs - this.#clock.wallMs());
  }
}
