import type { RequestHandler, Router } from "express";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Remote } from "../domain/remote.ts";
import { isLocal, type AuthGuards } from "../http/auth-guards.ts";
import { metricsRoute, type MetricsPort } from "../http/metrics.ts";
import { addResource, PUBLIC } from "../http/resource.ts";
import type { AccountService } from "../service/accounts.ts";
import type { EventNotes } from "../service/event-notes.ts";
import type { TokenService } from "../service/tokens.ts";
import { accountRoutes } from "./accounts.ts";
import { configurationRoutes, type ConfigurationParts } from "./configuration.ts";
import { discoveryRoutes, type SiteDiscovery } from "./discovery.ts";
import { EventStreams } from "./event-stream.ts";
import { FirstResults } from "./first-results.ts";
import { statusWithPosition } from "./journal-position.ts";
import { machineRoutes } from "./machine.ts";
import { monitoringRoutes } from "./monitoring.ts";
import { objectiveMirrorRoutes } from "./objectives.ts";
import { addressRoute } from "./panel-address.ts";
import { planRoutes, type SitePlansParts } from "./plans.ts";
import { restoreRoutes } from "./restore.ts";
import { settingsRoutes, type SiteSettings } from "./settings.ts";
import { setupDraftRoutes, setupRoutes, type SetupParts } from "./setup.ts";
import type { SiteApi } from "./site-api.ts";
import { syncRoutes } from "./sync.ts";
import { timelineRoutes } from "./timeline.ts";
import { walkTestRoutes } from "./walk-tests.ts";
import { fieldTestRoutes, outputRoutes, zoneRoutes } from "./zone-routes.ts";

export interface SiteRouteParts {
  readonly site: SiteApi;
  // What belongs to one machine; undefined for a dispatch centre whose processes share a database.
  readonly settings: SiteSettings | undefined;
  readonly setup: SetupParts | undefined;
  readonly discovery: SiteDiscovery | undefined;
  readonly configuration: ConfigurationParts | undefined;
  readonly plans: SitePlansParts | undefined;
  readonly tokens: TokenService;
  readonly accounts: Remote<AccountService>;
  /** Whether only administrators may delete. */
  readonly deleteNeedsAdministrator: boolean;
  readonly events: EventNotes;
  /** Metrics with their token. */
  readonly metrics: MetricsPort;
  /** PEM of the own certificate authority; undefined if there is none. */
  readonly authority: () => string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for a damaged page of a database. */
  readonly onDamage: (error: unknown) => void;
}

/**
 * Adds the routes that the contract does not have: /site, the metrics, liveness and readiness.
 * @returns ends open event streams, so that the server can close
 */
export function addSiteRoutes(router: Router, guards: AuthGuards, parts: SiteRouteParts): () => void {
  const { site, settings, setup, configuration, plans, discovery, authority, metrics } = parts;
  metricsRoute(router, metrics);
  addResource(router, "/site/status", guards.signedIn, {
    get: async (_request, response) => {
      const { position, status } = await statusWithPosition(site);
      if (position !== undefined) response.set("Journal-Position", position);
      response.json(status);
    },
  });
  const firstResults = new FirstResults(parts.clock);
  zoneRoutes(router, guards, site.zones, firstResults);
  fieldTestRoutes(router, guards, site.tests, firstResults);
  walkTestRoutes(router, guards, site.walkTests);
  outputRoutes(router, guards, site.outputs, firstResults);
  timelineRoutes(router, guards, site.timeline);
  syncRoutes(router, guards, site.sync);
  objectiveMirrorRoutes(router, guards, site.objectives);
  monitoringRoutes(router, guards, site.monitoring);
  setupRoutes(router, parts);
  if (settings) {
    settingsRoutes(router, guards, { ...parts, settings });
    restoreRoutes(router, guards, { ...parts, settings });
    machineRoutes(router, guards, { ...parts, settings });
  }
  if (setup) {
    setupDraftRoutes(router, guards, setup);
    addressRoute(router, guards, setup);
  }
  if (configuration) configurationRoutes(router, guards, { ...parts, configuration });
  if (plans) planRoutes(router, guards, plans);
  if (discovery) discoveryRoutes(router, guards, discovery);
  accountRoutes(router, guards, parts);
  const streams = new EventStreams(parts, site, guards);
  addResource(router, "/site/events", guards.signedIn, {
    get: (request, response) => streams.open(request, response),
  });
  // Public: needed before a safe sign-in. `santinela cert` shows the fingerprint.
  addResource(router, "/site/ca.crt", PUBLIC, {
    get: (_request, response) => {
      const pem = authority();
      if (pem === undefined)
        throw new AppError("not-found", "this installation has no certificate authority of its own");
      response.type("application/x-x509-ca-cert").attachment("santinela-ca.crt").send(pem);
    },
  });
  healthRoutes(router, site);
  return () => streams.stop();
}

/** Liveness and readiness, over the control socket only. */
function healthRoutes(router: Router, site: SiteApi): void {
  router.get("/healthz", localOnly, (_request, response) => void response.json({ status: "ok" }));
  router.get("/readyz", localOnly, async (_request, response) => {
    const failing = (await site.status()).conditions.filter(({ severity }) => severity === "error");
    response
      .status(failing.length === 0 ? 200 : 503)
      .json({ status: failing.length === 0 ? "ready" : "degraded", conditions: failing });
  });
}

const localOnly: RequestHandler = (request, _response, next) => {
  next(isLocal(request) ? undefined : "route");
};
