import type { Request, Response, Router } from "express";
import { validateCredentials } from "../../generated/validators.js";
import type { Fleet } from "../../service/fleet.ts";
import type { TokenService } from "../../service/tokens.ts";
import { validated } from "../../service/validation.ts";
import { AppError } from "../../domain/errors.ts";
import { isLocal, tokenOf } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource, PUBLIC } from "../resource.ts";
import { SITE_REPORTS_HEADER } from "./fleet.ts";
import { DELETION_REPORTING_HEADER } from "./interventions.ts";

/** POST /auth/token: returns a token for an e-mail address and a password. The only API endpoint without a token. */
export function tokenRoutes(
  router: Router,
  { tokens, fleet }: { readonly tokens: TokenService; readonly fleet: Pick<Fleet, "signInRefused"> },
): void {
  // A site that cannot sign in cannot report: that is not its silence.
  const onSiteRefused = (): void => fleet.signInRefused();
  const create = async (request: Request, response: Response): Promise<void> => {
    const { email, password } = validated(validateCredentials, request.body);
    try {
      const address = isLocal(request) ? undefined : request.ip;
      for (const { name, value } of [SITE_REPORTS_HEADER, DELETION_REPORTING_HEADER])
        response.set(name, value);
      response.json(await tokens.signIn(email, password, address, tokenOf(request), onSiteRefused));
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthenticated")
        response.set("WWW-Authenticate", 'Bearer realm="santinela"');
      throw error;
    }
  };
  addResource(router, "/auth/token", PUBLIC, { post: [readBody, create] });
}
