import type { Request, Router } from "express";
import type { Config } from "../config/config.ts";
import type { SetupSections } from "../config/merged-config.ts";
import type { LoadOptions } from "../config/load.ts";
import { AppError } from "../domain/errors.ts";
import { validateSetUp } from "../generated/validators.js";
import type { AuthGuards } from "../http/auth-guards.ts";
import { readBody } from "../http/body.ts";
import { validated } from "../service/validation.ts";
import { addResource, json, PUBLIC } from "../http/resource.ts";
import { typedOneTimePassword } from "../ops/secrets.ts";
import { requestObject } from "./request-parameters.ts";
import type { SiteRouteParts } from "./routes.ts";

/** Where the running configuration is, and how it was located. */
export interface SetupParts {
  readonly config: Pick<Config, "file" | "dataDir"> & Partial<SetupSections>;
  readonly load: LoadOptions;
}

/**
 * Set-up of a new installation: its administrator. Public are only whether the initial administrator is unclaimed, and the
 * claim with the one-time code.
 */
export function setupRoutes(router: Router, parts: Pick<SiteRouteParts, "tokens" | "accounts">): void {
  addResource(router, "/site/setup", PUBLIC, {
    get: json(async () => ({ isOpen: (await parts.accounts.initialAdministrator()) !== undefined })),
    post: [readBody, json((request) => claim(request, parts))],
  });
}

/** Set-up of a new installation: its configuration. */
export function setupDraftRoutes(router: Router, guards: AuthGuards, setup: SetupParts): void {
  addResource(router, "/site/setup/draft", guards.administrator, {
    // Loaded on use: reading configurations takes memory that a running daemon does not need otherwise.
    post: [
      readBody,
      json(async (request) => {
        const answers = answersOf(request);
        const { draftConfiguration } = await import("./setup-draft.ts");
        return draftConfiguration(answers, setup);
      }),
    ],
  });
}

/** Replaces the initial administrator by the given account. @returns its token */
async function claim(request: Request, { tokens, accounts }: Pick<SiteRouteParts, "tokens" | "accounts">) {
  const { code, ...own } = validated(validateSetUp, request.body);
  const from = request.ip ?? "control socket";
  const first = await accounts.initialAdministrator();
  if (!first)
    throw new AppError("conflict", "this installation has already been set up", { hint: "Sign in." });
  const { id: accountId, role } = first;
  // Rate-limited like every password.
  const password = typedOneTimePassword(code);
  const principal = { accountId, email: first.email, role, from };
  const account = await tokens.accountOf(principal, password, { hasToken: false });
  if (!account) throw new AppError("forbidden", "invalid one-time code", { reason: "wrong-code" });
  await accounts.claim(account, own, { who: own.email, from });
  return tokens.signIn(own.email, own.password, from);
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
