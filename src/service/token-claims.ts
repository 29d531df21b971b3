import type { JwtPayload } from "jsonwebtoken";

/** Lifetime of a token in seconds, fixed by the interface ("Authentication", point 2). */
export const TOKEN_LIFETIME_S = 3600;

/** A clock that is disciplined may go back by this much between two requests. */
const CLOCK_SKEW_S = 60;
/** A token whose signature is ours, as numbers that were looked at. */
export interface VerifiedClaims {
  readonly accountId: number;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  readonly nbf: number;
  readonly ver: unknown;
}

/** jsonwebtoken takes tokens that have no subject, no age and no end. */
export function completeClaims({ iat, exp, nbf = 0, sub, ver }: JwtPayload): VerifiedClaims | undefined {
  return typeof iat === "number" &&
    typeof exp === "number" &&
    typeof nbf === "number" &&
    /^[1-9]\d{0,15}$/.test(typeof sub === "string" ? sub : "")
    ? { accountId: Number(sub), iat, exp, nbf, ver }
    : undefined;
}

/**
 * Whether now is within the token's lifetime. One of a clock that has been put back since would live on for as long as
 * that clock was ahead.
 */
export function isWithin({ iat, exp, nbf }: VerifiedClaims, nowS: number): boolean {
  return nowS < exp && nowS >= nbf && exp - iat <= TOKEN_LIFETIME_S && iat <= nowS + CLOCK_SKEW_S;
}
