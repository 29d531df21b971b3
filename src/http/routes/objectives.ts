import type { RequestHandler, Router } from "express";
import { OBJECTIVE_TYPES } from "../../domain/objective.ts";
import type { ObjectiveService } from "../../service/objectives.ts";
import { objectiveQueryOf, parametersOf } from "../list-query.ts";
import { sendList } from "../list-answer.ts";
import { addResource, idOf } from "../resource.ts";

/** The three objective lists, and each objective by its id. */
export function objectiveRoutes(
  router: Router,
  gate: readonly RequestHandler[],
  objectives: ObjectiveService,
): void {
  for (const type of OBJECTIVE_TYPES) {
    addResource(router, `/${type}`, {
      methods: {
        get: (request, response) => {
          const parameters = parametersOf(request.originalUrl);
          const query = objectiveQueryOf(parameters);
          const { records, total } = objectives.list(type, query);
          const texts = records.map((objective) => JSON.stringify(objective));
          sendList(request, response, query, { records: texts, total });
        },
      },
      gate,
    });
    addResource(router, `/${type}/:id`, {
      methods: {
        get: (request, response) => {
          response.json(objectives.get({ type, id: idOf(request, "objective") }));
        },
      },
      gate,
    });
  }
}
