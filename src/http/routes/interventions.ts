import { createHash } from "node:crypto";
import type { Request, RequestHandler, Response, Router } from "express";
import { changedFields, type InterventionCreate } from "../../domain/intervention.ts";
import { validateInterventionCreate } from "../../generated/validators.js";
import { etagOf, isKnown, versionOf, type Preconditions, type Records } from "../../service/records.ts";
import { recordsInScope } from "../../service/scoped-records.ts";
import { scopeOfSite } from "../../service/site-scopes.ts";
import { validated } from "../../service/validation.ts";
import type { InterventionQuery } from "../../store/intervention-query.ts";
import type { AppParts } from "../app.ts";
import { principalOf } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { sendJsonText } from "../express-fast-path.ts";
import { idempotencyKeyOf } from "../idempotency-key.ts";
import { whileListIsRead } from "../idle-timeouts.ts";
import { siteOf, syncGroupOf } from "../list-filters.ts";
import { changesInterventions, reportIgnoredParameters } from "../list-parameters.ts";
import { interventionQueryOf, listBody, parametersOf } from "../lists.ts";
import { addResource, idFromPath } from "../resource.ts";

/**
 * Response header of a sign-in by which a site knows that the 404 of a deleted record has the code `deleted`, so that any other
 * record that it misses here was lost.
 */
export const DELETION_REPORTING_HEADER = { name: "Deletion-Reporting", value: "1" } as const;

/**
 * Header of a read with the reference of the record: the 404 of one that exists, and that the account of the site may no longer
 * use, then has the code `out-of-scope`. Without it such a record looks as if it did not exist.
 */
const REFERENCE_HEADER = "Record-Reference";

/** Header of the daemon's own requests with the key of a trip that joins the record. */
const TRIP_KEY = "trip-key";

type InterventionRouteParts = Pick<AppParts, "records" | "timezone" | "siteScopes" | "hasUpstream">;

/** Routes of interventions: list, create, read, change, delete. */
export function interventionRoutes(
  router: Router,
  { guard, deleteGuard }: { guard: readonly RequestHandler[]; deleteGuard: readonly RequestHandler[] },
  parts: InterventionRouteParts,
): void {
  const { records } = parts;
  addResource(router, "/interventii", guard, {
    get: async (request, response) => {
      const query = await listQueryOf(request, response, parts);
      const closed = new AbortController();
      response.once("close", () => closed.abort());
      const reading = recordsInScope(principalOf(request), records).page(query, closed.signal);
      const list = await whileListIsRead(request, reading).catch((error: unknown) => {
        if (!closed.signal.aborted) throw error;
      });
      if (list) sendJsonText(response, listBody(request, response, query, list));
    },
    post: [readBody, (request, response) => create(records, request, response)],
  });

  const update = async (request: Request, response: Response): Promise<void> => {
    const hasTripJoined = (request.headers[TRIP_KEY] ?? "") !== "";
    const change = { ...preconditionsOf(request), body: request.body as unknown, hasTripJoined };
    const id = idFromPath(request, "intervention");
    const principal = principalOf(request);
    const { record, rev } = await recordsInScope(principal, records).change(id, change, principal);
    response.set("ETag", etagOf(rev)).json(record);
  };
  const remove = async (request: Request, response: Response): Promise<void> => {
    const id = idFromPath(request, "intervention");
    const principal = principalOf(request);
    const match = preconditionsOf(request);
    const record = await recordsInScope(principal, records).remove(id, match, principal);
    // Clients that need the deleted record can request it (RFC 7240).
    if (prefersRepresentation(request))
      response.set("Preference-Applied", "return=representation").json(record);
    else response.status(204).end();
  };
  addResource(router, "/interventii/:id", guard, {
    get: async (request, response) => {
      const id = idFromPath(request, "intervention");
      const reference = request.get(REFERENCE_HEADER);
      const { record, rev } = await recordsInScope(principalOf(request), records).get(id, reference);
      response.set("ETag", etagOf(rev));
      if (isKnown(request.get("If-None-Match"), versionOf(rev))) response.status(304).end();
      else response.json(record);
    },
    put: [readBody, update],
    patch: [readBody, update],
    delete: [...deleteGuard, remove],
  });
}

/** @throws AppError `invalid` */
async function listQueryOf(
  request: Request,
  response: Response,
  { timezone, siteScopes, hasUpstream }: InterventionRouteParts,
): Promise<InterventionQuery> {
  const parameters = parametersOf(request.originalUrl);
  const hasOutbox = hasUpstream();
  reportIgnoredParameters(parameters, response, (name) => changesInterventions(name, parameters, hasOutbox));
  const sync = hasOutbox ? syncGroupOf(parameters) : undefined;
  const site = siteOf(parameters);
  const principal = principalOf(request);
  const scope = site === undefined ? undefined : await scopeOfSite(site, principal, siteScopes);
  return { ...interventionQueryOf(parameters, timezone), sync, scope, account: principal.accountId };
}

async function create(records: Records, request: Request, response: Response): Promise<void> {
  const body = validated(validateInterventionCreate, request.body);
  const key = idempotencyKeyOf(request);
  const idempotency = key === undefined ? undefined : { key, fingerprint: fingerprintOf(body) };
  const principal = principalOf(request);
  const created = recordsInScope(principal, records).create(body, principal, idempotency);
  const { record, rev, replayed } = await created;
  // The echo tells a client that repeating the request is safe.
  if (idempotency) response.set("Idempotency-Key", request.get("Idempotency-Key") ?? "");
  if (replayed) response.set("Idempotency-Replayed", "true");
  response
    .status(201)
    .set("Location", `${request.baseUrl}/interventii/${record.id}`)
    .set("ETag", etagOf(rev))
    .json(record);
}

/**
 * Equal for requests with the same fields in any order; unknown fields are ignored. Defaults are excluded, so that a
 * release with a new field still recognises earlier requests.
 */
function fingerprintOf(body: InterventionCreate): string {
  return createHash("sha256")
    .update(JSON.stringify(changedFields(body)))
    .digest("base64");
}

function preconditionsOf(request: Request): Preconditions {
  return { ifMatch: request.get("If-Match"), ifNoneMatch: request.get("If-None-Match") };
}

/** `Prefer: return=representation` (RFC 7240), possibly with other preferences. */
function prefersRepresentation(request: Request): boolean {
  const preferences = (request.get("Prefer") ?? "").split(",");
  return preferences.some((one) => /^return\s?=\s?"?representation"?$/.test(one.split(";")[0]?.trim() ?? ""));
}
