import type { Clock } from "../../domain/clock.ts";

/** Messages a second of one account in the long run; a panel sends a few an hour. */
const PER_SECOND = 10;
/** Messages at once: a panel sends its memory of a few hundred events after a link failure. */
const BURST_MAX = 300;

/** Limits the messages of each account. */
export class MessageRate {
  readonly #clock: Clock;
  readonly #left = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a message. @param account of the configuration. @returns whether it is within the limit */
  admits(account: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const { count, atMs } = this.#left.get(account) ?? { count: BURST_MAX, atMs: nowMs };
    const left = Math.min(BURST_MAX, count + ((nowMs - atMs) / 1000) * PER_SECOND);
    this.#left.set(account, { count: Math.max(0, left - 1), atMs: nowMs });
    return left >= 1;
  }
}
