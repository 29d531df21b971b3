import type { Request, RequestHandler, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import type { Gates } from "../authenticate.ts";
import { readBody } from "../body.ts";
import { parametersOf } from "../list-query.ts";
import { addResource, idOf } from "../resource.ts";
import type { JournalPlace, SitePorts, SyncAction } from "./site-ports.ts";
import { zoneRoutes } from "./zone-routes.ts";

const TRIPS_MAX = 1000;
const SYNC_ACTIONS: readonly SyncAction[] = ["retry", "drop", "reassert"];

/** What the interface has no word for: health, zones, trips, the way to the centre. Anyone signed in may look. */
export function siteRoutes(router: Router, gates: Gates, ports: SitePorts): void {
  const look = (path: string, view: (request: Request) => unknown): void =>
    addResource(router, path, {
      methods: { get: (request, response) => void response.json(view(request)) },
      gate: gates.signedIn,
    });
  const act = (
    path: string,
    action: (request: Request, response: Response) => Promise<void>,
    before: RequestHandler[],
  ): void =>
    addResource(router, path, {
      methods: { post: action },
      gate: gates.interface,
      before,
    });

  look("/site/status", () => ports.status());
  look("/site/zones", () => ports.zones());
  zoneRoutes(router, gates, ports);
  look("/site/trips", (request) => ports.trips(limitOf(request)));
  addResource(router, "/site/journal", {
    methods: { get: (request, response) => sendJournal(ports, request, response) },
    // Who signed in from where is not everybody's business.
    gate: gates.interface,
  });
  addResource(router, "/site/interventions/:id/history", {
    methods: {
      get: (request, response) => void response.json(ports.history(idOf(request, "intervention"))),
    },
    gate: gates.interface,
  });
  look("/site/sync", () => ports.sync());
  act("/site/sync/now", async (_request, response) => void response.json(await ports.syncNow()), []);
  for (const action of SYNC_ACTIONS)
    act(
      `/site/sync/:id/${action}`,
      async (request, response) =>
        void response.json(await ports.syncRecord(idOf(request, "intervention"), action)),
      [],
    );
  act("/site/simulate", (request, response) => simulate(ports, request, response), [readBody]);
}

async function simulate(ports: SitePorts, request: Request, response: Response): Promise<void> {
  const { zone, contact } = (request.body ?? {}) as { zone?: unknown; contact?: unknown };
  if (typeof zone !== "string" || (contact !== "open" && contact !== "normal"))
    throw new AppError("invalid", 'send {"zone": "<id>", "contact": "open" or "normal"}');
  response.json(await ports.simulate(zone, contact));
}

function limitOf(request: Request): number {
  const text = parametersOf(request.originalUrl).get("limit") ?? "100";
  if (!/^\d{1,4}$/.test(text) || Number(text) > TRIPS_MAX)
    throw new AppError("invalid", `limit must be at most ${TRIPS_MAX}`);
  return Number(text);
}

function sendJournal(ports: SitePorts, request: Request, response: Response): void {
  const limit = limitOf(request);
  const { entries, next } = ports.journal(limit, placeOf(request));
  if (next)
    response.set("Link", `</site/journal?limit=${limit}&after=${next.event}.${next.trip}>; rel="next"`);
  response.json(entries);
}

function placeOf(request: Request): JournalPlace | undefined {
  const text = parametersOf(request.originalUrl).get("after");
  if (text === null) return undefined;
  const [, event, trip] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (event === undefined || trip === undefined)
    throw new AppError("invalid", "after must be taken from the Link header of the page before");
  return { event: Number(event), trip: Number(trip) };
}
