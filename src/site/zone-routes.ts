import type { Request, Router } from "express";
import { AppError } from "../domain/errors.ts";
import { requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { readBody } from "../http/body.ts";
import { addResource, json } from "../http/resource.ts";
import { onceJson, type FirstResults, type Order } from "./first-results.ts";
import { booleanOf, minutesOf, requestFields, untilHourOf } from "./request-parameters.ts";
import type { SiteApi } from "./site-api.ts";
import type { BypassView, WalkTestView } from "./zone-view.ts";

/** The fields of the requests that change what becomes of trips. */
const BYPASS_FIELDS = ["reason", "minutes", "untilHour"] as const;
const SIMULATION_FIELDS = ["zone", "contact"] as const;
const SIGNAL_TEST_FIELDS = ["zone"] as const;
const WALK_TEST_FIELDS = ["minutes", "extend", "end"] as const;

/** Routes of the zones: all users may read; operators and administrators may bypass, restore and simulate. */
export function zoneRoutes(
  router: Router,
  guards: AuthGuards,
  zones: SiteApi["zones"],
  firstResults: FirstResults,
): void {
  addResource(router, "/site/zones", guards.signedIn, { get: json(() => zones.list()) });
  addResource(router, "/site/zones/:id/source", guards.signedIn, {
    get: json((request) => zones.source(String(request.params["id"]))),
  });
  const bypass = (request: Request): Promise<BypassView> => {
    const fields = requestFields(request, BYPASS_FIELDS);
    const order = { reason: fields.reason, minutes: minutesOf(fields), untilHour: untilHourOf(fields) };
    return zones.bypass(String(request.params["id"]), order, requestActor(request));
  };
  addResource(router, "/site/zones/:id/bypass", guards.api, { post: [readBody, json(bypass)] });
  addResource(router, "/site/zones/:id/restore", guards.api, {
    post: json((request) => zones.restore(String(request.params["id"]), requestActor(request))),
  });
  const simulation = (request: Request): Order => {
    const { zone, contact } = requestFields(request, SIMULATION_FIELDS);
    if (typeof zone !== "string" || (contact !== "open" && contact !== "normal"))
      throw new AppError("invalid", 'send {"zone": "<id>", "contact": "open" or "normal"}');
    const run = () => zones.simulate(zone, contact, requestActor(request));
    return { body: [zone, contact], run };
  };
  addResource(router, "/site/simulate", guards.api, { post: [readBody, onceJson(firstResults, simulation)] });
}

/** Routes of walk tests and signal tests: all users may read, operators and administrators may start them. */
export function fieldTestRoutes(
  router: Router,
  guards: AuthGuards,
  tests: SiteApi["tests"],
  firstResults: FirstResults,
): void {
  const signalTest = (request: Request): Order => {
    const { zone } = requestFields(request, SIGNAL_TEST_FIELDS);
    if (zone !== undefined && typeof zone !== "string")
      throw new AppError("invalid", "zone must be the id of a zone");
    return { body: [zone], run: () => tests.startSignal(zone, requestActor(request)) };
  };
  addResource(router, "/site/signal-test", guards.api, {
    post: [readBody, onceJson(firstResults, signalTest)],
  });
  addResource(router, "/site/signal-test/:id", guards.signedIn, {
    get: json((request) => tests.signal(String(request.params["id"]))),
  });
  const changeWalk = (request: Request): Promise<WalkTestView | null> => {
    const fields = requestFields(request, WALK_TEST_FIELDS);
    const minutes = minutesOf(fields);
    const [isEnd, isExtension] = [booleanOf("end", fields.end), booleanOf("extend", fields.extend)];
    const actor = requestActor(request);
    if (isEnd) return tests.endWalk(actor);
    return isExtension ? tests.extendWalk(minutes, actor) : tests.startWalk(minutes, actor);
  };
  addResource(router, "/site/walk-test", guards.signedIn, {
    get: json(() => tests.walk()),
    post: [...guards.api, readBody, json(changeWalk)],
  });
}

/** Routes of the outputs: all users may read, operators and administrators may test one. */
export function outputRoutes(
  router: Router,
  guards: AuthGuards,
  outputs: SiteApi["outputs"],
  firstResults: FirstResults,
): void {
  addResource(router, "/site/outputs", guards.signedIn, { get: json(() => outputs.list()) });
  addResource(router, "/site/outputs/:name/test", guards.api, {
    post: onceJson(firstResults, (request) => ({
      // Only its path says what is done.
      body: [],
      run: () => outputs.test(String(request.params["name"]), requestActor(request)),
    })),
  });
}
