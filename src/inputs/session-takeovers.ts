import type { Clock } from "../domain/clock.ts";

/** So many within the window are no coincidence; two daemons under one name reach it in half a minute. */
const TAKEOVERS_MAX = 5;
const WINDOW_MS = 60_000;

/**
 * Counts how often a broker ends a connection that it had accepted, without a word and without a fault of the line: so
 * it does when another client comes under the same client id (MQTT 3.1.1, 3.1.4).
 */
export class SessionTakeovers {
  readonly #clock: Clock;
  #atMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns whether there have been so many by now that connecting again helps nobody */
  count(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#atMs = [...this.#atMs.filter((atMs) => nowMs - atMs < WINDOW_MS), nowMs];
    return this.#atMs.length >= TAKEOVERS_MAX;
  }

  /** The line itself has failed, or some time is to pass: what was counted says nothing any more. */
  forget(): void {
    this.#atMs = [];
  }
}
