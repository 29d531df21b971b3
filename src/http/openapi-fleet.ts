import { SITE_LEVELS } from "../domain/site-state.ts";
import {
  failures,
  ID,
  jsonBody,
  jsonResponse,
  type Json,
  listResponse,
  PAGING,
  query,
  schema,
  textLike,
} from "./openapi-parts.ts";

/** The operations of a dispatch centre that the contract does not have. */
export function fleetPaths(): Json {
  return {
    "/site-reports": {
      post: {
        operationId: "reportSite",
        summary: "Report that a site is alive; not part of the contract",
        requestBody: jsonBody("SiteReport"),
        responses: {
          "204": { description: "Taken; the connection is kept for the next report" },
          ...failures(400, 401, 403, 409, 413, 415, 500, 503),
        },
      },
    },
    "/sites": {
      get: {
        operationId: "listSites",
        summary: "List the sites that report here, the most serious first; not part of the contract",
        parameters: [
          ...PAGING,
          query("q", "Text in name or reference, ignoring case and accents", {
            type: "string",
            maxLength: 200,
          }),
          query("level", "Only sites of these levels", {
            type: "array",
            items: { type: "string", enum: SITE_LEVELS },
          }),
          query("_sort", "trouble, name or reportedAt", textLike("trouble")),
          query("_order", "ASC or DESC, in any case", textLike("ASC")),
        ],
        responses: { "200": listResponse("SiteView"), ...failures(400, 401, 403, 500) },
      },
    },
    "/sites/summary": {
      get: {
        operationId: "getFleetSummary",
        summary: "Numbers of sites by level; not part of the contract",
        responses: {
          "200": jsonResponse("The numbers", schema("FleetSummary")),
          ...failures(401, 403, 500),
        },
      },
    },
    "/sites/{id}": {
      get: {
        operationId: "getSite",
        summary: "Read a site with its history; not part of the contract",
        parameters: [ID],
        responses: {
          "200": jsonResponse("The site", schema("SiteDetail")),
          ...failures(401, 403, 404, 500),
        },
      },
      delete: {
        operationId: "deleteSite",
        summary: "Remove a site that no longer exists; not part of the contract",
        parameters: [ID],
        responses: { "204": { description: "Removed" }, ...failures(401, 403, 404, 500, 503) },
      },
    },
  };
}
