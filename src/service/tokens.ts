import type { KeyObject } from "node:crypto";
import { networkOf } from "../domain/client-network.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import type { Account } from "../store/accounts.ts";
import type { EventNotes } from "./event-notes.ts";
import { isSiteAddress } from "./enrolments.ts";
import { PasswordCheck, TooManySignIns } from "./password-check.ts";
import { PASSWORD_BYTES_MAX } from "./password-rules.ts";
import { isOfTheCentre } from "./report-intake.ts";
import { attemptOf, type SignIns } from "./sign-ins.ts";
import { invalidToken, SignedTokens } from "./signed-tokens.ts";
import { TOKEN_LIFETIME_S } from "./token-claims.ts";
import type { SignInAttempt } from "../domain/sign-in-throttle.ts";

/** Hash of a discarded random password: an unknown address must take as long as a wrong password. */
const DUMMY_HASH = "$2b$10$xpFCTSkocYAtllNZiAfnvuZtxgAWB984wIoIs83d6pAhtsIgGa5jy";

/** Issues and verifies tokens. */
export class TokenService {
  readonly #signIns: SignIns;
  readonly #tokens: SignedTokens;
  readonly #passwords = new PasswordCheck();
  readonly #events: EventNotes;

  /**
   * @param options keys: HS256 signing keys of at least 32 bytes; tokens of the previous key are still accepted. nowMs: by which
   *   tokens are dated, milliseconds since 1970; without it, the wall clock
   */
  constructor(options: {
    signIns: SignIns;
    events: EventNotes;
    clock: Pick<Clock, "wallMs">;
    keys: { readonly current: KeyObject; readonly previous?: KeyObject };
    nowMs?: () => number;
  }) {
    const { keys, signIns, events, clock, nowMs = () => clock.wallMs() } = options;
    this.#tokens = new SignedTokens(keys.current, keys.previous ? [keys.previous] : [], nowMs);
    this.#signIns = signIns;
    this.#events = events;
  }

  /** As `SignedTokens.useKeys`. */
  useKeys(current: KeyObject, others: readonly KeyObject[]): void {
    this.#tokens.useKeys(current, others);
  }

