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
        summary: "Send the status report of a site; not part of the contract",
        requestBody: jsonBody("SiteReport"),
        responses: {
          "204": { description: "Accepted; the connection is kept for the next report" },
          ...failures(400, 401, 403, 409, 413, 415, 500, 503),
        },
      },
    },
    ...enrolmentPaths(),
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
          query("silent", "1: only silent sites; 0: only sites that report", {
            type: "string",
            enum: ["0", "1"],
          }),
          query("_sort", "level, name or reportedAt", textLike("level")),
          query("_order", "ASC or DESC, in any case", textLike("ASC")),
        ],
        responses: { "200": listResponse("SiteView"), ...failures(400, 401, 403, 500, 503) },
      },
    },
    "/sites/summary": {
      get: {
        operationId: "getFleetSummary",
        summary: "Numbers of sites by level; not part of the contract",
        responses: {
          "200": jsonResponse("The numbers", schema("FleetSummary")),
          ...failures(401, 403, 500, 503),
        },
      },
    },
    "/sites/records": { get: SITES_OF_INTERVENTIONS },
    "/sites/{id}": {
      get: {
        operationId: "getSite",
        summary: "Read a site with its history; not part of the contract",
        parameters: [ID],
        responses: {
          "200": jsonResponse("The site", schema("SiteDetail")),
          ...failures(401, 403, 404, 500, 503),
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

const SITES_OF_INTERVENTIONS: Json = {
  operationId: "listSitesOfInterventions",
  summary: "The sites that have created these interventions; not part of the contract",
  parameters: [
    query("ids", "1 to 100 ids of interventions, separated by commas", {
      type: "string",
      pattern: "^[1-9]\\d{0,14}(,[1-9]\\d{0,14})*$",
    }),
  ],
  responses: {
    "200": jsonResponse("Of those that a site has created, by id", {
      type: "array",
      items: schema("RecordSite"),
    }),
    ...failures(400, 401, 403, 500, 503),
  },
};

/** The accounts of sites. */
function enrolmentPaths(): Json {
  return {
    "/enrolments": {
      get: {
        operationId: "listSiteAccess",
        summary: "List the sites that have an account or a one-time code; not part of the contract",
        responses: {
          "200": jsonResponse("By their reference", { type: "array", items: schema("SiteAccess") }),
          ...failures(401, 403, 500, 503),
        },
      },
      post: {
        operationId: "inviteSite",
        summary: "Create a one-time code for a site; not part of the contract",
        requestBody: jsonBody("SiteInvitation"),
        responses: {
          "201": jsonResponse("The code, which is shown once", schema("EnrolmentCode")),
          ...failures(400, 401, 403, 409, 413, 415, 500, 503),
        },
      },
    },
    "/enrolments/claim": {
      post: {
        operationId: "enrolSite",
        summary: "Exchange a one-time code for the account of a site; not part of the contract",
        security: [],
        requestBody: jsonBody("EnrolmentClaim"),
        responses: {
          "201": jsonResponse("The account; its password is the one in the request", schema("EnrolledSite")),
          ...failures(400, 403, 409, 413, 415, 429, 500, 503),
        },
      },
      delete: {
        operationId: "revokeSiteNamedClaim",
        summary: "Revoke the site with the reference claim; not part of the contract",
        responses: { "204": { description: "Revoked" }, ...failures(401, 403, 404, 500, 503) },
      },
    },
    "/enrolments/{site}": {
      delete: {
        operationId: "revokeSite",
        summary: "Disable the account of a site and remove its one-time code; not part of the contract",
        parameters: [
          {
            name: "site",
            in: "path",
            required: true,
            schema: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$" },
          },
        ],
        responses: { "204": { description: "Revoked" }, ...failures(401, 403, 404, 500, 503) },
      },
    },
  };
}
