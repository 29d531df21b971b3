import { AppError } from "../domain/errors.ts";
import { wording, type Locale } from "../domain/trip-text.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import type { ObjectiveUser } from "../domain/objective-names.ts";
import { INITIAL_ADMIN_EMAIL } from "../domain/principal.ts";
import type { ObjectiveImport } from "../generated/types.ts";
import type { ObjectiveService } from "./objectives.ts";
import type { Remote } from "../domain/remote.ts";
import type { AccountService } from "./accounts.ts";

/**
 * Stores the configured objectives, and a placeholder for each objective that only a zone names: the first trip needs its
 * objective even if nothing was imported and the link was never up.
 */
export class ObjectiveSeeds {
  readonly #objectives: ObjectiveService;
  readonly #locale: Locale;
  readonly #onSeeded: (users: readonly ObjectiveUser[]) => void;
  /** A reload changes no accounts. */
  #accounts: readonly ObjectiveUser[] = [];

  /**
   * @param locale of the placeholders' names
   * @param onSeeded called with what uses objectives
   */
  constructor(
    objectives: ObjectiveService,
    locale: Locale,
    onSeeded: (users: readonly ObjectiveUser[]) => void = () => {},
  ) {
    this.#objectives = objectives;
    this.#locale = locale;
    this.#onSeeded = onSeeded;
  }

  /** @param accounts of alarm panels, which create zones later; those of the last call if left out */
  seed(
    configured: ObjectiveImport,
    zones: readonly ObjectiveUser[],
    accounts: readonly ObjectiveUser[] = this.#accounts,
  ): void {
    this.#accounts = accounts;
    const users = [...zones, ...accounts];
    this.#objectives.import(configured, "config");
    this.#objectives.release(configured);
    const named = users.map(({ objective: { type, id } }) => ({
      type,
      name: wording(this.#locale).unnamedObjective(id),
      id,
    }));
    const ofType = (objectiveType: ObjectiveType) =>
      named.filter(({ type }) => type === objectiveType).map(({ id, name }) => ({ id, name }));
    this.#objectives.import(Object.fromEntries(OBJECTIVE_TYPES.map((type) => [type, ofType(type)])), "zone");
    this.#onSeeded(users);
  }
}

/**
 * Creates the initial administrator if there is no account yet. There is no default password: the generated one only
 * allows setting a new one (OWASP ASVS 5.0, 6.4.1).
 * @param newPassword generates a password
 * @param announce called with address and password, also if it is unknown whether they are stored; the password is not readable
 *   afterwards
 * @throws what `accounts` throws
 */
export async function ensureAdministrator(
  accounts: Pick<Remote<AccountService>, "add" | "hasSignInAccounts">,
  newPassword: () => string,
  announce: (account: { email: string; password: string }) => void | Promise<void>,
): Promise<void> {
  if (await accounts.hasSignInAccounts()) return;
  const account = { email: INITIAL_ADMIN_EMAIL, password: newPassword() };
  try {
    const by = { who: "santinela", from: "first start" };
    await accounts.add({ ...account, role: "administrator" }, by, { mustChangePassword: true });
  } catch (error) {
    // It may be stored although its answer is lost. To show a password that is not valid does less harm than to show none.
    if (error instanceof AppError && error.code === "unavailable") await announce(account);
    throw error;
  }
  await announce(account);
}
