import type { KeyObject } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import type { Account } from "../store/accounts.ts";
import type { EventNotes } from "./event-notes.ts";
import { PasswordCheck } from "./password-check.ts";
import { PASSWORD_BYTES_MAX } from "./password-rules.ts";
import type { SignIns } from "./sign-ins.ts";
import { SignedTokens, type TokenOwner } from "./signed-tokens.ts";
import { TOKEN_LIFETIME_S } from "./token-claims.ts";
import { networkOf, type SignInAttempt } from "../domain/sign-in-throttle.ts";

/** Hash of a discarded random password: an unknown address must take as long as a wrong password. */
const DUMMY_HASH = "$2b$10$xpFCTSkocYAtllNZiAfnvuZtxgAWB984wIoIs83d6pAhtsIgGa5jy";

/** Issues and verifies tokens. */
export class TokenService {
  readonly #signIns: SignIns;
  readonly #signed: SignedTokens;
  readonly #passwords = new PasswordCheck();
  readonly #events: EventNotes;

  /**
   * @param options keys: HS256 signing keys of at least 32 bytes; tokens of the previous
   *   key are still accepted
   */
  constructor(options: {
    signIns: SignIns;
    events: EventNotes;
    clock: Clock;
    keys: { readonly current: KeyObject; readonly previous?: KeyObject };
  }) {
    const { current, previous } = options.keys;
    this.#signed = new SignedTokens(options.clock, current, previous ? [previous] : []);
    this.#signIns = options.signIns;
    this.#events = options.events;
  }

  /** Signs with another key from now on. Tokens of keys that are no longer accepted fail with their next request. */
  useKeys(current: KeyObject, others: readonly KeyObject[]): void {
    this.#signed.useKeys(current, others);
  }

  /**
   * Signs a user in.
   * @param address the client's network address; undefined for the control socket
   * @param currentToken the token to replace; its owner is served first
   * @throws AppError `unauthenticated`, with the same message for an unknown address and a wrong password, and
   *   `too-many-requests` after too many failures
   */
  async signIn(
    email: string,
    password: string,
    address?: string,
    currentToken?: string,
  ): Promise<{ token: string; expiresIn: number }> {
    const attempt = await this.#attemptOf(email, address);
    const hasToken = currentToken !== undefined && (await this.#isTokenOf(currentToken, email));
    const account = await this.#accountWith(attempt, password, hasToken);
    if (!account)
      throw new AppError("unauthenticated", "email or password is wrong", {
        reason: "wrong-credentials",
      });
    const { email: who, role } = account;
    await this.#events.added({ ...byOf(attempt), who, event: "signed-in", detail: { role } });
    return { token: this.#signed.sign(account), expiresIn: TOKEN_LIFETIME_S };
  }

  /**
   * Returns the user's account if the password is correct.
   * @param options `hasToken`: whether the user is already signed in and is served first
   * @throws AppError `too-many-requests` as `signIn`
   */
  async accountOf(
    { email, from }: Principal,
    password: string,
    { hasToken }: { readonly hasToken: boolean },
  ): Promise<Account | undefined> {
    return this.#accountWith(await this.#attemptOf(email, from), password, hasToken);
  }

  /**
   * Returns the owner of a token, as the account is now.
   * @param from origin of the request, for the event log
   * @throws AppError `unauthenticated` for anything but a valid token of an enabled account
   */
  async verify(token: string, from: string): Promise<Principal> {
    const signed = this.#signed.check(token);
    if (!signed) throw invalidToken();
    const { accountId, ver } = signed.claims;
    if (signed.owner === undefined) signed.owner = ownerOf(await this.#signIns.byId(accountId), ver);
    else if ((await this.#signIns.tokenVersion(accountId)) !== ver) throw invalidToken();
    return { ...signed.owner, from };
  }

  /** Token for dispatching trips; its account has no password. @see AccountService.ensureDevice */
  async deviceToken(): Promise<string> {
    const account = await this.#signIns.byEmail(DEVICE_EMAIL);
    if (!account) throw new Error("the device account is missing");
    return this.#signed.sign(account);
  }

  async #isTokenOf(token: string, email: string): Promise<boolean> {
    try {
      return (await this.verify(token, "")).email.toLowerCase() === email.toLowerCase();
    } catch {
      return false;
    }
  }

  async #attemptOf(email: string, address: string | undefined): Promise<SignInAttempt> {
    const account = await this.#signIns.byEmail(email);
    const isKnownPlace =
      account !== undefined &&
      address !== undefined &&
      (await this.#signIns.hasSignedIn(account.email, address));
    const isRandomPassword = account?.mustChangePassword === true;
    return { email, address, isKnownAddress: isKnownPlace, isRandomPassword };
  }

  /** Takes equally long for an unknown address and a wrong password; both are counted and recorded. */
  async #accountWith(
    attempt: SignInAttempt,
    password: string,
    hasToken = false,
  ): Promise<Account | undefined> {
    const { throttle } = this.#signIns;
    await throttle.assertOpen({ ...attempt, hasToken });
    const account = await this.#signIns.byEmail(attempt.email);
    const usable = Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;
    const hash = account?.passwordHash ?? DUMMY_HASH;
    if (account?.disabled) this.#passwords.forget(hash);
    else if (account && usable && this.#passwords.isVerified(password, hash)) {
      await throttle.succeeded({ ...attempt, hasToken });
      return account;
    }
    const { address, isKnownAddress } = attempt;
    const candidate = {
      place: networkOf(address ?? ""),
      isKnown: isKnownAddress || address === undefined || hasToken,
    };
    return this.#passwords.inTurn(candidate, async () => {
      // Checked again after the queue: concurrent attempts may have reached the limit in the meantime.
      await throttle.assertOpen({ ...attempt, hasToken });
      const fits = await this.#passwords.matches(usable ? password : "", hash);
      if (account && account.passwordHash !== null && !account.disabled && fits && usable) {
        await throttle.succeeded({ ...attempt, hasToken });
        return account;
      }
      await this.#failed(attempt, hasToken);
      return undefined;
    });
  }

  async #failed(attempt: SignInAttempt, hasToken: boolean): Promise<void> {
    const blockedForS = await this.#signIns.throttle.failed({ ...attempt, hasToken });
    const by = byOf(attempt);
    this.#events.note({ ...by, event: "sign-in-failed", detail: {} });
    if (blockedForS > 0) this.#events.note({ ...by, event: "sign-in-blocked", detail: { blockedForS } });
  }
}

/** @throws AppError `unauthenticated` if a token of that version is no longer one of the account's */
function ownerOf(account: Account | undefined, version: unknown): TokenOwner {
  if (!account || account.disabled || account.tokenVersion !== version) throw invalidToken();
  const { id: accountId, email, role, mustChangePassword, site } = account;
  // The account of a site without objectives may use none, never all.
  const objectives = account.objectives ?? (site === undefined ? undefined : []);
  return { accountId, email, role, mustChangePassword, objectives, site };
}

function byOf({ email, address }: SignInAttempt): { who: string; from: string; subject: string } {
  return { who: email, from: address ?? "control socket", subject: `account ${email}` };
}

function invalidToken(): AppError {
  return new AppError("unauthenticated", "the token is missing, invalid or expired");
}
