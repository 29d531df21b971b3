import { RECORD_FIELDS } from "../domain/intervention.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import { SYNC_GROUPS } from "../domain/sync-group.ts";
import {
  header,
  operation,
  type Operation,
  PAGING,
  query,
  schema,
  sliceOf,
  TEXT,
  textHeader,
  textLike,
} from "./openapi-parts.ts";

const RECORD = schema("Intervention");
const LIST_TAG = { ETag: textHeader("Version of the whole list, the same for all pages") };
const ETAG = { ETag: textHeader("Its version, for If-Match and If-None-Match") };
const IF_MATCH = header("If-Match", "Only if the record still has this ETag");
const IF_NONE_MATCH = header("If-None-Match", "Only if the record no longer has this ETag");
const CHANGE = {
  query: [IF_MATCH, IF_NONE_MATCH],
  body: schema("InterventionUpdate"),
  answer: RECORD,
  success: [200, "The updated intervention"],
  headers: ETAG,
  errors: [404, 412, 429, 503],
} as const;

/** The operations of the contract. */
export const CONTRACT_OPERATIONS: readonly Operation[] = [
  operation("POST /auth/token", "none", "createToken", {
    summary: "Obtain an access token",
    body: schema("Credentials"),
    answer: schema("AccessToken"),
    success: [200, "The token and its lifetime in seconds"],
    errors: [401, 429, 503],
  }),
  ...OBJECTIVE_TYPES.map((type) => [type, type.replace("obiective/", "")] as const).flatMap(
    ([type, name]) => [
      operation(`GET /${type}`, "operator", `list_${name}`, {
        summary: `List objectives of type ${name}`,
        query: [
          ...PAGING,
          query("id", "Only objectives with these ids", { type: "array", items: schema("Id") }),
          header("If-None-Match", "Return the list only if its ETag has changed"),
        ],
        ...sliceOf("Objective", LIST_TAG),
        others: { "304": { description: "The list still has the ETag of If-None-Match" } },
        errors: [429, 503],
      }),
      operation(`GET /${type}/{id}`, "operator", `get_${name}`, {
        summary: `Read one objective of type ${name}`,
        answer: schema("Objective"),
        success: [200, "The objective"],
        errors: [400, 404, 503],
      }),
    ],
  ),
  operation("GET /interventii", "operator", "listInterventions", {
    summary: "List interventions",
    query: [
      ...PAGING,
      query("_sort", "Fields to sort by, separated by commas", textLike("dateStart")),
      query("q", "Text in name, description or notes, ignoring case and accents", {
        type: "string",
        maxLength: 200,
      }),
      query("_order", "ASC or DESC for each field, in any case", textLike("DESC")),
      query(
        "sync",
        "Only records that have arrived at the dispatch centre, that wait for it, or that need attention; unknown without a dispatch centre",
        { type: "string", enum: SYNC_GROUPS },
      ),
      query(
        "site",
        "Only the records of the site with this reference: those at the objectives of its account, and those that the account has created",
        textLike("hala-nord"),
      ),
      ...RECORD_FIELDS.map((field) =>
        query(
          field,
          `Only records with one of these values of ${field}; also ${field}_ne, _gte, _lte, _like`,
          {
            type: "array",
            items: TEXT,
          },
        ),
      ),
    ],
    ...sliceOf("Intervention"),
    errors: [429, 503],
  }),
  operation("POST /interventii", "operator", "createIntervention", {
    summary: "Create an intervention",
    query: [
      header(
        "Idempotency-Key",
        "A repeated request with the same key and body creates nothing: it returns the first response, after 30 days the record as it is",
      ),
    ],
    body: schema("InterventionCreate"),
    answer: RECORD,
    success: [201, "The created intervention"],
    headers: { Location: textHeader("URL of the record"), ...ETAG },
    errors: [404, 422, 429, 503],
  }),
  operation("GET /interventii/{id}", "operator", "getIntervention", {
    summary: "Read an intervention",
    query: [header("If-None-Match", "Return the record only if its ETag has changed")],
    answer: RECORD,
    success: [200, "The intervention"],
    headers: ETAG,
    others: { "304": { description: "The record still has the ETag of If-None-Match" } },
    errors: [400, 404, 503],
  }),
  operation("PUT /interventii/{id}", "operator", "updateIntervention", {
    summary: "Change the fields of the body",
    ...CHANGE,
  }),
  operation("PATCH /interventii/{id}", "operator", "patchIntervention", {
    summary: "The same as PUT",
    ...CHANGE,
  }),
  operation("DELETE /interventii/{id}", "operator", "deleteIntervention", {
    summary: "Delete an intervention permanently",
    query: [IF_MATCH, IF_NONE_MATCH, header("Prefer", "return=representation returns the deleted record")],
    answer: RECORD,
    success: [200, "Deleted; the previous record"],
    others: { "204": { description: "Deleted" } },
    errors: [404, 412, 429, 503],
  }),
];
