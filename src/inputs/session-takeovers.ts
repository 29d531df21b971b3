import type { Clock } from "../domain/clock.ts";

/** Maximum in the window; two daemons with one client id reach it in half a minute. */
const TAKEOVERS_MAX = 5;
const WINDOW_MS = 60_000;

/**
 * Counts connections that the broker had accepted and closed without an error. A broker does so when another client
 * connects with the same client id (MQTT 3.1.1, 3.1.4).
 */
export class SessionTakeovers {
  readonly #clock: Clock;
  #atMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one. @returns whether the limit is reached, so that reconnecting is useless */
  count(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#atMs = [...this.#atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    return this.#atMs.length >= TAKEOVERS_MAX;
  }

  /** Resets the count, after a connection error or a pause. */
  reset(): void {
    this.#atMs = [];
  }
}
