import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import { validatePasswordChange } from "../../generated/validators.js";
import type { AccountService } from "../../service/accounts.ts";
import type { TokenService } from "../../service/tokens.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import { validated } from "../validate.ts";

/** POST /site/password: sets the own password and returns a new token. */
export function passwordRoute(
  router: Router,
  guards: AuthGuards,
  { tokens, accounts }: { tokens: TokenService; accounts: AccountService },
): void {
  const change = async (request: Request, response: Response): Promise<void> => {
    const principal = principalOf(request);
    const { currentPassword, password } = validated(validatePasswordChange, request.body);
    if (principal.accountId === 0)
      throw new AppError("invalid", "the control socket has no password; use santinela user passwd");
    // Not 401: the token is valid, and a client that signs out on 401 would lose its form.
    const account = await tokens.accountOf(principal, currentPassword, { hasToken: true });
    if (!account) throw new AppError("forbidden", "currentPassword is incorrect");
    if (password === currentPassword)
      throw new AppError("invalid", "the new password must differ from the current one");
    await accounts.setPassword(principal.email, password, actorOf(principal), { replacing: account });
    response.json(await tokens.signIn(principal.email, password, principal.from));
  };
  addResource(router, "/site/password", {
    methods: { post: change },
    guard: guards.token,
    before: [readBody],
  });
}