  /**
   * Signs a user in.
   * @param address the client's network address; undefined for the control socket
   * @param currentToken the token to replace; its owner is served first
   * @param onSiteRefused called when a site is not signed in for a reason of this service, so that it cannot report
   * @throws AppError `unauthenticated`, with the same message for an unknown address and a wrong password, and
   *   `too-many-requests` after too many failures
   */
  async signIn(
    email: string,
    password: string,
    address?: string,
    currentToken?: string,
    onSiteRefused = () => {},
  ): Promise<{ token: string; expiresIn: number }> {
    const hasToken = currentToken !== undefined && (await this.#isTokenOf(currentToken, email));
    let attempt: SignInAttempt | undefined;
    try {
      attempt = await attemptOf(this.#signIns, email, address, hasToken);
      return await this.#signIn(attempt, password);
    } catch (error) {
      // What the database does not tell, only the form of the address can.
      if (isSiteRefused(attempt ?? { isSite: isSiteAddress(email) }, error)) onSiteRefused();
      throw error;
    }
  }

  /** Signs a user in whose new password has ended the token. */
  async signInAgain({ email, from }: Principal, password: string): ReturnType<TokenService["signIn"]> {
    return this.#signIn(await attemptOf(this.#signIns, email, from, true), password);
  }

  async #signIn(attempt: SignInAttempt, password: string): ReturnType<TokenService["signIn"]> {
    const account = await this.#accountWith(attempt, password);
    if (!account)
      throw new AppError("unauthenticated", "email or password is wrong", {
        reason: "wrong-credentials",
      });
    const { email: who, role, site } = account;
    const event = { ...byOf(attempt), who, event: "signed-in", detail: { role } } as const;
    await (site === undefined ? this.#events.userSignedIn(event) : this.#events.siteSignedIn(event));
    return { token: this.#tokens.sign(account), expiresIn: TOKEN_LIFETIME_S };
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
    return this.#accountWith(await attemptOf(this.#signIns, email, from, hasToken), password);
  }

  /**
   * Returns the owner of a token; role and revocation are read from the current account.
   * @param from origin of the request, for the event log
   * @throws AppError `unauthenticated` for anything but a valid token of an enabled account
   */
  async verify(token: string, from: string): Promise<Principal> {
    const { accountId: id, ver } = this.#tokens.claimsOf(token);
    const account = await this.#signIns.byId(id);
    if (!account || account.disabled || account.tokenVersion !== ver) throw invalidToken();
    const { id: accountId, email, role, mustChangePassword, site } = account;
    // The account of a site without objectives may use none, never all.
    const objectives = account.objectives ?? (site === undefined ? undefined : []);
    return { accountId, email, role, mustChangePassword, objectives, site, from };
  }

  /** Addresses from which any account has signed in, the latest first. */
  newestAddresses(limit: number): Promise<readonly string[]> {
    return this.#signIns.newestAddresses(limit);
  }

  /** Token for dispatching trips; its account has no password. @see AccountService.ensureDevice */
  async deviceToken(): Promise<string> {
    const account = await this.#signIns.byEmail(DEVICE_EMAIL);
    if (!account) throw new Error("the device account is missing");
    return this.#tokens.sign(account);
  }

  async #isTokenOf(token: string, email: string): Promise<boolean> {
    try {
      return (await this.verify(token, "")).email.toLowerCase() === email.toLowerCase();
    } catch {
      return false;
    }
  }

  /** Takes equally long for an unknown address and a wrong password; both are counted and recorded. */
  async #accountWith(attempt: SignInAttempt, password: string): Promise<Account | undefined> {
    const { throttle } = this.#signIns;
    const account = await this.#signIns.byEmail(attempt.email);
    const usable = Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;
    const hash = account?.passwordHash ?? DUMMY_HASH;
    if (account?.disabled) this.#passwords.forget(hash);
    const isVerified = (): boolean =>
      usable && account?.disabled === false && this.#passwords.isVerified(password, hash);
    const succeeded = async (): Promise<Account | undefined> => {
      await throttle.succeeded(attempt);
      return account;
    };
    // The password of a site cannot be guessed, so that a delay protects nothing: it would only hold up its alarms.
    if (!isVerified() || !attempt.isSite) await throttle.assertOpen(attempt);
    if (isVerified()) return succeeded();
    const { address, isKnownAddress, hasToken = false } = attempt;
    const candidate = {
      place: networkOf(address ?? ""),
      isKnown: isKnownAddress || address === undefined || hasToken,
    };
    return this.#passwords.afterEqual(attempt.email, password, async () => {
      if (isVerified()) return succeeded();
      return this.#passwords.inTurn(candidate, async () => {
        // Checked again after the queue: concurrent attempts may have reached the limit in the meantime.
        await throttle.assertOpen(attempt);
        const fits = await this.#passwords.matches(usable ? password : "", hash);
        if (account && account.passwordHash !== null && !account.disabled && fits && usable)
          return succeeded();
        await this.#failed(attempt);
        return undefined;
      });
    });
  }

  async #failed(attempt: SignInAttempt): Promise<void> {
    const blockedForS = await this.#signIns.throttle.failed(attempt);
    const by = byOf(attempt);
    this.#events.note({ ...by, event: "sign-in-failed", detail: {} });
    if (blockedForS > 0) this.#events.note({ ...by, event: "sign-in-blocked", detail: { blockedForS } });
  }
}

function byOf({ email, address }: SignInAttempt): { who: string; from: string; subject: string } {
  return { who: email, from: address ?? "control socket", subject: `account ${email}` };
}

/**
 * Whether a site could not sign in for a reason of this service. At a full queue its password has not been compared, so only an
 * attempt from a place of the site counts: a stranger must not put off the detection of silent sites.
 */
function isSiteRefused(
  { isSite, isKnownAddress, hasToken }: Partial<SignInAttempt>,
  error: unknown,
): boolean {
  if (isSite !== true) return false;
  if (error instanceof TooManySignIns) return isKnownAddress === true || hasToken === true;
  return isOfTheCentre(error);
}
