import { createHash, type KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import { AppError } from "../domain/errors.ts";
import type { Account } from "../store/accounts.ts";
import { completeClaims, isWithin, TOKEN_LIFETIME_S, type VerifiedClaims } from "./token-claims.ts";

/** Enough for ten thousand sites with their users; about 500 bytes each, and only of tokens that were issued here. */
const VERIFIED_MAX = 16_384;
const ISSUER = "santinela";

/** Signs tokens and reads their claims. */
export class SignedTokens {
  readonly #nowMs: () => number;
  #signing: { readonly id: string; readonly key: KeyObject };
  /** Accepted keys by the key id in the token's header. */
  #keys: ReadonlyMap<string, KeyObject>;
  /** Claims of recently verified tokens: a signature check takes as long as the rest of a read request. */
  readonly #verified = new Map<string, VerifiedClaims>();

  /**
   * @param current HS256 signing key of at least 32 bytes
   * @param others accepted too
   * @param nowMs by which tokens are dated, milliseconds since 1970; the same in all processes that accept them
   */
  constructor(current: KeyObject, others: readonly KeyObject[], nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#signing = { id: idOf(current), key: current };
    this.#keys = acceptedKeys([current, ...others]);
  }

  /** Signs with another key from now on. Tokens of keys that are no longer accepted fail from now on. */
  useKeys(current: KeyObject, others: readonly KeyObject[]): void {
    this.#signing = { id: idOf(current), key: current };
    this.#keys = acceptedKeys([current, ...others]);
    this.#verified.clear();
  }

  /** A token of an account, for `TOKEN_LIFETIME_S`. */
  sign(account: Account): string {
    // A clock may start at 1970; jsonwebtoken treats 0 as missing and uses the system clock.
    const issuedAtS = Math.max(1, Math.floor(this.#nowMs() / 1000));
    const claims = { iat: issuedAtS, exp: issuedAtS + TOKEN_LIFETIME_S, ver: account.tokenVersion };
    return jwt.sign(claims, this.#signing.key, {
      algorithm: "HS256",
      keyid: this.#signing.id,
      subject: String(account.id),
      issuer: ISSUER,
      audience: ISSUER,
    });
  }

  /**
   * The claims of a token. Checks its lifetime on each call; the signature is checked once.
   * @throws AppError `unauthenticated`
   */
  claimsOf(token: string): VerifiedClaims {
    const nowS = Math.floor(this.#nowMs() / 1000);
    const claims = this.#verified.get(token) ?? this.#verifiedClaims(token);
    if (!claims || !isWithin(claims, nowS)) {
      this.#verified.delete(token);
      throw invalidToken();
    }
    if (!this.#verified.has(token)) this.#cache(token, claims);
    return claims;
  }

  #cache(token: string, claims: VerifiedClaims): void {
    if (this.#verified.size >= VERIFIED_MAX) this.#verified.delete(this.#verified.keys().next().value ?? "");
    this.#verified.set(token, claims);
  }

  /** The claims if one of the keys signed the token; the times are not checked. */
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
      // The reason is not disclosed.
      return undefined;
    }
  }
}

function acceptedKeys(keys: readonly KeyObject[]): ReadonlyMap<string, KeyObject> {
  return new Map(keys.map((key) => [idOf(key), key]));
}

/** Key id in tokens; does not disclose the key. */
function idOf(key: KeyObject): string {
  return createHash("sha256").update(key.export()).digest("hex").slice(0, 8);
}

/** The error of every token that is not accepted; the reason is not disclosed. */
export function invalidToken(): AppError {
  return new AppError("unauthenticated", "the token is missing, invalid or expired");
}
