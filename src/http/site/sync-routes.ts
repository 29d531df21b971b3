import type { Router } from "express";
import type { AuthGuards } from "../auth-guards.ts";
import { addResource, idOf } from "../resource.ts";
import { hoursOf } from "./hours-parameter.ts";
import type { SyncAction, SyncPort } from "./sync-port.ts";

const ACTIONS: readonly SyncAction[] = ["retry", "drop", "reassert"];

/** Routes of the sync: all users may read, operators and administrators may act. */
export function syncRoutes(router: Router, guards: AuthGuards, sync: SyncPort): void {
  addResource(router, "/site/sync", {
    methods: { get: (_request, response) => void response.json(sync.view()) },
    guard: guards.signedIn,
  });
  addResource(router, "/site/sync/history", {
    methods: { get: (request, response) => void response.json(sync.history(hoursOf(request))) },
    guard: guards.signedIn,
  });
  addResource(router, "/site/sync/now", {
    methods: { post: async (_request, response) => void response.json(await sync.now()) },
    guard: guards.api,
  });
  addResource(router, "/site/sync/try-centre", {
    methods: { post: async (_request, response) => void response.json(await sync.tryCentre()) },
    guard: guards.api,
  });
  for (const action of ACTIONS)
    addResource(router, `/site/sync/:id/${action}`, {
      methods: {
        post: async (request, response) =>
          void response.json(await sync.act(idOf(request, "intervention"), action)),
      },
      guard: guards.api,
    });
}
