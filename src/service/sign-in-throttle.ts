import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";

/** So many wrong attempts are free; the next one waits, and each further one twice as long as the last. */
const FREE_ATTEMPTS_OF_ACCOUNT = 5;
/** Several people and programs may share one network address, and one who forgets a password must not bar the others. */
const FREE_ATTEMPTS_OF_ADDRESS = 20;
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
   * @returns for how many seconds no further attempt gets through, unless this one succeeds
   * @throws AppError `too-many-requests` with the seconds to wait
   */
  attempt(email: string, address: string | undefined): number {
    const limits = limitsOf(email, address);
    const nowMs = this.#clock.monotonicMs();
    const untilMs = Math.max(0, ...limits.map(({ key }) => this.#counters.get(key)?.blockedUntilMs ?? 0));
    if (untilMs > nowMs) {
      const waitS = Math.ceil((untilMs - nowMs) / 1000);
      throw new AppError("too-many-requests", `too many wrong attempts; try again in ${waitS} seconds`, {
        retryAfterS: waitS,
      });
    }
    return Math.max(0, ...limits.map((limit) => this.#count(limit, nowMs))) / 1000;
  }

  /** Forgets the wrong attempts for that account and from that address. */
  succeeded(email: string, address: string | undefined): void {
    for (const { key } of limitsOf(email, address)) this.#counters.delete(key);
  }

  #count({ key, freeAttempts }: Limit, nowMs: number): number {
    const earlier = this.#counters.get(key);
    const isFresh = earlier !== undefined && nowMs - earlier.lastAtMs < FORGET_AFTER_MS;
    const failures = (isFresh ? earlier.failures : 0) + 1;
    const over = failures - freeAttempts;
    const delayMs = over < 0 ? 0 : Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(over, 10));
    // Taken out and put in again, the map is in the order of the last attempt, and the oldest goes first.
    this.#counters.delete(key);
    this.#counters.set(key, { failures, lastAtMs: nowMs, blockedUntilMs: nowMs + delayMs });
    const [oldest] = this.#counters.keys();
    if (this.#counters.size > COUNTERS_MAX && oldest !== undefined) this.#counters.delete(oldest);
    return delayMs;
  }
}

interface Limit {
  readonly key: string;
  readonly freeAttempts: number;
}

function limitsOf(email: string, address: string | undefined): Limit[] {
  if (address === undefined) return [];
  return [
    { key: `account ${email.toLowerCase()}`, freeAttempts: FREE_ATTEMPTS_OF_ACCOUNT },
    { key: `address ${address}`, freeAttempts: FREE_ATTEMPTS_OF_ADDRESS },
  ];
}
