import type { RequestListener } from "node:http";
import express, { Router, type ErrorRequestHandler, type RequestHandler } from "express";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { AccountService } from "../service/accounts.ts";
import type { EventService } from "../service/events.ts";
import type { InterventionService } from "../service/interventions.ts";
import type { ObjectiveService } from "../service/objectives.ts";
import type { TokenService } from "../service/tokens.ts";
import { isBusy } from "../store/database.ts";
import { isDiskFull, isUnwritable } from "../store/transaction.ts";
import { createAuthGuards, isLocal, type AuthGuards } from "./auth-guards.ts";
import { closeUnreadBody } from "./body.ts";
import { allowOrigins } from "./cors.ts";
import { errorResponse } from "./errors.ts";
import { createExpressClasses, installFastJson, type ExpressCompatibleClasses } from "./express-fast-path.ts";
import { metricsRoute, type MetricsPort } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";
import { panelRouter } from "./panel.ts";
import { addResource } from "./resource.ts";
import { interventionRoutes } from "./routes/interventions.ts";
import { objectiveRoutes } from "./routes/objectives.ts";
import { tokenRoutes } from "./routes/token.ts";
import { accountRoute } from "./site/own-account-route.ts";
import { SiteEvents } from "./site/events.ts";
import { peopleRoutes } from "./site/accounts-routes.ts";
import type { RestorePort } from "./site/restore-port.ts";
import { restoreRoutes } from "./site/restore-routes.ts";
import type { SetupPort } from "./site/setup-port.ts";
import { setupRoutes } from "./site/setup-routes.ts";
import { settingsRoutes } from "./site/settings-routes.ts";
import type { SettingsPort } from "./site/settings-port.ts";
import type { SitePorts } from "./site/site-ports.ts";
import { passwordRoute } from "./site/password-route.ts";
import { siteRoutes } from "./site/site-routes.ts";
import { hostGuard, readTarget } from "./request-target.ts";

export interface AppParts {
  readonly interventions: InterventionService;
  readonly objectives: ObjectiveService;
  readonly tokens: TokenService;
  readonly accounts: AccountService;
  readonly events: EventService;
  readonly site: SitePorts;
  readonly settings: SettingsPort & RestorePort;
  readonly setup: SetupPort;
  readonly clock: Clock;
  /** Where the built panel lies; undefined for a daemon without one. */
  readonly panel: { readonly folder: string; readonly locale: string } | undefined;
  /** What a Prometheus server reads, and its token. */
  readonly metrics: MetricsPort;
  /** PEM of this installation's own authority; undefined where it has none. */
  readonly authority: () => string | undefined;
  readonly log: Log;
  /** Prefix of the interface's paths, without a slash at the end. */
  readonly basePath: string;
  /** Exact origins of web pages that may call from a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether operators may not delete. */
  readonly deleteNeedsAdministrator: boolean;
  /** Names under which this machine may be called, beside those that always work. */
  readonly hosts: readonly string[];
  /** A new name for a request, unlike any other of this installation. */
  readonly newRequestId: () => string;
}

/** The parts that are served, as against how. */
export type ServedParts = Pick<
  AppParts,
  | "tokens"
  | "accounts"
  | "events"
  | "interventions"
  | "objectives"
  | "site"
  | "metrics"
  | "settings"
  | "setup"
>;

export interface App {
  readonly handle: RequestListener;
  /** What a server makes its requests and responses from; `handle` takes others too, only slower. */
  readonly born: ExpressCompatibleClasses;
  /** Ends the answers that would go on: a server cannot close while one is open. */
  readonly endStreams: () => void;
}

/** The whole HTTP application: the interface at its base path, /site, and JSON for every failure. */
export function createApp(parts: AppParts): App {
  const app = express();
  installFastJson(app);
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  const gates = createAuthGuards(parts.tokens, parts.events);
  app.use(secureHeaders(parts.newRequestId), closeUnreadBody, allowOrigins(parts.corsOrigins));
  app.use(hostGuard(parts.hosts), readablePath(gates.token));
  app.use(parts.basePath || "/", interfaceRouter(parts, gates));
  const events = new SiteEvents({
    clock: parts.clock,
    ports: parts.site,
    isStillIn: gates.isStillAuthorized,
  });
  app.use(siteRouter(parts, gates, events));
  if (parts.panel) app.use(panelRouter(parts.panel.folder, { ...parts.panel, basePath: parts.basePath }));
  app.use(unknownPath);
  app.use(answerError(parts.log));
  return { handle: readTarget(app), born: createExpressClasses(app), endStreams: () => events.stop() };
}

