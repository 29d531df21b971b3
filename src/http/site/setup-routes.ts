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
 * The way of a new installation to its first administrator and its configuration. Public is whether the administrator
 * of the first start is still nobody's, and the door for whoever has its one-time password.
 */
export function setupRoutes(
  router: Router,
  gates: AuthGuards,
  { tokens, accounts, setup }: { tokens: TokenService; accounts: AccountService; setup: SetupPort },
): void {
  const claim = async (request: Request, response: Response): Promise<void> => {
    const { code, email, password } = validated(validateSetUp, request.body);
    const from = request.ip ?? "control socket";
    const first = accounts.initialAdministrator();
    if (!first)
      throw new AppError("conflict", "this installation has been set up already", { hint: "Sign in." });
    const { id: accountId, role } = first;
    // Counted and slowed down as every password is.
    const shown = await tokens.accountOf({ accountId, email: first.email, role, from }, code.trim(), {
      hasToken: false,
    });
    if (!shown) throw new AppError("forbidden", "this is not the code that the first start has shown");
    await accounts.claim(shown, { email, password }, { who: email, from });
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
    gate: [...gates.interface, gates.administrator],
    before: [readBody],
  });
}

/** @throws AppError `invalid` for anything but texts by name */
function answersOf(request: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(requestObject(request)).map(([name, answer]) => {
      if (typeof answer !== "string")
        throw new AppError("invalid", `the answer to ${JSON.stringify(name)} must be a text`);
      return [name, answer];
    }),
  );
}
