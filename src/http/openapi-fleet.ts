import { SITE_LEVELS } from "../domain/site-state.ts";
import {
  listOf,
  operation,
  type Operation,
  PAGING,
  query,
  schema,
  sliceOf,
  textLike,
} from "./openapi-parts.ts";

/** The operations of a dispatch centre that the contract does not have. */
export const FLEET_OPERATIONS: readonly Operation[] = [
  operation("POST /site-reports", "operator", "reportSite", {
    summary: "Send the status report of a site",
    body: schema("SiteReport"),
    success: [204, "Accepted; the connection is kept for the next report"],
    errors: [409, 503],
  }),
  operation("GET /enrolments", "administrator", "listSiteAccess", {
    summary: "List the sites that have an account or a one-time code, by their reference",
    query: PAGING,
    ...sliceOf("SiteAccess"),
    errors: [503],
  }),
  operation("POST /enrolments", "administrator", "inviteSite", {
    summary: "Create a one-time code for a site",
    body: schema("SiteInvitation"),
    answer: schema("EnrolmentCode"),
    success: [201, "The code, which is shown once"],
    errors: [409, 503],
  }),
  operation("POST /enrolments/claim", "none", "enrolSite", {
    summary: "Exchange a one-time code for the account of a site",
    body: schema("EnrolmentClaim"),
    answer: schema("EnrolledSite"),
    success: [201, "The account; its password is the one in the request"],
    errors: [403, 409, 429, 503],
  }),
  operation("DELETE /enrolments/claim", "administrator", "revokeSiteNamedClaim", {
    summary: "Revoke the site with the reference claim",
    success: [204, "Revoked"],
    errors: [404, 503],
  }),
  operation("DELETE /enrolments/{site}", "administrator", "revokeSite", {
    summary: "Disable the account of a site and remove its one-time code",
    success: [204, "Revoked"],
    errors: [404, 503],
  }),
  operation("GET /sites", "operator", "listSites", {
    summary: "List the sites that report here, the most serious first",
    query: [
      ...PAGING,
      query("q", "Text in name or reference, ignoring case and accents", { type: "string", maxLength: 200 }),
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
    ...sliceOf("SiteView"),
    errors: [503],
  }),
  operation("GET /sites/summary", "operator", "getFleetSummary", {
    summary: "Numbers of sites by level",
    answer: schema("FleetSummary"),
    success: [200, "The numbers"],
    errors: [503],
  }),
  operation("GET /sites/records", "operator", "listSitesOfInterventions", {
    summary: "The sites that have created these interventions",
    query: [
      query("ids", "1 to 100 ids of interventions, separated by commas", {
        type: "string",
        pattern: "^[1-9]\\d{0,14}(,[1-9]\\d{0,14})*$",
      }),
    ],
    answer: listOf("RecordSite"),
    success: [200, "Of those that a site has created, by id"],
    errors: [503],
  }),
  operation("GET /sites/{id}", "operator", "getSite", {
    summary: "Read a site with its history",
    answer: schema("SiteDetail"),
    success: [200, "The site"],
    errors: [404, 503],
  }),
  operation("DELETE /sites/{id}", "administrator", "deleteSite", {
    summary: "Remove a site that no longer exists",
    success: [204, "Removed"],
    errors: [404, 503],
  }),
].map((one) => ({ ...one, summary: `${one.summary}; not part of the contract` }));