/** An address that cannot be decoded leads nowhere; who has no token does not even learn that. */
function readablePath(gate: readonly RequestHandler[]): RequestHandler {
  const router = Router();
  router.use(...gate, () => {
    throw new AppError("invalid", "the address is not well formed");
  });
  return (request, response, next) => {
    try {
      decodeURIComponent(request.path);
    } catch {
      request.url = "/";
      router(request, response, next);
      return;
    }
    next();
  };
}

function interfaceRouter(
  { interventions, objectives, tokens, basePath, deleteNeedsAdministrator }: AppParts,
  { interface: allowed, administrator }: AuthGuards,
): Router {
  const router = Router({ caseSensitive: true });
  tokenRoutes(router, tokens);
  objectiveRoutes(router, allowed, objectives);
  const mayDelete = deleteNeedsAdministrator ? [administrator] : [];
  interventionRoutes(router, { gate: allowed, mayDelete }, interventions);
  const document = openApiDocument(basePath);
  addResource(router, "/openapi.json", {
    methods: { get: (_request, response) => void response.json(document) },
    gate: allowed,
  });
  return router;
}

function siteRouter(
  { tokens, accounts, events, authority, site, settings, setup, metrics }: AppParts,
  gates: AuthGuards,
  streams: SiteEvents,
): Router {
  const router = Router({ caseSensitive: true });
  metricsRoute(router, metrics);
  siteRoutes(router, gates, site);
  settingsRoutes(router, gates, { settings, site, events });
  restoreRoutes(router, gates, settings);
  setupRoutes(router, gates, { tokens, accounts, setup });
  streams.addTo(router, gates);
  accountRoute(router, gates);
  peopleRoutes(router, gates, accounts);
  passwordRoute(router, gates, { tokens, accounts });
  // Public by its nature, and needed before anyone can sign in safely; its fingerprint comes from `santinela cert`.
  addResource(router, "/site/ca.crt", {
    methods: {
      get: (_request, response) => {
        const pem = authority();
        if (pem === undefined)
          throw new AppError("not-found", "this installation has no authority of its own");
        response.type("application/x-x509-ca-cert").attachment("santinela-ca.crt").send(pem);
      },
    },
  });
  // Over the control socket only: whether the process lives, and whether it does its work.
  router.get("/healthz", localOnly, (_request, response) => void response.json({ status: "ok" }));
  router.get("/readyz", localOnly, (_request, response) => {
    const failing = site.status().conditions.filter(({ severity }) => severity === "error");
    response
      .status(failing.length === 0 ? 200 : 503)
      .json({ status: failing.length === 0 ? "ready" : "degraded", conditions: failing });
  });
  return router;
}

const localOnly: RequestHandler = (request, _response, next) => {
  next(isLocal(request) ? undefined : "route");
};

/** For an API that no page should ever frame, sniff or keep (OWASP REST security cheat sheet). */
function secureHeaders(newRequestId: () => string): RequestHandler {
  return (_request, response, next) => {
    // Names the request in the log, for whoever asks what went wrong.
    response.setHeader("X-Request-Id", newRequestId());
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("X-Content-Type-Options", "nosniff");
    next();
  };
}

const unknownPath: RequestHandler = (request) => {
  throw new AppError("not-found", `there is nothing at ${request.method} ${request.path}`);
};

/** What a disk in trouble is to a client: nothing was stored, and the same request may be sent again. */
function operatingError(cause: unknown): unknown {
  if (cause instanceof AppError && cause.code !== "storage") return cause;
  if (isBusy(cause))
    return new AppError("unavailable", "the database is busy; try again", { retryAfterS: 1, cause });
  if (!isUnwritable(cause)) return cause;
  const trouble = isDiskFull(cause)
    ? "the disk of this device is full"
    : "the disk of this device cannot be written";
  const hint = "Nothing was stored. Free space on the disk or check it, then send the same request again.";
  return new AppError("unavailable", trouble, { hint, retryAfterS: DISK_RETRY_S, cause });
}

/** As long as a person needs at least to make room. */
const DISK_RETRY_S = 30;

function answerError(log: Log): ErrorRequestHandler {
  return (cause: unknown, request, response, next) => {
    const error = operatingError(cause);
    const body = errorResponse(error);
    if (body.statusCode >= 500)
      log.error("request-failed", {
        requestId: response.get("X-Request-Id"),
        method: request.method,
        path: request.path,
        error,
      });
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof AppError && error.retryAfterS !== undefined)
      response.set("Retry-After", String(error.retryAfterS));
    response.status(body.statusCode).json(body);
  };
}
