import { createHash, type KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { DEVICE_EMAIL, type Principal } from "../domain/principal.ts";
import { AccountStore, type Account } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import { EventService } from "./events.ts";
import { PasswordCheck } from "./password-check.ts";
import { PASSWORD_BYTES_MAX } from "./password-rules.ts";
import { completeClaims, isWithin, TOKEN_LIFETIME_S, type VerifiedClaims } from "./token-claims.ts";
import { networkOf, SignInThrottle, type SignInAttempt } from "../domain/sign-in-throttle.ts";

/** More people and programs than that do not use one installation within an hour. */
const VERIFIED_MAX = 500;
const ISSUER = "santinela";
/** Hash of a random password nobody knows: an unknown address must take as long as a wrong password. */
const DUMMY_HASH = "$2b$10$xpFCTSkocYAtllNZiAfnvuZtxgAWB984wIoIs83d6pAhtsIgGa5jy";

/** The tokens that accounts get. */
export class TokenService {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  readonly #signing: { readonly id: string; readonly key: KeyObject };
  /** Accepted keys by the id that stands in a token's head. */
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #throttle: SignInThrottle;
  readonly #passwords = new PasswordCheck();
  readonly #events: EventService;
  /** What was found true of the newest tokens: the signature takes as long to check as the whole rest of a read. */
  readonly #verified = new Map<string, VerifiedClaims>();

  /** @param keys HS256 signing keys of at least 32 bytes; tokens of the previous one are still taken */
  constructor(options: {
    database: Database;
    clock: Clock;
    keys: { readonly current: KeyObject; readonly previous?: KeyObject };
  }) {
    const { current, previous } = options.keys;
    this.#signing = { id: idOf(current), key: current };
    this.#keys = new Map([current, ...(previous ? [previous] : [])].map((key) => [idOf(key), key]));
    this.#accounts = new AccountStore(options.database);
    this.#clock = options.clock;
    this.#throttle = new SignInThrottle(options.clock);
    this.#events = new EventService(options);
  }

  /**
   * A token for a person.
   * @param address the client's network address; undefined for the control socket
   * @param currentToken the token that is to be replaced: its owner waits before strangers
   * @throws AppError `unauthenticated`, with one message for an unknown address and a wrong password, and
   * `too-many-requests` after too many of them
   */
  async signIn(
    email: string,
    password: string,
    address?: string,
    currentToken?: string,
  ): Promise<{ token: string; expiresIn: number }> {
    const attempt = this.#attemptOf(email, address);
    const hasToken = currentToken !== undefined && this.#isTokenOf(currentToken, email);
    const account = await this.#accountWith(attempt, password, hasToken);
    if (!account) throw new AppError("unauthenticated", "email or password is wrong");
    const { email: who, role } = account;
    await this.#events.noteWithOthers({ ...byOf(attempt), who, event: "signed-in", detail: { role } });
    return { token: this.#sign(account), expiresIn: TOKEN_LIFETIME_S };
  }

  /**
   * That person's account as it is when this is its password.
   * @param options `hasToken`: whether the person has signed in already, and so waits before strangers
   * @throws AppError `too-many-requests` as `signIn`
   */
  accountOf(
    { email, from }: Principal,
    password: string,
    { hasToken }: { readonly hasToken: boolean },
  ): Promise<Account | undefined> {
    return this.#accountWith(this.#attemptOf(email, from), password, hasToken);
  }

  /**
   * Who a token belongs to; role and revocation are read from the account as it is now.
   * @param from where the request came from, for the event log
   * @throws AppError `unauthenticated` for anything but a valid token of a living account
   */
  verify(token: string, from: string): Principal {
    const { accountId: id, ver } = this.#claimsOf(token);
    const account = this.#accounts.byId(id);
    if (!account || account.disabled || account.tokenVersion !== ver) throw invalidToken();
    const { id: accountId, email, role, mustChangePassword, objectives } = account;
    return { accountId, email, role, mustChangePassword, objectives, from };
  }

  /** A token for posting trips, made without signing in: the account has no password. */
  deviceToken(): string {
    const nowMs = this.#clock.wallMs();
    const account =
      this.#accounts.byEmail(DEVICE_EMAIL) ??
      this.#accounts.add({
        email: DEVICE_EMAIL,
        role: "operator",
        passwordHash: null,
        mustChangePassword: false,
        createdAtMs: nowMs,
      });
    if (!account) throw new Error("the device account cannot be made");
    return this.#sign(account);
  }

  #isTokenOf(token: string, email: string): boolean {
    try {
      return this.verify(token, "").email.toLowerCase() === email.toLowerCase();
    } catch {
      return false;
    }
  }

  #attemptOf(email: string, address: string | undefined): SignInAttempt {
    const account = this.#accounts.byEmail(email);
    const isKnownPlace =
      account !== undefined && address !== undefined && this.#events.hasSignedIn(account.email, address);
    const isRandomPassword = account?.mustChangePassword === true;
    return { email, address, isKnownAddress: isKnownPlace, isRandomPassword };
  }

  /** As slow for an address that is not known as for a wrong password. Both are counted and noted. */
  async #accountWith(
    attempt: SignInAttempt,
    password: string,
    hasToken = false,
  ): Promise<Account | undefined> {
    this.#throttle.assertOpen({ ...attempt, hasToken });
    const account = this.#accounts.byEmail(attempt.email);
    const usable = Buffer.byteLength(password) <= PASSWORD_BYTES_MAX;
    const hash = account?.passwordHash ?? DUMMY_HASH;
    if (account?.disabled) this.#passwords.forget(hash);
    else if (account && usable && this.#passwords.isProven(password, hash)) {
      this.#throttle.succeeded({ ...attempt, hasToken });
      return account;
    }
    // Asked again when its turn has come: of many at once, those that waited meanwhile may have been too many.
    const { address, isKnownAddress } = attempt;
    const candidate = {
      place: networkOf(address ?? ""),
      isKnown: isKnownAddress || address === undefined || hasToken,
    };
    const fits = await this.#passwords.matches(usable ? password : "", hash, candidate, () =>
      this.#throttle.assertOpen({ ...attempt, hasToken }),
    );
    if (account && account.passwordHash !== null && !account.disabled && fits && usable) {
      this.#throttle.succeeded({ ...attempt, hasToken });
      return account;
    }
    const blockedForS = this.#throttle.failed({ ...attempt, hasToken });
    const by = byOf(attempt);
    this.#events.note({ ...by, event: "sign-in-failed", detail: {} });
    if (blockedForS > 0) this.#events.note({ ...by, event: "sign-in-blocked", detail: { blockedForS } });
    return undefined;
  }

  #sign(account: Account): string {
    // A clock may begin at 1970; jsonwebtoken takes 0 for a missing time and asks the system clock.
    const issuedAtS = Math.max(1, Math.floor(this.#clock.wallMs() / 1000));
    const claims = { iat: issuedAtS, exp: issuedAtS + TOKEN_LIFETIME_S, ver: account.tokenVersion };
    return jwt.sign(claims, this.#signing.key, {
      algorithm: "HS256",
      keyid: this.#signing.id,
      subject: String(account.id),
      issuer: ISSUER,
      audience: ISSUER,
    });
  }

  /** Time passes and clocks are set, so a token's lifetime is asked each time; its signature stays what it was. */
  #claimsOf(token: string): VerifiedClaims {
    const nowS = Math.floor(this.#clock.wallMs() / 1000);
    const claims = this.#verified.get(token) ?? this.#verifiedClaims(token);
    if (!claims || !isWithin(claims, nowS)) {
      this.#verified.delete(token);
      throw invalidToken();
    }
    if (!this.#verified.has(token)) this.#keep(token, claims);
    return claims;
  }

  #keep(token: string, claims: VerifiedClaims): void {
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.delete(this.#verified.keys().next().value ?? "");
    this.#verified.set(token, claims);
  }

  /** What the token says, if one of our keys signed it; its times are not looked at. */
  #verifiedClaims(token: string): VerifiedClaims | undefined {
    try {
      const header = jwt.decode(token, { complete: true })?.header;
      const key = this.#keys.get(header?.kid ?? "");
      // `crit` names extensions that must be understood, and there is none here (RFC 7515, 4.1.11).
      if (!key || header?.crit !== undefined) return undefined;
      const claims = jwt.verify(token, key, {
        algorithms: ["HS256"],
        issuer: ISSUER,
        audience: ISSUER,
        ignoreExpiration: true,
        ignoreNotBefore: true,
      });
      return typeof claims === "string" ? undefined : completeClaims(claims);
    } catch {
      // Why a token is not valid is nobody's business but its owner's.
      return undefined;
    }
  }
}

function byOf({ email, address }: SignInAttempt): { who: string; from: string; subject: string } {
  return { who: email, from: address ?? "control socket", subject: `account ${email}` };
}

/** A key's name in tokens: says which key it is and nothing about it. */
function idOf(key: KeyObject): string {
  return createHash("sha256").update(key.export()).digest("hex").slice(0, 8);
}

function invalidToken(): AppError {
  return new AppError("unauthenticated", "the token is missing, invalid or expired");
}
