import { AppError } from "../domain/errors.ts";
import type { ObjectiveScope } from "../domain/objective.ts";
import { INITIAL_ADMIN_EMAIL, type Role } from "../domain/principal.ts";
import type { Account } from "../store/accounts.ts";

/* Which changes of an account are refused, in whatever database it is. */

/** Enabled, the account of a revoked site would let a stolen device in again. @throws AppError `conflict` */
export function assertMayEnable({ site, disabled }: Account): void {
  if (site === undefined || !disabled) return;
  const hint = "Create a new one-time code for the site instead.";
  throw new AppError("conflict", `the access of site ${site} was revoked`, { hint });
}

/**
 * A device on a wall must not administer the accounts of a dispatch centre, and one that may only read sends no alarm.
 * @throws AppError `conflict`
 */
export function assertMayHaveRole({ site, email }: Account, role: Role): void {
  if (site === undefined || role === "operator") return;
  const message = `${email} is the account of site ${site}, which is always operator`;
  const hint = "To end its access, use santinela sites revoke; for a person, add an account.";
  throw new AppError("conflict", message, { hint });
}

/** The account of a site without objectives may use none, so that no alarm of the site would arrive. @throws AppError `conflict` */
export function assertMayHaveScope({ site, email }: Account, objectives: ObjectiveScope | undefined): void {
  if (site === undefined || (objectives !== undefined && objectives.length > 0)) return;
  const message = `${email} is the account of site ${site}, which needs objectives of its own`;
  throw new AppError("conflict", message, { hint: "Name them with --only." });
}

/**
 * A device cannot choose a password at its first sign-in, and a temporary one for the initial administrator would open the set-up of
 * a claimed installation again. @throws AppError `conflict`
 */
export function assertMayHaveInitialPassword({ site, email }: Account): void {
  if (site !== undefined)
    throw new AppError("conflict", `${email} is the account of site ${site}, which has no initial password`, {
      hint: "Create a new one-time code for the site instead.",
    });
  if (email.toLowerCase() === INITIAL_ADMIN_EMAIL)
    throw new AppError("conflict", `${email} gets no initial password here`, {
      hint: "Set its password with santinela user passwd.",
    });
}

/** The error of a change after which no user could administer the accounts. */
export function lastAdministrator(email: string): AppError {
  return new AppError("conflict", `${email} is the last administrator`, {
    hint: "Make another account administrator first.",
  });
}

/**
 * The account of a site has its reference in lower case as its address.
 * @param other the account with that address; undefined without one
 * @throws AppError `conflict` if it is not that of this site
 */
export function assertOwnAddress(site: string, other: Account | undefined): void {
  if (!other || other.site === site) return;
  const { email, site: owner } = other;
  if (owner === undefined)
    throw new AppError("conflict", `site ${site} would get the account ${email}, which is that of a user`, {
      hint: "Choose another site.ref.",
    });
  throw new AppError(
    "conflict",
    `site ${site} would get the account ${email}, which is that of site ${owner}`,
    {
      hint: "Choose another site.ref: upper and lower case do not distinguish sites.",
    },
  );
}
