import type { Request, RequestHandler, Response, Router } from "express";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../../domain/objective.ts";
import { VERSION } from "../../generated/version.ts";
import type { ObjectiveLists } from "../../service/objectives.ts";
import { isKnown } from "../../service/records.ts";
import { principalOf } from "../auth-guards.ts";
import { changesObjectives, reportIgnoredParameters } from "../list-parameters.ts";
import { listBody, objectiveQueryOf, parametersOf } from "../lists.ts";
import { CompressedPages } from "../compressed-pages.ts";
import { addResource, idFromPath, json } from "../resource.ts";

/** The three objective lists and single objectives, limited to those that the account sees. */
export function objectiveRoutes(
  router: Router,
  guard: readonly RequestHandler[],
  objectives: ObjectiveLists,
): void {
  const pages = new CompressedPages();
  for (const type of OBJECTIVE_TYPES) {
    addResource(router, `/${type}`, guard, {
      get: (request, response) => list(type, { objectives, pages }, request, response),
    });
    addResource(router, `/${type}/:id`, guard, {
      get: json((request) => {
        const ref = { type, id: idFromPath(request, "objective") };
        return objectives.get(ref, principalOf(request).objectives);
      }),
    });
  }
}

/** All pages of a list have the same ETag, so that a client can check the whole list with its first page. */
async function list(
  type: ObjectiveType,
  { objectives, pages }: { objectives: ObjectiveLists; pages: CompressedPages },
  request: Request,
  response: Response,
): Promise<void> {
  const parameters = parametersOf(request.originalUrl);
  reportIgnoredParameters(parameters, response, changesObjectives);
  const query = objectiveQueryOf(parameters);
  const { objectives: scope, accountId: account } = principalOf(request);
  // Read before the rows: a change in between then causes an extra request and is never missed. The release is part of
  // the version, because another release may format the same rows differently.
  const version = `${await objectives.version(type, scope)}-${VERSION}`;
  response.vary("Accept-Encoding");
  const isCurrent = isKnown(request.get("If-None-Match"), version);
  if (!isCurrent && pages.sendCached(request, response, version)) return;
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  // Only a sort field needs the rows to be validated.
  const isKnownToClient = isCurrent && query.sort.length === 0;
  const asked = { type, query, scope, account };
  const found = isKnownToClient ? undefined : await objectives.list(asked, closed.signal);
  // Weak, because compressed and plain responses share it.
  response.setHeader("ETag", `W/"${version}"`);
  if (isCurrent || !found) {
    response.status(304).end();
    return;
  }
  await pages.send(request, response, { version, text: listBody(request, response, query, found) });
}
