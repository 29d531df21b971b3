import type { ConfirmationView } from "../site/configuration-view.ts";
import { request } from "./api.ts";
import { nowMs } from "./clock.ts";
import { account } from "./session.ts";

/** The password that was entered again: valid for a few minutes, and kept in this page only. */
let confirmation: { readonly secret: string; readonly email: string; readonly untilMs: number } | undefined;

/** The confirmation of the signed-in account; undefined if the password has to be entered. */
export function validConfirmation(): string | undefined {
  if (!confirmation || confirmation.email !== account.value?.email) return undefined;
  return nowMs() < confirmation.untilMs ? confirmation.secret : undefined;
}

/** Forgets a confirmation that the daemon no longer accepts. */
export function forgetConfirmation(): void {
  confirmation = undefined;
}

/** @returns the confirmation for the password of the signed-in account. @throws ApiError */
export async function confirm(password: string): Promise<string> {
  const { body } = await request<ConfirmationView>("/site/configuration/confirmation", {
    method: "POST",
    body: { password },
  });
  const untilMs = nowMs() + body.expiresInS * 1000;
  confirmation = { secret: body.confirmation, email: account.value?.email ?? "", untilMs };
  return body.confirmation;
}
