import type { Clock } from "../domain/clock.ts";
import { INITIAL_ADMIN_EMAIL } from "../domain/principal.ts";
import { SignInThrottle, type SignInAttempt } from "../domain/sign-in-throttle.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { EventLog } from "../store/event-log.ts";
import { isSiteAddress } from "./enrolments.ts";

/** Limits wrong passwords, in whatever place the attempts are counted. */
export interface Throttle {
  /** @throws AppError `too-many-requests` with the seconds to wait */
  assertOpen(attempt: SignInAttempt): Promise<void>;
  /**
   * Counts a wrong password.
   * @returns seconds until the next attempt is allowed; 0 while attempts are free
   */
  failed(attempt: SignInAttempt): Promise<number>;
  /** Resets the count of the account. */
  succeeded(attempt: SignInAttempt): Promise<void>;
}

/** What sign-ins and tokens read, in whatever thread or database the accounts are. */
export interface SignIns {
  readonly throttle: Throttle;
  /** The account as it is now: a revoked token must fail with the next request. */
  byId(id: number): Promise<Account | undefined>;
  /** The account with an e-mail address, ignoring case. */
  byEmail(email: string): Promise<Account | undefined>;
  /** Whether an account has signed in from an address before. */
  hasSignedIn(email: string, address: string): Promise<boolean>;
  /** Addresses from which any account has signed in, the latest first. */
  newestAddresses(limit: number): Promise<readonly string[]>;
}

/** An attempt to sign in, with what its limits depend on. */
export async function attemptOf(
  signIns: Pick<SignIns, "byEmail" | "hasSignedIn">,
  email: string,
  address: string | undefined,
  hasToken: boolean,
): Promise<SignInAttempt> {
  const account = await signIns.byEmail(email);
  // The address as the account has it: events of one account must not differ by the case that a stranger types.
  const own = account?.email ?? email;
  // Asked without an account too: the time of an attempt must not show which accounts exist.
  const hasSignedIn = address !== undefined && (await signIns.hasSignedIn(own, address));
  return {
    email: own,
    address,
    isKnownAddress: account !== undefined && hasSignedIn,
    // The one-time code of a new installation is generated; an administrator types the password of another new account.
    isRandomPassword: account?.mustChangePassword === true && account.email === INITIAL_ADMIN_EMAIL,
    // An unknown address of this form is limited as a site's, so that it does not show which sites have an account.
    isSite: account ? account.site !== undefined : isSiteAddress(email),
    hasToken,
  };
}

/** The accounts in SQLite; wrong passwords are counted in the memory of the process. */
export class SqliteSignIns implements SignIns {
  readonly throttle: Throttle;
  readonly #accounts: AccountStore;
  readonly #events: EventLog;

  /** @param database may be read-only */
  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#accounts = new AccountStore(database);
    this.#events = new EventLog(database);
    const throttle = new SignInThrottle(clock);
    this.throttle = {
      assertOpen: async (attempt) => throttle.assertOpen(attempt),
      failed: async (attempt) => throttle.failed(attempt),
      succeeded: async (attempt) => throttle.succeeded(attempt),
    };
  }

  async byId(id: number): Promise<Account | undefined> {
    return this.#accounts.byId(id);
  }

  async byEmail(email: string): Promise<Account | undefined> {
    return this.#accounts.byEmail(email);
  }

  async hasSignedIn(email: string, address: string): Promise<boolean> {
    return this.#events.hasSignedIn(email, address);
  }

  async newestAddresses(limit: number): Promise<readonly string[]> {
    return this.#events.newestAddresses(limit);
  }
}
