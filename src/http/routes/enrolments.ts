import type { Request, RequestHandler, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { validateEnrolmentClaim, validateSiteInvitation } from "../../generated/validators.js";
import type { Enrolments } from "../../service/enrolments.ts";
import { validated } from "../../service/validation.ts";
import { requestActor } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { changesAccess, reportIgnoredParameters } from "../list-parameters.ts";
import { listBody, parametersOf, sliceOf } from "../lists.ts";
import { addResource, json, PUBLIC } from "../resource.ts";

/**
 * Accounts of sites: /enrolments for administrators, and the exchange of a one-time code, which is the authentication itself.
 * @param guard administrators of the centre
 */
export function enrolmentRoutes(
  router: Router,
  guard: readonly RequestHandler[],
  enrolments: Enrolments,
): void {
  const invite = (request: Request) =>
    enrolments.invite(validated(validateSiteInvitation, request.body), requestActor(request));
  addResource(router, "/enrolments", guard, {
    get: async (request, response) => {
      const parameters = parametersOf(request.originalUrl);
      reportIgnoredParameters(parameters, response, changesAccess);
      const slice = sliceOf(parameters);
      const { sites, total } = await enrolments.page(slice);
      const records = sites.map((site) => JSON.stringify(site));
      response.type("json").send(listBody(request, response, slice, { records, total }));
    },
    post: [readBody, json(invite, 201)],
  });
  const claim = (request: Request) =>
    enrolments.claim(validated(validateEnrolmentClaim, request.body), request.ip ?? "control socket");
  const revoke = async (site: string, request: Request, response: Response): Promise<void> => {
    await enrolments.revoke(site, requestActor(request));
    response.status(204).end();
  };
  addResource(router, "/enrolments/claim", PUBLIC, {
    post: [readBody, json(claim, 201)],
    // `claim` may be the reference of a site, which must be revocable too.
    delete: [...guard, (request: Request, response: Response) => revoke("claim", request, response)],
  });
  addResource(router, "/enrolments/:site", guard, {
    delete: (request, response) => revoke(siteOf(request), request, response),
  });
}

/** @throws AppError `not-found` for what cannot be a `site.ref` */
function siteOf(request: Request): string {
  const site = String(request.params["site"]);
  if (!/^[A-Za-z0-9][\w.-]{0,31}$/.test(site))
    throw new AppError("not-found", `site ${JSON.stringify(site)} does not exist`);
  return site;
}
