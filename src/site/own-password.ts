import type { Request } from "express";
import { AppError } from "../domain/errors.ts";
import { isLocal, principalOf } from "../http/auth-guards.ts";
import { requestObject } from "./request-parameters.ts";
import type { SiteRouteParts } from "./routes.ts";

/**
 * Asserts that a request has the password of its account, as `currentPassword`. A stolen session must not give its thief an
 * account, with a password that confirms further changes. The control socket has none.
 * @param purpose what is done with it, for the refusal
 * @throws AppError `forbidden`, and as `TokenService.accountOf`
 */
export async function assertOwnPassword(
  request: Request,
  tokens: SiteRouteParts["tokens"],
  purpose: string,
): Promise<void> {
  if (isLocal(request)) return;
  const { currentPassword } = requestObject(request);
  if (typeof currentPassword !== "string")
    throw new AppError("forbidden", `send currentPassword, your own password: ${purpose}`);
  await accountWith(request, currentPassword, tokens);
}

/**
 * The account of a request, whose password must be right. Not 401: the token is valid, and a client that signs out on 401 would
 * lose its form.
 * @throws AppError `forbidden`, and as `TokenService.accountOf`
 */
export async function accountWith(request: Request, password: string, tokens: SiteRouteParts["tokens"]) {
  const account = await tokens.accountOf(principalOf(request), password, { hasToken: true });
  if (account) return account;
  throw new AppError("forbidden", "your current password is incorrect", { reason: "wrong-credentials" });
}
