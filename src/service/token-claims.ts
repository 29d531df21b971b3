import type { JwtPayload } from "jsonwebtoken";

/** Lifetime of a token in seconds, fixed by the contract ("Authentication", point 2). */
export const TOKEN_LIFETIME_S = 3600;

/** Maximum backward correction of the clock between two requests. */
const CLOCK_SKEW_S = 60;

/** Claims of a token with a valid signature, with checked types. */
export interface VerifiedClaims {
  readonly accountId: number;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  readonly nbf: number;
  readonly ver: unknown;
}

/** Checks that all claims are present: jsonwebtoken accepts tokens without subject, issue time and expiry. */
export function completeClaims({ iat, exp, nbf = 0, sub, ver }: JwtPayload): VerifiedClaims | undefined {
  return typeof iat === "number" &&
    typeof exp === "number" &&
    typeof nbf === "number" &&
    /^[1-9]\d{0,15}$/.test(typeof sub === "string" ? sub : "")
    ? { accountId: Number(sub), iat, exp, nbf, ver }
    : undefined;
}

/**
 * Whether the token is valid now. The issue time is checked too: a token issued while the clock was ahead would otherwise
 * live too long.
 */
export function isWithin({ iat, exp, nbf }: VerifiedClaims, nowS: number): boolean {
  return nowS < exp && nowS >= nbf && exp - iat <= TOKEN_LIFETIME_S && iat <= nowS + CLOCK_SKEW_S;
}
