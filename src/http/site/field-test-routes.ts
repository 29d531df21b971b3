import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import { minutesOf, requestObject } from "./request-body.ts";
import type { FieldTestPort } from "./field-test-port.ts";

/** Routes of walk tests and signal tests: all users may read, operators and administrators may start them. */
export function testRoutes(router: Router, guards: AuthGuards, tests: FieldTestPort): void {
  addResource(router, "/site/signal-test", {
    methods: {
      post: (request, response) => {
        const { zone } = requestObject(request);
        if (zone !== undefined && typeof zone !== "string")
          throw new AppError("invalid", "zone must be the id of a zone");
        response.json(tests.startSignal(zone, actorOf(principalOf(request))));
      },
    },
    guard: guards.api,
    before: [readBody],
  });
  addResource(router, "/site/signal-test/:id", {
    methods: {
      get: (request, response) => void response.json(tests.signal(String(request.params["id"]))),
    },
    guard: guards.signedIn,
  });
  addResource(router, "/site/walk-test", {
    methods: {
      get: (_request, response) => void response.json(tests.walk()),
      post: (request, response) => walk(tests, request, response),
    },
    guard: guards.signedIn,
    beforeMethod: { post: [...guards.api, readBody] },
  });
}

function walk(tests: FieldTestPort, request: Request, response: Response): void {
  const { end } = requestObject(request);
  const actor = actorOf(principalOf(request));
  response.json(end === true ? tests.endWalk(actor) : tests.startWalk(minutesOf(request), actor));
}
