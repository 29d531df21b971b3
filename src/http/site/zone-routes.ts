import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { addResource } from "../resource.ts";
import { hoursOf } from "./hours-parameter.ts";
import { minutesOf, requestObject } from "./request-body.ts";
import type { ZonePort } from "./zone-port.ts";

/** Routes of the zones: all users may read; operators and administrators may bypass, restore and simulate. */
export function zoneRoutes(router: Router, guards: AuthGuards, zones: ZonePort): void {
  addResource(router, "/site/zones", {
    methods: { get: (_request, response) => void response.json(zones.list()) },
    guard: guards.signedIn,
  });
  addResource(router, "/site/zones/history", {
    methods: { get: (request, response) => void response.json(zones.history(hoursOf(request))) },
    guard: guards.signedIn,
  });
  addResource(router, "/site/zones/:id/bypass", {
    methods: {
      post: (request, response) => {
        const { reason } = requestObject(request);
        const minutes = minutesOf(request);
        response.json(zones.bypass(zoneIdOf(request), { reason, minutes }, actorOf(principalOf(request))));
      },
    },
    guard: guards.api,
    before: [readBody],
  });
  addResource(router, "/site/zones/:id/restore", {
    methods: {
      post: (request, response) =>
        void response.json(zones.restore(zoneIdOf(request), actorOf(principalOf(request)))),
    },
    guard: guards.api,
  });
  addResource(router, "/site/simulate", {
    methods: { post: (request, response) => simulate(zones, request, response) },
    guard: guards.api,
    before: [readBody],
  });
}

async function simulate(zones: ZonePort, request: Request, response: Response): Promise<void> {
  const { zone, contact } = requestObject(request);
  if (typeof zone !== "string" || (contact !== "open" && contact !== "normal"))
    throw new AppError("invalid", 'send {"zone": "<id>", "contact": "open" or "normal"}');
  response.json(await zones.simulate(zone, contact));
}

function zoneIdOf(request: Request): string {
  return String(request.params["id"]);
}
