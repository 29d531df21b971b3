import type { Clock } from "../domain/clock.ts";

const WINDOW_MS = 10_000;
/** Requests rejected within a window for each second of the pause: ten thousand sites return at a rate that two processes can take. */
const REJECTED_PER_SECOND = 200;
const PAUSE_S_MAX = 30;

/**
 * How long clients are asked to wait whose requests get 503, as while the database of a dispatch centre fails over: a few sites shortly,
 * thousands so long that they do not all return in the same seconds.
 */
export class RetryPause {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** The number of the window, what was rejected in it, and in the one before. */
  #window = 0;
  #rejected = 0;
  #before = 0;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /**
   * Counts a rejected request.
   * @param leastS what the reason of the rejection asks for, seconds
   * @returns seconds for `Retry-After`
   */
  next(leastS: number): number {
    const windows = this.#clock.monotonicMs() / WINDOW_MS;
    const window = Math.floor(windows);
    if (window !== this.#window) {
      this.#before = window === this.#window + 1 ? this.#rejected : 0;
      this.#window = window;
      this.#rejected = 0;
    }
    this.#rejected += 1;
    const recent = this.#rejected + this.#before * (1 - (windows - window));
    return Math.max(leastS, Math.min(PAUSE_S_MAX, Math.ceil(recent / REJECTED_PER_SECOND)));
  }
}
