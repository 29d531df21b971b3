import type { ErrorRequestHandler, Request, Response, RequestHandler, Router } from "express";
import { isoTime } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { silentSecondsFor } from "../../domain/site-silence.ts";
import { SITE_LEVELS, type SiteState } from "../../domain/site-state.ts";
import type { FleetSummary, RecordSite, SiteDetail, SiteView } from "../../generated/types.ts";
import { validateSiteReport } from "../../generated/validators.js";
import type { Fleet } from "../../service/fleet.ts";
import { validated } from "../../service/validation.ts";
import type { SiteQuery } from "../../store/sites.ts";
import type { AppParts } from "../app.ts";
import { principalOf } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { errorResponse } from "../errors.ts";
import { keepForNextReport } from "../idle-timeouts.ts";
import { idsOf, oneOf, only } from "../list-filters.ts";
import { changesSites, reportIgnoredParameters } from "../list-parameters.ts";
import { listBody, pagingOf, parametersOf } from "../lists.ts";
import { addResource, idFromPath, json } from "../resource.ts";

/** Response header of a sign-in by which a site knows that this centre accepts reports, with the version of their format. */
export const SITE_REPORTS_HEADER = { name: "Site-Reports", value: "1" } as const;

/**
 * Routes of a dispatch centre beside the contract: the reports of sites, and the states that result from them.
 * @param deleteGuard who may remove a site
 */
export function fleetRoutes(
  router: Router,
  { guard, deleteGuard }: { guard: readonly RequestHandler[]; deleteGuard: readonly RequestHandler[] },
  { fleet, siteScopes, silenceTimes }: Pick<AppParts, "fleet" | "siteScopes" | "silenceTimes">,
): void {
  addResource(router, "/site-reports", guard, {
    post: [readBody, (request, response) => takeReport(fleet, request, response)],
  });
  router.use("/site-reports", noteRefusal(fleet));
  addResource(router, "/sites", guard, {
    get: async (request, response) => {
      reportIgnoredParameters(parametersOf(request.originalUrl), response, changesSites);
      const query = siteQueryOf(request);
      const { sites, total } = await fleet.page(query);
      const records = sites.map((site) => JSON.stringify(siteView(site)));
      response.type("json").send(listBody(request, response, query, { records, total }));
    },
  });
  addResource(router, "/sites/summary", guard, {
    get: json(async (request): Promise<FleetSummary> => {
      assertWholeFleet(request);
      const { counts, silent } = await fleet.counts();
      return { ...counts, silent };
    }),
  });
  addResource(router, "/sites/records", guard, {
    get: json(async (request): Promise<readonly RecordSite[]> => {
      assertWholeFleet(request);
      return siteScopes.creatorsOf(idsOf(request));
    }),
  });
  addResource(router, "/sites/:id", guard, {
    get: json(async (request): Promise<SiteDetail> => {
      const id = idFromPath(request, "site");
      const { site, history } = await fleet.get(id);
      if ((principalOf(request).site ?? site.ref) !== site.ref)
        throw new AppError("not-found", `site ${id} does not exist`);
      return {
        site: siteView(site),
        silentS: silentSecondsFor(site.ref, silenceTimes()),
        history: history.map(({ atMs, ...change }) => ({ at: isoTime(atMs), ...change })),
      };
    }),
    delete: [
      ...deleteGuard,
      async (request, response) => {
        await fleet.remove(idFromPath(request, "site"), principalOf(request));
        response.status(204).end();
      },
    ],
  });
}

async function takeReport(fleet: Fleet, request: Request, response: Response): Promise<void> {
  await fleet.report(validated(validateSiteReport, request.body), principalOf(request));
  keepForNextReport(response);
  // Ten thousand sites get this each minute, some over a radio link: the headers that protect a browser are left out.
  for (const name of [...response.getHeaderNames(), "Connection"]) response.removeHeader(name);
  response.status(204).end();
}

/** A report that was refused for a reason of this centre, before it was given to the fleet too, is not the silence of its site. */
function noteRefusal(fleet: Fleet): ErrorRequestHandler {
  return (error, _request, _response, next) => {
    const { statusCode } = errorResponse(error);
    if (statusCode === 429 || statusCode >= 500) fleet.reportsMissed();
    next(error);
  };
}

/** @throws AppError `forbidden` for the account of a site */
function assertWholeFleet(request: Request): void {
  if (principalOf(request).site !== undefined)
    throw new AppError("forbidden", "the account of a site sees its own site only");
}

const SORTS = ["level", "name", "reportedAt"] as const;

/** @throws AppError `invalid` */
function siteQueryOf(request: Request): SiteQuery {
  const parameters = parametersOf(request.originalUrl);
  const { search, start, end } = pagingOf(parameters);
  const levels = parameters.getAll("level").map((text) => oneOf("level", text, SITE_LEVELS));
  const silent = only(parameters, "silent");
  const { site } = principalOf(request);
  return {
    levels,
    ...(silent === undefined ? {} : { isSilent: oneOf("silent", silent, ["0", "1"]) === "1" }),
    search,
    ref: site,
    sort: oneOf("_sort", only(parameters, "_sort") || "level", SORTS),
    descending:
      oneOf("_order", (only(parameters, "_order") || "ASC").toUpperCase(), ["ASC", "DESC"]) === "DESC",
    start,
    end,
  };
}

function siteView(site: SiteState): SiteView {
  const { id, level, sinceMs, reportedAtMs, silentSinceMs, interventionId, clockOffsetMs, report } = site;
  return {
    id,
    level,
    since: isoTime(sinceMs),
    reportedAt: isoTime(reportedAtMs),
    silentSince: silentSinceMs === null ? null : isoTime(silentSinceMs),
    interventionId,
    clockOffsetMs,
    report,
  };
}
