import { networkOf } from "./client-network.ts";
import type { Clock } from "./clock.ts";
import { AppError } from "./errors.ts";

/** Wrong passwords without a delay; after that, the delay doubles with each further one. */
export const FREE_ATTEMPTS_PER_ACCOUNT = 5;
/** Several users and programs may share one network address, and one of them must not block the others. */
const FREE_ATTEMPTS_PER_ADDRESS = 20;
export const FIRST_DELAY_MS = 30_000;
/** Limited: deliberately wrong passwords lock an account for at most a quarter of an hour. */
export const DELAY_MS_MAX = 900_000;
/** Time without a wrong password after which the count is reset. */
export const RESET_AFTER_MS = 3_600_000;
const COUNTERS_MAX = 10_000;
/** Number of the oldest counters from which one is removed. */
const CANDIDATES = 50;

interface Counter {
  readonly failures: number;
  readonly lastAtMs: number;
  readonly blockedUntilMs: number;
}

/** An attempt to sign in. */
export interface SignInAttempt {
  readonly email: string;
  /** Network address; undefined for the control socket, which is not counted. */
  readonly address: string | undefined;
  /**
   * Whether the account has signed in from that address before. Then only attempts from there count for it; otherwise an
   * attacker who knows the e-mail address could lock its owner out permanently.
   */
  readonly isKnownAddress: boolean;
  /**
   * Whether the password was generated, with 100 random bits that cannot be guessed. Then only the address counts;
   * otherwise five wrong codes from anywhere would lock the owner out of a new installation.
   */
  readonly isRandomPassword: boolean;
  /**
   * Whether it is the account of a site, which has a long generated password. Attempts from elsewhere do not count against it:
   * a site with a new mobile address must be able to sign in, whatever strangers send.
   */
  readonly isSite?: boolean;
  /** Whether it has a valid token of that account: then attempts by others do not count against it. */
  readonly hasToken?: boolean;
}

/**
 * Rate limit for sign-ins by account and network address, for unknown accounts too. It uses the monotonic clock, so that
 * clock steps have no effect.
 */
export class SignInThrottle {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #counters = new Map<string, Counter>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** @throws AppError `too-many-requests` with the seconds to wait */
  assertOpen(attempt: SignInAttempt): void {
    const nowMs = this.#clock.monotonicMs();
    const untilMs = Object.values(limitsOf(attempt)).map(
      ({ key }) => this.#counters.get(key)?.blockedUntilMs ?? 0,
    );
    assertElapsed(Math.max(0, ...untilMs), nowMs);
  }

  /**
   * Counts a wrong password.
   * @returns seconds until the next attempt is allowed; 0 while attempts are free
   */
  failed(attempt: SignInAttempt): number {
    const nowMs = this.#clock.monotonicMs();
    const { account, address } = limitsOf(attempt);
    const ownMs = account ? this.#count(account, nowMs) : 0;
    // One account adds a limited number to its address: a program with an old password may retry for weeks.
    const isCounted =
      !account || (this.#counters.get(account.key)?.failures ?? 0) <= FREE_ATTEMPTS_PER_ACCOUNT;
    const addressMs = address && isCounted ? this.#count(address, nowMs) : 0;
    return Math.max(ownMs, addressMs) / 1000;
  }

  /** Resets the count of the account, and subtracts it from its address; other accounts stay counted there. */
  succeeded(attempt: SignInAttempt): void {
    const { account, address } = limitsOf(attempt);
    if (!account) return;
    const forgiven = Math.min(FREE_ATTEMPTS_PER_ACCOUNT, this.#counters.get(account.key)?.failures ?? 0);
    this.#counters.delete(account.key);
    const counter = address && this.#counters.get(address.key);
    if (counter) this.#set(address.key, { ...counter, failures: Math.max(0, counter.failures - forgiven) });
  }

  #count({ key, free }: Limit, nowMs: number): number {
    const earlier = this.#counters.get(key);
    const isFresh = earlier !== undefined && nowMs - earlier.lastAtMs < RESET_AFTER_MS;
    const failures = (isFresh ? earlier.failures : 0) + 1;
    const over = failures - free;
    const delayMs = over < 0 ? 0 : Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(over, 10));
    this.#set(key, { failures, lastAtMs: nowMs, blockedUntilMs: nowMs + delayMs });
    return delayMs;
  }

  /** Re-inserting keeps the map in the order of the last attempt. */
  #set(key: string, counter: Counter): void {
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size > COUNTERS_MAX) this.#counters.delete(this.#evictionCandidate());
  }

  /** Of the oldest, the one with the fewest failures: a flood of names must not evict an account under attack. */
  #evictionCandidate(): string {
    const oldest: [string, Counter][] = [];
    for (const entry of this.#counters) {
      oldest.push(entry);
      if (oldest.length === CANDIDATES) break;
    }
    return oldest.toSorted(([, a], [, b]) => a.failures - b.failures)[0]?.[0] ?? "";
  }
}

/** A counter of wrong passwords, and how many of them are free. */
export interface Limit {
  readonly key: string;
  readonly free: number;
}

/**
 * The limits of an attempt. An attempt with a token of the account has a limit of its own: other clients behind the same address
 * do not count against it. One from a known address is limited by the attempts for its account from there.
 */
export function limitsOf(attempt: SignInAttempt): Limits {
  const { email, address, isKnownAddress, isRandomPassword, isSite = false, hasToken = false } = attempt;
  if (address === undefined) return {};
  const addressKey = `address ${networkOf(address)}`;
  const accountKey = `account ${email.toLowerCase()}`;
  const limitOf = (key: string): Limit => ({ key, free: FREE_ATTEMPTS_PER_ACCOUNT });
  if (hasToken) return { account: limitOf(`${accountKey} with its token at ${addressKey}`) };
  if (isKnownAddress && !isRandomPassword) return { account: limitOf(`${accountKey} at ${addressKey}`) };
  return {
    address: { key: addressKey, free: FREE_ATTEMPTS_PER_ADDRESS },
    ...(isRandomPassword || isSite ? {} : { account: limitOf(accountKey) }),
  };
}

/** @throws AppError `too-many-requests` with the seconds until `untilMs`; none if that is over */
export function assertElapsed(untilMs: number, nowMs: number): void {
  const waitS = Math.ceil((untilMs - nowMs) / 1000);
  if (waitS <= 0) return;
  throw new AppError("too-many-requests", `too many wrong attempts; try again in ${waitS} seconds`, {
    retryAfterS: waitS,
  });
}

/** The limits that apply to an attempt; none over the control socket. */
interface Limits {
  readonly address?: Limit;
  readonly account?: Limit;
}
