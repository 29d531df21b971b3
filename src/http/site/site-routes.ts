import type { Router } from "express";
import type { AuthGuards } from "../auth-guards.ts";
import { addResource } from "../resource.ts";
import { journalRoutes } from "./journal-routes.ts";
import { objectiveCopyRoutes } from "./objective-routes.ts";
import type { SitePorts } from "./site-ports.ts";
import { syncRoutes } from "./sync-routes.ts";
import { testRoutes } from "./field-test-routes.ts";
import { zoneRoutes } from "./zone-routes.ts";

/** What the interface has no word for: health, zones, tests, what has happened, the way to the centre. */
export function siteRoutes(router: Router, gates: AuthGuards, ports: SitePorts): void {
  addResource(router, "/site/status", {
    methods: { get: (_request, response) => void response.json(ports.status()) },
    gate: gates.signedIn,
  });
  zoneRoutes(router, gates, ports.zones);
  testRoutes(router, gates, ports.tests);
  journalRoutes(router, gates, ports.journal);
  syncRoutes(router, gates, ports.sync);
  objectiveCopyRoutes(router, gates, ports.objectives);
}
