import type { Request, Router } from "express";
import { AppError } from "../domain/errors.ts";
import { actorOf, INITIAL_ADMIN_EMAIL, ROLES, type Role } from "../domain/principal.ts";
import { validatePasswordChange } from "../generated/validators.js";
import { principalOf, requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { readBody } from "../http/body.ts";
import { validated } from "../service/validation.ts";
import { oneOf } from "../http/list-filters.ts";
import { addResource, json } from "../http/resource.ts";
import type { AccountView, PersonView } from "./administration-view.ts";
import { accountWith, assertOwnPassword } from "./own-password.ts";
import { requestObject } from "./request-parameters.ts";
import type { SiteRouteParts } from "./routes.ts";

/** Routes of the own account, also while its password must be changed, and of all accounts for administrators. */
export function accountRoutes(
  router: Router,
  guards: AuthGuards,
  {
    tokens,
    accounts,
    deleteNeedsAdministrator,
  }: Pick<SiteRouteParts, "tokens" | "accounts" | "deleteNeedsAdministrator">,
): void {
  const ownAccount = (request: Request): AccountView => {
    const { email, role, mustChangePassword = false, site } = principalOf(request);
    const mayDelete = role === "administrator" || (role === "operator" && !deleteNeedsAdministrator);
    return { email, role, mustChangePassword, mayDelete, ...(site === undefined ? {} : { site }) };
  };
  addResource(router, "/site/account", guards.token, { get: json(ownAccount) });
  addResource(router, "/site/password", guards.token, {
    post: [readBody, json((request) => changePassword(request, { tokens, accounts }))],
  });
  const list = async (): Promise<PersonView[]> =>
    (await accounts.list()).map(({ email, role, disabled }) => ({ email, role, disabled }));
  const add = async (request: Request): Promise<PersonView[]> => {
    await assertOwnPassword(request, tokens, "accounts are changed with it");
    await addAccount(request, accounts);
    return list();
  };
  const all = { get: json(list), post: [readBody, json(add, 201)] };
  addResource(router, "/site/accounts", guards.administrator, all);
  const change = async (request: Request): Promise<PersonView[]> => {
    const email = String(request.params["email"]);
    await assertOwnPassword(request, tokens, "accounts are changed with it");
    const { currentPassword: _own, ...wanted } = requestObject(request);
    const { disabled, password } = wanted;
    const [name = "", second] = Object.keys(wanted);
    if (second !== undefined || !["", "role", "disabled", "password"].includes(name))
      throw new AppError("invalid", 'send {"role"}, {"disabled"} or {"password"}');
    if (typeof disabled === "boolean") await accounts.setDisabled(email, disabled, requestActor(request));
    else if (typeof password === "string")
      await accounts.setPassword(email, password, requestActor(request), { mustChangePassword: true });
    else await accounts.setRole(email, roleOf(request), requestActor(request));
    return list();
  };
  addResource(router, "/site/accounts/:email", guards.administrator, { put: [readBody, json(change)] });
}

/** Adds an account. A password set by an administrator only allows setting a new one. */
async function addAccount(request: Request, accounts: SiteRouteParts["accounts"]): Promise<void> {
  const { email, password } = requestObject(request);
  if (typeof email !== "string" || typeof password !== "string")
    throw new AppError("invalid", 'send {"email", "role", "password"}');
  // A temporary password for this address would reopen the set-up of a claimed installation.
  if (email.toLowerCase() === INITIAL_ADMIN_EMAIL)
    throw new AppError(
      "conflict",
      `${INITIAL_ADMIN_EMAIL} is reserved for the initial administrator; choose another address`,
    );
  const account = { email, role: roleOf(request), password };
  await accounts.add(account, requestActor(request), { mustChangePassword: true });
}

function roleOf(request: Request): Role {
  const { role } = requestObject(request);
  return oneOf("role", role, ROLES);
}

/** Sets the own password and returns a new token. */
async function changePassword(
  request: Request,
  { tokens, accounts }: Pick<SiteRouteParts, "tokens" | "accounts">,
) {
  const principal = principalOf(request);
  const { currentPassword, password } = validated(validatePasswordChange, request.body);
  if (principal.accountId === 0)
    throw new AppError("invalid", "the control socket has no password; use santinela user passwd");
  const account = await accountWith(request, currentPassword, tokens);
  if (password === currentPassword)
    throw new AppError("invalid", "the new password must differ from the current one");
  await accounts.setPassword(principal.email, password, actorOf(principal), { replacing: account });
  return tokens.signInAgain(principal, password);
}
