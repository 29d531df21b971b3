import type { CancelTimer, Clock } from "../../domain/clock.ts";

interface EdgeRateLimiterOptions {
  readonly clock: Clock;
  /** Edge detection is to be turned off. */
  readonly onStorm: () => void;
  /** The level is to be read while edge detection is off. */
  readonly onPoll: () => void;
  /** Edge detection is to be turned on again. */
  readonly onTrial: () => void;
  /** Edge detection has been on for a while without a storm. */
  readonly onOver: () => void;
}

/** More edges within a second are a storm: onoff on a Pi saturates Node.js at a few thousand, a contact bounces 20 times. */
export const STORM_EDGES = 100;
const STORM_WINDOW_MS = 1_000;
/** Ten polls a second still detect the chatter of a zone, which is eight changes a second. */
export const POLL_MS = 100;
/** The first wait before edge detection is tried again; doubled each time the storm continues. */
const FIRST_BACK_OFF_MS = 5_000;
const BACK_OFF_MS_MAX = 300_000;
/** Time without a storm after which the line counts as stable. */
const STORM_END_MS = 10_000;

/**
 * Keeps one unstable line from using all CPU time of the daemon. It counts edges and switches to polling when there
 * are too many. Its only side effects are timers.
 */
export class EdgeRateLimiter {
  readonly #options: EdgeRateLimiterOptions;
  #edges = 0;
  #sinceMs = 0;
  #isOpen = false;
  #backOffMs = FIRST_BACK_OFF_MS;
  #cancel: CancelTimer = () => {};

  constructor(options: EdgeRateLimiterOptions) {
    this.#options = options;
  }

  /** Whether edges are ignored at the moment. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Counts an edge. @returns false when it is part of a storm and is to be ignored */
  edge(): boolean {
    if (this.#isOpen) return false;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#sinceMs >= STORM_WINDOW_MS) {
      this.#sinceMs = nowMs;
      this.#edges = 0;
    }
    this.#edges += 1;
    if (this.#edges <= STORM_EDGES) return true;
    this.#startPolling(nowMs);
    return false;
  }

  stop(): void {
    this.#cancel();
  }

  #startPolling(nowMs: number): void {
    this.#cancel();
    this.#isOpen = true;
    const trialAtMs = nowMs + this.#backOffMs;
    this.#backOffMs = Math.min(2 * this.#backOffMs, BACK_OFF_MS_MAX);
    this.#pollUntil(trialAtMs);
    this.#options.onStorm();
  }

  #pollUntil(trialAtMs: number): void {
    const { clock, onPoll } = this.#options;
    this.#cancel = clock.after(POLL_MS, () => {
      if (clock.monotonicMs() >= trialAtMs) return this.#tryEdgeDetection();
      this.#pollUntil(trialAtMs);
      onPoll();
    });
  }

  #tryEdgeDetection(): void {
    const { clock, onTrial, onOver } = this.#options;
    this.#isOpen = false;
    this.#edges = 0;
    this.#sinceMs = clock.monotonicMs();
    this.#cancel = clock.after(STORM_END_MS, () => {
      this.#backOffMs = FIRST_BACK_OFF_MS;
      onOver();
    });
    onTrial();
  }
}
