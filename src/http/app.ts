import type { RequestListener } from "node:http";
import express, { Router, type RequestHandler } from "express";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Conditions } from "../domain/condition.ts";
import type { Log } from "../domain/log.ts";
import type { SilenceTimes } from "../domain/site-silence.ts";
import type { EventNotes } from "../service/event-notes.ts";
import type { Enrolments } from "../service/enrolments.ts";
import type { Fleet } from "../service/fleet.ts";
import type { ObjectiveLists } from "../service/objectives.ts";
import { limitedRecords } from "../service/limited-records.ts";
import type { Records } from "../service/records.ts";
import type { SiteScopes } from "../service/site-scopes.ts";
import type { TokenService } from "../service/tokens.ts";
import { createAuthGuards, type AuthGuards } from "./auth-guards.ts";
import { closeUnreadBody } from "./body.ts";
import { answerError } from "./errors.ts";
import { createExpressClasses, installFastJson, type ExpressCompatibleClasses } from "./express-fast-path.ts";
import { panelRouter } from "./panel.ts";
import { addResource, json } from "./resource.ts";
import { enrolmentRoutes } from "./routes/enrolments.ts";
import { fleetRoutes } from "./routes/fleet.ts";
import { interventionRoutes } from "./routes/interventions.ts";
import { objectiveRoutes } from "./routes/objectives.ts";
import { tokenRoutes } from "./routes/token.ts";
import { hostGuard, readTarget } from "./request-target.ts";
import { RetryPause } from "./retry-pause.ts";

export interface AppParts {
  readonly records: Records;
  /** IANA time zone of dates without an offset. */
  readonly timezone: string;
  readonly fleet: Fleet;
  /** After which time without a report the sites are silent, as configured now. */
  readonly silenceTimes: () => SilenceTimes;
  readonly objectives: ObjectiveLists;
  readonly enrolments: Enrolments;
  readonly siteScopes: SiteScopes;
  /** Whether the records are sent to a dispatch centre; a reload may change it. */
  readonly hasUpstream: () => boolean;
  readonly tokens: TokenService;
  readonly events: EventNotes;
  /** Adds the routes that the contract does not have. @returns ends their open responses */
  readonly addSiteRoutes: (router: Router, guards: AuthGuards) => () => void;
  /** Folder of the built web panel; undefined for a daemon without one. */
  readonly panel: { readonly folder: string; readonly locale: string } | undefined;
  readonly log: Log;
  readonly clock: Clock;
  readonly conditions: Conditions;
  /** Prefix of the API's paths, without a trailing slash. */
  readonly basePath: string;
  /** Exact origins of web pages that may use the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether only administrators may delete. */
  readonly deleteNeedsAdministrator: boolean;
  /** Additional host names of this machine. */
  readonly hosts: readonly string[];
  /** Called when a request has met a damaged page of a database. */
  readonly onDamage: (error: unknown) => void;
  /** Generates a unique request id. */
  readonly newRequestId: () => string;
}

export interface App {
  readonly handle: RequestListener;
  /** Request and response classes for the server; `handle` accepts others too, but is slower then. */
  readonly classes: ExpressCompatibleClasses;
  /** Ends open event streams, so that the server can close. */
  readonly endStreams: () => void;
}

/** Creates the HTTP application: the API at its base path, /site, the web panel, and JSON errors. */
export function createApp(parts: AppParts): App {
  const app = express();
  // Before the first use, which creates the router of the base path.
  app.enable("case sensitive routing");
  installFastJson(app);
  app.disable("x-powered-by");
  app.disable("etag");
  app.set("query parser", false);
  const guards = createAuthGuards(parts.tokens, parts.events);
  app.use(secureHeaders(parts.newRequestId), closeUnreadBody, allowOrigins(parts.corsOrigins));
  app.use(hostGuard(parts.hosts), readablePath(guards.token));
  app.use(parts.basePath || "/", apiRouter(parts, guards));
  const siteRouter = Router({ caseSensitive: true });
  const endStreams = parts.addSiteRoutes(siteRouter, { ...guards, ...guards.installation });
  app.use(siteRouter);
  if (parts.panel) app.use(panelRouter(parts.panel.folder, { ...parts.panel, basePath: parts.basePath }));
  app.use(unknownPath);
  app.use(answerError(parts.log, new RetryPause(parts.clock), parts.onDamage));
  return {
    handle: readTarget(app, parts.newRequestId),
    classes: createExpressClasses(app),
    endStreams,
  };
}

/** Rejects a path that cannot be decoded, after authentication. */
function readablePath(guard: readonly RequestHandler[]): RequestHandler {
  const router = Router();
  router.use(...guard, () => {
    throw new AppError("invalid", "malformed URL");
  });
  return (request, response, next) => {
    try {
      if (request.path.includes("%")) decodeURIComponent(request.path);
    } catch {
      request.url = "/";
      router(request, response, next);
      return;
    }
    next();
  };
}

function apiRouter(parts: AppParts, { api, administrator, installation }: AuthGuards): Router {
  const { objectives, enrolments, basePath, deleteNeedsAdministrator } = parts;
  const router = Router({ caseSensitive: true });
  const deleteGuard = deleteNeedsAdministrator ? administrator : [];
  // First, because Express compares a path with each route in turn.
  const records = limitedRecords(parts.records, parts);
  interventionRoutes(router, { guard: api, deleteGuard }, { ...parts, records });
  tokenRoutes(router, parts);
  objectiveRoutes(router, api, objectives);
  fleetRoutes(router, { guard: api, deleteGuard: installation.administrator }, parts);
  enrolmentRoutes(router, installation.administrator, enrolments);
  // Loaded on use: most daemons are never asked for it.
  const document = async (): Promise<unknown> => (await import("./openapi.ts")).openApiDocument(basePath);
  addResource(router, "/openapi.json", api, { get: json(document) });
  return router;
}

/** Security headers of the OWASP REST security cheat sheet. */
function secureHeaders(newRequestId: () => string): RequestHandler {
  return (_request, response, next) => {
    // The log names the request by this id.
    response.setHeader("X-Request-Id", newRequestId());
    response.setHeader("Cache-Control", "no-store");
    response.setHeader("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("X-Content-Type-Options", "nosniff");
    next();
  };
}

/**
 * Allows web pages of exactly these origins (Fetch standard, CORS protocol): no wildcard, no reflection, no credentials.
 * Without origins no headers are added.
 */
function allowOrigins(origins: readonly string[]): RequestHandler {
  const allowed = new Set(origins);
  return (request, response, next) => {
    if (allowed.size > 0) {
      response.vary("Origin");
      const { origin } = request.headers;
      if (origin !== undefined && allowed.has(origin)) {
        response.set({
          "Access-Control-Allow-Origin": origin,
          "Access-Control-Expose-Headers":
            "X-Total-Count, X-Ignored-Parameters, ETag, Location, Link, Retry-After, X-Request-Id, X-Error-Code, " +
            "Idempotency-Key, Idempotency-Replayed, Preference-Applied",
        });
        if (request.method === "OPTIONS")
          response.set({
            "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
            "Access-Control-Allow-Headers":
              "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer",
            "Access-Control-Max-Age": "600",
          });
      }
    }
    next();
  };
}

const unknownPath: RequestHandler = (request) => {
  throw new AppError("not-found", `no route for ${request.method} ${request.path}`);
};
