import { createHash } from "node:crypto";
import bcrypt from "bcrypt";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { plainCode } from "../domain/one-time-code.ts";
import { refFrom, refText, type ObjectiveRef, type ObjectiveScope } from "../domain/objective.ts";
import type {
  EnrolledSite,
  EnrolmentClaim,
  EnrolmentCode,
  SiteAccess,
  SiteInvitation,
} from "../generated/types.ts";
import type { Account } from "../store/accounts.ts";
import type { Enrolment, NewEnrolment } from "../store/enrolments.ts";

/** Unused codes at a time: as many as sites in a large roll-out. */
const CODES_MAX = 10_000;
/** How long a used code accepts the same password again, because the response may have been lost. */
const REPEATABLE_MS = 3_600_000;
/** How long expired and used codes are kept. */
export const CODES_KEPT_MS = 30 * 86_400_000;
const HOUR_MS = 3_600_000;
/** Hours for which a code can be used if nothing else is asked for. */
const VALID_H = 72;
/** Domain of the addresses of sites; not a real one (RFC 6762). */
const SITES_DOMAIN = "sites.santinela.local";

/**
 * One-time codes by which sites get their accounts: what the routes call, in whatever thread or database they are. Every write
 * is resolved once it is durable.
 */
export interface Enrolments {
  /**
   * Creates a code for a site; it replaces an unused one. A site that has an account keeps it until the code is used.
   * @throws AppError `invalid` for an unknown objective, `conflict` for too many unused codes, for a site that is enrolled,
   *   unless the invitation confirms that its account is transferred, and for one whose address is that of another account
   */
  invite(invitation: SiteInvitation, by: Actor): Promise<EnrolmentCode>;
  /** A slice of the sites that have an account or a code, by their reference. */
  page(slice: AccessSlice): Promise<AccessPage>;
  /**
   * Disables the account of a site, which ends its tokens at once, and removes its codes.
   * @throws AppError `not-found` if the site has neither
   */
  revoke(site: string, by: Actor): Promise<void>;
  /**
   * Exchanges a code for the account of its site. A site that is enrolled again keeps its account and gets the new password and
   * objectives. The same request succeeds again for an hour. A claim without a reference takes that of the code.
   * @param from network address of the site, for the event log and the limit of wrong codes
   * @throws AppError `forbidden` for an unusable code, `conflict` if the address of the account is in use otherwise
   */
  claim(claim: EnrolmentClaim, from: string): Promise<EnrolledSite>;
}

/** Offsets in the list of sites with access; `end` is exclusive. */
export interface AccessSlice {
  readonly start: number;
  readonly end: number;
}

/** Sites with access, and the number of all of them. */
export interface AccessPage {
  readonly sites: readonly SiteAccess[];
  readonly total: number;
}

/** A code that was looked up. */
export interface FoundCode {
  /** Whether it can still be used or not; undefined for one that does not exist. */
  readonly enrolment: Enrolment | undefined;
  /** Wall clock of the codes, milliseconds since 1970. */
  readonly nowMs: number;
}

/** Reads the code of a claim; cheap, because strangers cause it. */
export interface EnrolmentCodes {
  find(code: string): Promise<FoundCode>;
}

/**
 * Decides what a code stores, without effects, so that every database calls it where it must.
 * @param code random text with at least 100 random bits
 * @param nowMs wall clock
 */
export function newEnrolment(
  { site, objectives, validH = VALID_H }: SiteInvitation,
  code: string,
  nowMs: number,
): NewEnrolment {
  const scope = [...new Set(objectives)].flatMap((text) => refFrom(text) ?? []);
  return {
    codeHash: codeHash(code),
    site,
    objectives: scope,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + validH * HOUR_MS,
  };
}

/** The response to an invitation. */
export function issued(code: string, { site, objectives, expiresAtMs }: NewEnrolment): EnrolmentCode {
  return { code, site, objectives: texts(objectives), expiresAt: isoTime(expiresAtMs) };
}

/** @throws AppError `invalid` for an objective of an invitation that does not exist */
export function assertKnown(unknown: ObjectiveRef | undefined): void {
  if (unknown) throw new AppError("invalid", `objective ${refText(unknown)} does not exist here`);
}

/**
 * A second code locks out the device that has the account.
 * @param account of the site; undefined without one
 * @throws AppError `conflict` for a site that is enrolled, without the confirmation
 */
