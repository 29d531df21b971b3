import type { Request, RequestHandler, Response, Router } from "express";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../../domain/objective.ts";
import { isPlain } from "../../domain/objective-query.ts";
import { VERSION } from "../../generated/version.ts";
import type { ObjectiveService } from "../../service/objectives.ts";
import { principalOf } from "../auth-guards.ts";
import { isKnown, tagOf } from "../conditional.ts";
import { objectiveQueryOf, parametersOf } from "../list-query.ts";
import { listBody } from "../list-response.ts";
import { CompressedPages } from "../compressed-pages.ts";
import { addResource, idOf } from "../resource.ts";

/** The three objective lists, and each objective by its id, as far as the account sees them. */
export function objectiveRoutes(
  router: Router,
  gate: readonly RequestHandler[],
  objectives: ObjectiveService,
): void {
  const pages = new CompressedPages();
  for (const type of OBJECTIVE_TYPES) {
    addResource(router, `/${type}`, {
      methods: { get: (request, response) => list(type, { objectives, pages }, request, response) },
      gate,
    });
    addResource(router, `/${type}/:id`, {
      methods: {
        get: (request, response) => {
          const ref = { type, id: idOf(request, "objective") };
          response.json(objectives.get(ref, principalOf(request).objectives));
        },
      },
      gate,
    });
  }
}

/** All pages of a list have one tag, that of the list: a client that has read all of them asks for the first one again. */
async function list(
  type: ObjectiveType,
  { objectives, pages }: { objectives: ObjectiveService; pages: CompressedPages },
  request: Request,
  response: Response,
): Promise<void> {
  const query = objectiveQueryOf(parametersOf(request.originalUrl));
  const scope = principalOf(request).objectives;
  // Read before the rows: a change between the two is then fetched once too often, and never missed. Another release
  // may describe the same rows in another way.
  const version = `${objectives.version(type, scope)}-${VERSION}`;
  response.vary("Accept-Encoding");
  const hasIt = isKnown(request, version);
  if (!hasIt && pages.sendKept(request, response, version)) return;
  // Only the rows show whether a field to sort by is one that they have.
  const found = hasIt && isPlain(query) ? undefined : objectives.list(type, query, scope);
  response.setHeader("ETag", tagOf(version));
  if (hasIt || !found) {
    response.status(304).end();
    return;
  }
  const records = found.records.map((objective) => JSON.stringify(objective));
  const text = listBody(request, response, query, { records, total: found.total });
  await pages.send(request, response, { version, text });
}
