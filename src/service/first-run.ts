import { wording, type Locale } from "../domain/trip-text.ts";
import { OBJECTIVE_TYPES, type ObjectiveRef, type ObjectiveType } from "../domain/objective.ts";
import { INITIAL_ADMIN_EMAIL } from "../domain/principal.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import type { ObjectiveService } from "./objectives.ts";
import type { AccountService } from "./accounts.ts";

/**
 * Puts the configured objectives in, and a placeholder for each one that only a zone names: the first trip must find
 * its objective also where nothing was imported and no link has ever been up.
 */
export function seedObjectives(
  objectives: ObjectiveService,
  configured: ObjectiveImport,
  zones: readonly { readonly objective: ObjectiveRef }[],
  locale: Locale,
): void {
  objectives.import(configured, "config");
  objectives.release(configured);
  const named = zones.map(({ objective: { type, id } }) => ({
    type,
    name: wording(locale).unnamedObjective(id),
    id,
  }));
  const ofKind = (kind: ObjectiveType) =>
    named.filter(({ type }) => type === kind).map(({ id, name }) => ({ id, name }));
  objectives.import(Object.fromEntries(OBJECTIVE_TYPES.map((kind) => [kind, ofKind(kind)])), "zone");
}

/**
 * Makes the first administrator where nobody can sign in yet. There is no default password: `newPassword` makes one
 * for this installation, good for setting one's own and for nothing else (OWASP ASVS 5.0, 6.4.1).
 * @param tell is given the address and the password, the only time that the password can be read
 */
export async function ensureAdministrator(
  accounts: AccountService,
  newPassword: () => string,
  tell: (account: { email: string; password: string }) => void,
): Promise<void> {
  if (accounts.hasSignInAccounts()) return;
  const password = newPassword();
  await accounts.add(
    { email: INITIAL_ADMIN_EMAIL, role: "administrator", password },
    { who: "santinela", from: "first start" },
    { mustChangePassword: true },
  );
  tell({ email: INITIAL_ADMIN_EMAIL, password });
}
