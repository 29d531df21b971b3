import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import { principalOf, type Gates } from "../authenticate.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import type { SitePorts } from "./site-ports.ts";

/** What people may do with the zones: bypass, restore, walk test, signal test. Operators and administrators only. */
export function zoneRoutes(router: Router, gates: Gates, ports: SitePorts): void {
  const common = { gate: gates.interface, before: [readBody] };
  addResource(router, "/site/zones/:id/bypass", {
    methods: {
      post: (request, response) => {
        const { reason } = bodyOf(request);
        const minutes = minutesOf(request);
        response.json(ports.bypass(idOf(request), { reason, minutes }, actorOf(principalOf(request))));
      },
    },
    ...common,
  });
  addResource(router, "/site/zones/:id/restore", {
    methods: {
      post: (request, response) =>
        void response.json(ports.restore(idOf(request), actorOf(principalOf(request)))),
    },
    gate: gates.interface,
  });
  addResource(router, "/site/signal-test", {
    methods: {
      post: (request, response) => {
        const { zone } = bodyOf(request);
        if (zone !== undefined && typeof zone !== "string")
          throw new AppError("invalid", "zone must be the id of a zone");
        response.json(ports.startSignalTest(zone, actorOf(principalOf(request))));
      },
    },
    ...common,
  });
  addResource(router, "/site/signal-test/:id", {
    methods: { get: (request, response) => void response.json(ports.signalTest(idOf(request))) },
    gate: gates.signedIn,
  });
  addResource(router, "/site/walk-test", {
    methods: {
      get: (_request, response) => void response.json(ports.walkTest()),
      post: (request, response) => walk(ports, request, response),
    },
    gate: gates.signedIn,
    beforeMethod: { post: [...gates.interface, readBody] },
  });
}

function walk(ports: SitePorts, request: Request, response: Response): void {
  const { end } = bodyOf(request);
  const actor = actorOf(principalOf(request));
  response.json(end === true ? ports.endWalkTest(actor) : ports.startWalkTest(minutesOf(request), actor));
}

function idOf(request: Request): string {
  return String(request.params["id"]);
}

function bodyOf(request: Request): Readonly<Record<string, unknown>> {
  const body: unknown = request.body ?? {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("invalid", "send a JSON object");
  return body as Readonly<Record<string, unknown>>;
}

function minutesOf(request: Request): number | undefined {
  const { minutes } = bodyOf(request);
  if (minutes === undefined) return undefined;
  if (typeof minutes !== "number") throw new AppError("invalid", "minutes must be a number");
  return minutes;
}
