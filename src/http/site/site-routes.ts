import type { Router } from "express";
import type { AuthGuards } from "../auth-guards.ts";
import { addResource } from "../resource.ts";
import { journalRoutes } from "./journal-routes.ts";
import { objectiveCopyRoutes } from "./objective-routes.ts";
import type { SitePorts } from "./site-ports.ts";
import { syncRoutes } from "./sync-routes.ts";
import { testRoutes } from "./field-test-routes.ts";
import { zoneRoutes } from "./zone-routes.ts";

/** Routes of the site API: status, zones, tests, history, sync and objectives. */
export function siteRoutes(router: Router, guards: AuthGuards, ports: SitePorts): void {
  addResource(router, "/site/status", {
    methods: { get: (_request, response) => void response.json(ports.status()) },
    guard: guards.signedIn,
  });
  zoneRoutes(router, guards, ports.zones);
  testRoutes(router, guards, ports.tests);
  journalRoutes(router, guards, ports.journal);
  syncRoutes(router, guards, ports.sync);
  objectiveCopyRoutes(router, guards, ports.objectives);
}
