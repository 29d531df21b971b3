import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import { minutesOf, requestObject } from "./request-body.ts";
import type { FieldTestPort } from "./field-test-port.ts";

/** Walk tests and signal tests: anyone signed in may look, operators and administrators may start one. */
export function testRoutes(router: Router, gates: AuthGuards, tests: FieldTestPort): void {
  addResource(router, "/site/signal-test", {
    methods: {
      post: (request, response) => {
        const { zone } = requestObject(request);
        if (zone !== undefined && typeof zone !== "string")
          throw new AppError("invalid", "zone must be the id of a zone");
        response.json(tests.startSignal(zone, actorOf(principalOf(request))));
      },
    },
    gate: gates.interface,
    before: [readBody],
  });
  addResource(router, "/site/signal-test/:id", {
    methods: {
      get: (request, response) => void response.json(tests.signal(String(request.params["id"]))),
    },
    gate: gates.signedIn,
  });
  addResource(router, "/site/walk-test", {
    methods: {
      get: (_request, response) => void response.json(tests.walk()),
      post: (request, response) => walk(tests, request, response),
    },
    gate: gates.signedIn,
    beforeMethod: { post: [...gates.interface, readBody] },
  });
}

function walk(tests: FieldTestPort, request: Request, response: Response): void {
  const { end } = requestObject(request);
  const actor = actorOf(principalOf(request));
  response.json(end === true ? tests.endWalk(actor) : tests.startWalk(minutesOf(request), actor));
}
