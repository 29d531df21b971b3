import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import type { AuthGuards } from "../auth-guards.ts";
import { parametersOf } from "../list-query.ts";
import { addResource, idOf } from "../resource.ts";
import type { TimelineCursor, TimelinePort } from "./journal-port.ts";

const ENTRIES_MAX = 1000;

/** Routes of the history: trips for all users, the timeline for operators and administrators. */
export function journalRoutes(router: Router, guards: AuthGuards, journal: TimelinePort): void {
  addResource(router, "/site/trips", {
    methods: { get: (request, response) => void response.json(journal.trips(limitOf(request))) },
    guard: guards.signedIn,
  });
  addResource(router, "/site/journal", {
    methods: { get: (request, response) => sendPage(journal, request, response) },
    // Not for viewers: it contains sign-ins with their addresses.
    guard: guards.api,
  });
  addResource(router, "/site/interventions/:id/history", {
    methods: {
      get: (request, response) => void response.json(journal.history(idOf(request, "intervention"))),
    },
    guard: guards.api,
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
    throw new AppError("invalid", "after must be the value of the Link header of the previous page");
  return { event: Number(event), trip: Number(trip) };
}
