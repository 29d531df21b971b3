import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { validateSetUp } from "../../generated/validators.js";
import type { AccountService } from "../../service/accounts.ts";
import type { TokenService } from "../../service/tokens.ts";
import type { AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import { validated } from "../validate.ts";
import { requestObject } from "./request-body.ts";
import type { SetupPort } from "./setup-port.ts";

/**
 * Set-up of a new installation: its administrator and its configuration. Public are only whether the initial administrator
 * is unclaimed, and the claim with the one-time code.
 */
export function setupRoutes(
  router: Router,
  guards: AuthGuards,
  { tokens, accounts, setup }: { tokens: TokenService; accounts: AccountService; setup: SetupPort },
): void {
  const claim = async (request: Request, response: Response): Promise<void> => {
    const { code, email, password } = validated(validateSetUp, request.body);
    const from = request.ip ?? "control socket";
    const first = accounts.initialAdministrator();
    if (!first)
      throw new AppError("conflict", "this installation has already been set up", { hint: "Sign in." });
    const { id: accountId, role } = first;
    // Rate-limited like every password.
    const account = await tokens.accountOf({ accountId, email: first.email, role, from }, code.trim(), {
      hasToken: false,
    });
    if (!account) throw new AppError("forbidden", "invalid one-time code");
    await accounts.claim(account, { email, password }, { who: email, from });
    response.json(await tokens.signIn(email, password, from));
  };
  addResource(router, "/site/setup", {
    methods: {
      get: (_request, response) =>
        void response.json({ isOpen: accounts.initialAdministrator() !== undefined }),
      post: claim,
    },
    beforeMethod: { post: [readBody] },
  });
  addResource(router, "/site/setup/draft", {
    methods: { post: (request, response) => void response.json(setup.draft(answersOf(request))) },
    guard: [...guards.api, guards.administrator],
    before: [readBody],
  });
}

/** @throws AppError `invalid` if an answer is not a text */
function answersOf(request: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(requestObject(request)).map(([name, answer]) => {
      if (typeof answer !== "string")
        throw new AppError("invalid", `the answer to ${JSON.stringify(name)} must be a text`);
      return [name, answer];
    }),
  );
}
