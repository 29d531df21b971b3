import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf, INITIAL_ADMIN_EMAIL, ROLES, type Role } from "../../domain/principal.ts";
import type { AccountService } from "../../service/accounts.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import type { PersonView } from "./account-view.ts";
import { requestObject } from "./request-body.ts";

/** Routes of accounts, for administrators. A password set by an administrator only allows setting a new one. */
export function accountRoutes(router: Router, guards: AuthGuards, accounts: AccountService): void {
  const guard = [...guards.api, guards.administrator];
  const list = (): PersonView[] =>
    accounts.list().map(({ email, role, disabled }) => ({ email, role, disabled }));
  const add = async (request: Request, response: Response): Promise<void> => {
    const { email, password } = requestObject(request);
    if (typeof email !== "string" || typeof password !== "string")
      throw new AppError("invalid", 'send {"email", "role", "password"}');
    // A temporary password for this address would reopen the set-up of a claimed installation.
    if (email.toLowerCase() === INITIAL_ADMIN_EMAIL)
      throw new AppError(
        "conflict",
        `${INITIAL_ADMIN_EMAIL} is reserved for the initial administrator; choose another address`,
      );
    const by = actorOf(principalOf(request));
    await accounts.add({ email, role: roleOf(request), password }, by, { mustChangePassword: true });
    response.status(201).json(list());
  };
  addResource(router, "/site/accounts", {
    methods: { get: (_request, response) => void response.json(list()), post: add },
    guard,
    beforeMethod: { post: [readBody] },
  });
  const change = (request: Request, response: Response): void => {
    const email = String(request.params["email"]);
    const { disabled } = requestObject(request);
    const by = actorOf(principalOf(request));
    if (typeof disabled === "boolean") accounts.setDisabled(email, disabled, by);
    else accounts.setRole(email, roleOf(request), by);
    response.json(list());
  };
  addResource(router, "/site/accounts/:email", { methods: { put: change }, guard, before: [readBody] });
}

function roleOf(request: Request): Role {
  const { role } = requestObject(request);
  const found = ROLES.find((one) => one === role);
  if (!found) throw new AppError("invalid", `role must be one of ${ROLES.join(", ")}`);
  return found;
}
