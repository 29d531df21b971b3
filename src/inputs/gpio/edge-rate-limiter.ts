import type { CancelTimer, Clock } from "../../domain/clock.ts";

export interface StormBreakerOptions {
  readonly clock: Clock;
  /** The line is to be told of no more. */
  readonly onStorm: () => void;
  /** The line's level is to be looked at, while nobody tells of its edges. */
  readonly onPoll: () => void;
  /** The line is to be listened to again. */
  readonly onTrial: () => void;
  /** It has been listened to for a while without a storm. */
  readonly onOver: () => void;
}

/** More edges within a second are a storm: onoff on a Pi saturates Node at a few thousand, a contact bounces 20 times. */
export const STORM_EDGES = 100;
const STORM_WINDOW_MS = 1_000;
/** Ten looks a second keep a zone's chatter, which is eight changes a second, what it is. */
export const POLL_MS = 100;
/** The first wait before the line is listened to again; doubled each time that the storm is still there. */
export const FIRST_BACK_OFF_MS = 5_000;
const BACK_OFF_MS_MAX = 300_000;
/** A line that is listened to for so long without a storm has calmed down. */
export const STORM_END_MS = 10_000;

/**
 * Keeps one line that oscillates from taking the whole daemon: counts its edges, and when there are too many has it
 * looked at now and then instead. Pure but for the clock's timers.
 */
export class EdgeRateLimiter {
  readonly #options: StormBreakerOptions;
  #edges = 0;
  #sinceMs = 0;
  #isOpen = false;
  #backOffMs = FIRST_BACK_OFF_MS;
  #cancel: CancelTimer = () => {};

  constructor(options: StormBreakerOptions) {
    this.#options = options;
  }

  /** Whether the line is left alone at the moment. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Counts an edge. @returns false when it is one of a storm and is to be left alone */
  edge(): boolean {
    if (this.#isOpen) return false;
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#sinceMs >= STORM_WINDOW_MS) {
      this.#sinceMs = nowMs;
      this.#edges = 0;
    }
    this.#edges += 1;
    if (this.#edges <= STORM_EDGES) return true;
    this.#break(nowMs);
    return false;
  }

  stop(): void {
    this.#cancel();
  }

  #break(nowMs: number): void {
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
      if (clock.monotonicMs() >= trialAtMs) return this.#try();
      this.#pollUntil(trialAtMs);
      onPoll();
    });
  }

  #try(): void {
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
