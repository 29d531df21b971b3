import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";

/** So many wrong attempts are free; the next one waits, and each further one twice as long as the last. */
const FREE_ATTEMPTS = 5;
const FIRST_DELAY_MS = 30_000;
/** Never permanent: whoever locks an account out on purpose gets a quarter of an hour and no more. */
const DELAY_MS_MAX = 900_000;
/** After so long without an attempt the count starts anew. */
const FORGET_AFTER_MS = 3_600_000;
const COUNTERS_MAX = 10_000;

interface Counter {
  readonly failures: number;
  readonly lastAtMs: number;
  readonly blockedUntilMs: number;
}

/**
 * Slows guessing down, by account and by network address, for accounts that do not exist as well. Timed by the
 * monotonic clock: a clock that is set neither locks out nor lets in.
 */
export class SignInThrottle {
  readonly #clock: Clock;
  readonly #counters = new Map<string, Counter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Lets an attempt through and counts it as a failure until `succeeded` says otherwise, so that many at once are not
   * all the first one.
   * @param address the client's network address; undefined for the control socket, which is not counted
   * @throws AppError `too-many-requests` with the seconds to wait
   */
  attempt(email: string, address: string | undefined): void {
    const keys = keysOf(email, address);
    const nowMs = this.#clock.monotonicMs();
    const untilMs = Math.max(...keys.map((key) => this.#counters.get(key)?.blockedUntilMs ?? 0));
    if (untilMs > nowMs) {
      const waitS = Math.ceil((untilMs - nowMs) / 1000);
      throw new AppError("too-many-requests", `too many wrong attempts; try again in ${waitS} seconds`, {
        retryAfterS: waitS,
      });
    }
    for (const key of keys) this.#count(key, nowMs);
  }

  /** Forgets the wrong attempts for that account and from that address. */
  succeeded(email: string, address: string | undefined): void {
    for (const key of keysOf(email, address)) this.#counters.delete(key);
  }

  #count(key: string, nowMs: number): void {
    const earlier = this.#counters.get(key);
    const isFresh = earlier !== undefined && nowMs - earlier.lastAtMs < FORGET_AFTER_MS;
    const failures = (isFresh ? earlier.failures : 0) + 1;
    const over = failures - FREE_ATTEMPTS;
    const delayMs = over < 0 ? 0 : Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(over, 10));
    // Taken out and put in again, the map is in the order of the last attempt, and the oldest goes first.
    this.#counters.delete(key);
    this.#counters.set(key, { failures, lastAtMs: nowMs, blockedUntilMs: nowMs + delayMs });
    const [oldest] = this.#counters.keys();
    if (this.#counters.size > COUNTERS_MAX && oldest !== undefined) this.#counters.delete(oldest);
  }
}

function keysOf(email: string, address: string | undefined): string[] {
  return address === undefined ? [] : [`account ${email.toLowerCase()}`, `address ${address}`];
}