export function assertTransfer(
  { site, transfer = false }: SiteInvitation,
  account: Account | undefined,
): void {
  if (!account || account.disabled || transfer) return;
  throw new AppError(
    "conflict",
    `site ${site} is enrolled: the device that uses another code takes over its account, and the present one can no longer sign in`,
    {
      hint: 'Confirm it with --transfer, over HTTP with "transfer": true; another site needs its own site.ref.',
      reason: "site-enrolled",
    },
  );
}

/** @throws AppError `conflict` */
export function assertRoom(unused: number): void {
  if (unused >= CODES_MAX)
    throw new AppError("conflict", `${CODES_MAX} one-time codes are unused`, {
      hint: "Use them, or wait until they expire.",
    });
}

/**
 * The code of a claim, if it can be used; a used one can for a while, by the same password.
 * @throws AppError `forbidden`
 */
export function usable(found: Enrolment | undefined, { site }: EnrolmentClaim, nowMs: number): Enrolment {
  if (!found) throw unusable();
  const { usedAtMs, expiresAtMs } = found;
  const isOver = usedAtMs === null ? expiresAtMs <= nowMs : nowMs - usedAtMs >= REPEATABLE_MS;
  if (isOver) throw unusable();
  if (site !== undefined && found.site !== site)
    throw new AppError("forbidden", `the one-time code is for site ${found.site} and not for ${site}`, {
      hint: `Set site.ref to ${found.site}, or create a code for ${site}.`,
    });
  return found;
}

/** The error of a code that does not exist or can no longer be used; the same for all of them. */
export function unusable(): AppError {
  return new AppError("forbidden", "the one-time code is unknown here, used or expired", {
    hint: "Create another at the dispatch centre: santinela sites invite.",
  });
}

/** The address of a site's account. */
export function siteAddress(ref: string): string {
  return `${ref.toLowerCase()}@${SITES_DOMAIN}`;
}

/** Whether an address has the form of a site's account. */
export function isSiteAddress(email: string): boolean {
  return email.toLowerCase().endsWith(`@${SITES_DOMAIN}`);
}

/** The response to a claim. */
export function enrolledSite(email: string, { site, objectives }: Enrolment): EnrolledSite {
  return { email, site, objectives: texts(objectives) };
}

/**
 * The response to a claim whose code is used: to the site that has used it, the same again.
 * @param account of the site
 * @throws AppError `forbidden`
 */
export async function claimedAgain(
  account: Account | undefined,
  enrolment: Enrolment,
  { password }: EnrolmentClaim,
): Promise<EnrolledSite> {
  if (!account || account.disabled || account.passwordHash === null) throw unusable();
  if (!(await bcrypt.compare(password, account.passwordHash))) throw unusable();
  return enrolledSite(account.email, enrolment);
}

/** The hash under which a code is stored. Ignores case, spaces and dashes, because a code may be typed. */
export function codeHash(code: string): string {
  return createHash("sha256").update(plainCode(code)).digest("hex");
}

/** @throws AppError `not-found` for a site without account and code */
export function assertHasAccess(site: string, hasAccess: boolean): void {
  if (!hasAccess)
    throw new AppError("not-found", `site ${site} has neither an account nor a one-time code`, {
      hint: "santinela sites access lists those that have.",
    });
}

/** Accounts of sites and unused codes as one list by site. */
export function accessList(accounts: readonly Account[], unused: readonly Enrolment[]): SiteAccess[] {
  const codes = new Map(unused.map((code) => [code.site, code]));
  const enrolled = accounts.flatMap(({ site, email, disabled, objectives = [] }): SiteAccess[] => {
    if (site === undefined) return [];
    const codeExpiresAt = expiryOf(codes.get(site));
    codes.delete(site);
    const state = disabled ? "revoked" : "enrolled";
    return [{ site, state, email, objectives: texts(objectives), codeExpiresAt }];
  });
  const invited = [...codes.values()].map((code): SiteAccess => {
    const { site, objectives } = code;
    return {
      site,
      state: "invited",
      email: null,
      objectives: texts(objectives),
      codeExpiresAt: expiryOf(code),
    };
  });
  return [...enrolled, ...invited].toSorted((a, b) => (a.site < b.site ? -1 : 1));
}

/** The detail of the event of an invitation or a claim. */
export function scopeOfSite({ objectives }: Pick<Enrolment, "objectives">): { objectives: string[] } {
  return { objectives: texts(objectives) };
}

function expiryOf(code: Enrolment | undefined): string | null {
  return code ? isoTime(code.expiresAtMs) : null;
}

function texts(scope: ObjectiveScope): [string, ...string[]] {
  return scope.map(refText) as [string, ...string[]];
}
