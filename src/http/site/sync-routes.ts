import type { Router } from "express";
import type { AuthGuards } from "../auth-guards.ts";
import { addResource, idOf } from "../resource.ts";
import { hoursOf } from "./hours-parameter.ts";
import type { SyncAction, SyncPort } from "./sync-port.ts";

const ACTIONS: readonly SyncAction[] = ["retry", "drop", "reassert"];

/** The way to the centre: anyone signed in may look, operators and administrators may push. */
export function syncRoutes(router: Router, gates: AuthGuards, sync: SyncPort): void {
  addResource(router, "/site/sync", {
    methods: { get: (_request, response) => void response.json(sync.view()) },
    gate: gates.signedIn,
  });
  addResource(router, "/site/sync/history", {
    methods: { get: (request, response) => void response.json(sync.history(hoursOf(request))) },
    gate: gates.signedIn,
  });
  addResource(router, "/site/sync/now", {
    methods: { post: async (_request, response) => void response.json(await sync.now()) },
    gate: gates.interface,
  });
  addResource(router, "/site/sync/try-centre", {
    methods: { post: async (_request, response) => void response.json(await sync.tryCentre()) },
    gate: gates.interface,
  });
  for (const action of ACTIONS)
    addResource(router, `/site/sync/:id/${action}`, {
      methods: {
        post: async (request, response) =>
          void response.json(await sync.act(idOf(request, "intervention"), action)),
      },
      gate: gates.interface,
    });
}
