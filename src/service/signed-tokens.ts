import { createHash, type KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import type { Clock } from "../domain/clock.ts";
import type { Principal } from "../domain/principal.ts";
import type { Account } from "../store/accounts.ts";
import { completeClaims, isWithin, TOKEN_LIFETIME_S, type VerifiedClaims } from "./token-claims.ts";

/** Enough for ten thousand sites with their users; about 700 bytes each, and only of tokens that were issued here. */
const KEPT_MAX = 16_384;
const ISSUER = "santinela";

/** The owner of a token, from whatever place a request comes. */
export type TokenOwner = Omit<Principal, "from">;

/** A token with a valid signature. */
export interface SignedToken {
  readonly claims: VerifiedClaims;
  /** Its owner since it was issued: a change of the account revokes it. Undefined until it is known. */
  owner: TokenOwner | undefined;
}

/** Signs tokens with HS256 keys of at least 32 bytes, and checks their signatures and times. */
export class SignedTokens {
  readonly #clock: Clock;
  #current: { readonly id: string; readonly key: KeyObject };
  /** Accepted keys by the key id in the token's header. */
  #keys: ReadonlyMap<string, KeyObject>;
  /** Recently checked tokens: a signature check takes as long as the rest of a read request. */
  readonly #kept = new Map<string, SignedToken>();

  /** @param others keys whose tokens are accepted too */
  constructor(clock: Clock, current: KeyObject, others: readonly KeyObject[]) {
    this.#clock = clock;
    this.#current = { id: idOf(current), key: current };
    this.#keys = acceptedKeys([current, ...others]);
  }

  /** Signs with another key from now on. Tokens of keys that are no longer accepted fail with their next check. */
  useKeys(current: KeyObject, others: readonly KeyObject[]): void {
    this.#current = { id: idOf(current), key: current };
    this.#keys = acceptedKeys([current, ...others]);
    this.#kept.clear();
  }

  /** A token for an account, as it is now. */
  sign(account: Account): string {
    // A clock may start at 1970; jsonwebtoken treats 0 as missing and uses the system clock.
    const issuedAtS = Math.max(1, Math.floor(this.#clock.wallMs() / 1000));
    const claims = { iat: issuedAtS, exp: issuedAtS + TOKEN_LIFETIME_S, ver: account.tokenVersion };
    return jwt.sign(claims, this.#current.key, {
      algorithm: "HS256",
      keyid: this.#current.id,
      subject: String(account.id),
      issuer: ISSUER,
      audience: ISSUER,
    });
  }

  /** Checks the lifetime on each call; the signature is checked once. @returns undefined for an invalid token */
  check(token: string): SignedToken | undefined {
    const nowS = Math.floor(this.#clock.wallMs() / 1000);
    const kept = this.#kept.get(token);
    const claims = kept?.claims ?? this.#claimsOf(token);
    if (claims && isWithin(claims, nowS)) return kept ?? this.#keep(token, { claims, owner: undefined });
    this.#kept.delete(token);
    return undefined;
  }

  #keep(token: string, signed: SignedToken): SignedToken {
    if (this.#kept.size >= KEPT_MAX) this.#kept.delete(this.#kept.keys().next().value ?? "");
    this.#kept.set(token, signed);
    return signed;
  }

  /** The claims if one of the keys signed the token; the times are not checked. */
  #claimsOf(token: string): VerifiedClaims | undefined {
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
