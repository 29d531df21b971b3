import type { Clock } from "./clock.ts";
import { AppError } from "./errors.ts";

/** So many wrong passwords are free; then one waits, and after each further one twice as long as the last. */
const FREE_ATTEMPTS_PER_ACCOUNT = 5;
/** Several people and programs may share one network address, and one who forgets a password must not bar the others. */
const FREE_FOR_ADDRESS = 20;
const FIRST_DELAY_MS = 30_000;
/** Never permanent: whoever locks an account out on purpose gets a quarter of an hour and no more. */
const DELAY_MS_MAX = 900_000;
/** After so long without a wrong one the count starts anew. */
const FORGET_AFTER_MS = 3_600_000;
const COUNTERS_MAX = 10_000;
/** How many of the oldest are looked at for one to forget. */
const CANDIDATES = 50;

interface Counter {
  readonly failures: number;
  readonly lastAtMs: number;
  readonly blockedUntilMs: number;
}

/** Who tries to sign in. */
export interface SignInAttempt {
  readonly email: string;
  /** Network address; undefined for the control socket, which is not counted. */
  readonly address: string | undefined;
  /**
   * Whether that account has signed in from that address before. Then only what is tried from there counts for it, or
   * anybody who knows the e-mail address could keep its owner out for ever.
   */
  readonly isKnownAddress: boolean;
  /**
   * Whether the password was made by the program: 100 random bits, which no number of guesses finds. Then only the
   * address counts, or five wrong codes from anywhere would keep the owner out of a new installation.
   */
  readonly isRandomPassword: boolean;
  /** Whether it shows a valid token of that account: then nothing that others try counts against it. */
  readonly hasToken?: boolean;
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

  /** @throws AppError `too-many-requests` with the seconds to wait */
  assertOpen(attempt: SignInAttempt): void {
    const nowMs = this.#clock.monotonicMs();
    const untilMs = Object.values(limitsOf(attempt)).map(
      ({ key }) => this.#counters.get(key)?.blockedUntilMs ?? 0,
    );
    const waitS = Math.ceil((Math.max(0, ...untilMs) - nowMs) / 1000);
    if (waitS > 0)
      throw new AppError("too-many-requests", `too many wrong attempts; try again in ${waitS} seconds`, {
        retryAfterS: waitS,
      });
  }

  /**
   * Counts a wrong password.
   * @returns for how many seconds no further attempt gets through; 0 while there are free ones
   */
  failed(attempt: SignInAttempt): number {
    const nowMs = this.#clock.monotonicMs();
    const { account, address } = limitsOf(attempt);
    const ownMs = account ? this.#count(account, nowMs) : 0;
    // What one account adds to its address is bounded: a program with an old password tries for weeks.
    const isCounted =
      !account || (this.#counters.get(account.key)?.failures ?? 0) <= FREE_ATTEMPTS_PER_ACCOUNT;
    const addressMs = address && isCounted ? this.#count(address, nowMs) : 0;
    return Math.max(ownMs, addressMs) / 1000;
  }

  /** Forgets the wrong passwords for that account, and takes them off its address: other accounts' stay counted there. */
  succeeded(attempt: SignInAttempt): void {
    const { account, address } = limitsOf(attempt);
    if (!account) return;
    const forgiven = Math.min(FREE_ATTEMPTS_PER_ACCOUNT, this.#counters.get(account.key)?.failures ?? 0);
    this.#counters.delete(account.key);
    const counter = address && this.#counters.get(address.key);
    if (counter) this.#put(address.key, { ...counter, failures: Math.max(0, counter.failures - forgiven) });
  }

  #count({ key, free }: Limit, nowMs: number): number {
    const earlier = this.#counters.get(key);
    const isFresh = earlier !== undefined && nowMs - earlier.lastAtMs < FORGET_AFTER_MS;
    const failures = (isFresh ? earlier.failures : 0) + 1;
    const over = failures - free;
    const delayMs = over < 0 ? 0 : Math.min(DELAY_MS_MAX, FIRST_DELAY_MS * 2 ** Math.min(over, 10));
    this.#put(key, { failures, lastAtMs: nowMs, blockedUntilMs: nowMs + delayMs });
    return delayMs;
  }

  /** Taken out and put in again, the map is in the order of the last attempt. */
  #put(key: string, counter: Counter): void {
    this.#counters.delete(key);
    this.#counters.set(key, counter);
    if (this.#counters.size > COUNTERS_MAX) this.#counters.delete(this.#leastWanted());
  }

  /** Of the oldest the one with the fewest failures: a flood of names must not push out who is being guessed at. */
  #leastWanted(): string {
    const oldest: [string, Counter][] = [];
    for (const entry of this.#counters) {
      oldest.push(entry);
      if (oldest.length === CANDIDATES) break;
    }
    return oldest.toSorted(([, a], [, b]) => a.failures - b.failures)[0]?.[0] ?? "";
  }
}

interface Limit {
  readonly key: string;
  readonly free: number;
}

/**
 * The limits of an attempt. One from a place where that account has signed in, or with a token of it, has one of its own
 * alone: neighbours behind the same address, such as another site with an old password, do not count against it.
 */
function limitsOf(attempt: SignInAttempt): Limits {
  const { email, address, isKnownAddress, isRandomPassword, hasToken = false } = attempt;
  if (address === undefined) return {};
  const place = `address ${networkOf(address)}`;
  const name = `account ${email.toLowerCase()}`;
  if (hasToken || (isKnownAddress && !isRandomPassword))
    return { account: { key: `${name} at ${place}`, free: FREE_ATTEMPTS_PER_ACCOUNT } };
  return {
    address: { key: place, free: FREE_FOR_ADDRESS },
    ...(isRandomPassword ? {} : { account: { key: name, free: FREE_ATTEMPTS_PER_ACCOUNT } }),
  };
}

interface Limits {
  readonly address?: Limit;
  readonly account?: Limit;
}

/** Where an attempt comes from: one household has a whole /64 of IPv6 (RFC 6177), so its first half stands for all of it. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  if (tail === undefined) return groups.slice(0, 4).join(":");
  return [...groups, "0", "0", "0", "0"].slice(0, 4).join(":");
}
