import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import type { AuthGuards } from "../auth-guards.ts";
import { parametersOf } from "../list-query.ts";
import { addResource, idOf } from "../resource.ts";
import type { TimelineCursor, TimelinePort } from "./journal-port.ts";

const ENTRIES_MAX = 1000;

/** What has happened at the site: trips for anyone signed in; who did what for operators and administrators. */
export function journalRoutes(router: Router, gates: AuthGuards, journal: TimelinePort): void {
  addResource(router, "/site/trips", {
    methods: { get: (request, response) => void response.json(journal.trips(limitOf(request))) },
    gate: gates.signedIn,
  });
  addResource(router, "/site/journal", {
    methods: { get: (request, response) => sendPage(journal, request, response) },
    // Who signed in from where is not everybody's business.
    gate: gates.interface,
  });
  addResource(router, "/site/interventions/:id/history", {
    methods: {
      get: (request, response) => void response.json(journal.history(idOf(request, "intervention"))),
    },
    gate: gates.interface,
  });
}

function limitOf(request: Request): number {
  const text = parametersOf(request.originalUrl).get("limit") ?? "100";
  if (!/^\d{1,4}$/.test(text) || Number(text) > ENTRIES_MAX)
    throw new AppError("invalid", `limit must be at most ${ENTRIES_MAX}`);
  return Number(text);
}

function sendPage(journal: TimelinePort, request: Request, response: Response): void {
  const limit = limitOf(request);
  const { entries, next } = journal.page(limit, placeOf(request));
  if (next)
    response.set("Link", `</site/journal?limit=${limit}&after=${next.event}.${next.trip}>; rel="next"`);
  response.json(entries);
}

function placeOf(request: Request): TimelineCursor | undefined {
  const text = parametersOf(request.originalUrl).get("after");
  if (text === null) return undefined;
  const [, event, trip] = /^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? [];
  if (event === undefined || trip === undefined)
    throw new AppError("invalid", "after must be taken from the Link header of the page before");
  return { event: Number(event), trip: Number(trip) };
}
