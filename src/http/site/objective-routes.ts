import type { Router } from "express";
import type { AuthGuards } from "../auth-guards.ts";
import { disableIdleTimeout } from "../connection-limits.ts";
import { addResource } from "../resource.ts";
import type { ObjectivePort } from "./objective-port.ts";

/** The copy of the centre's objectives: anyone signed in may look, operators and administrators may have it read anew. */
export function objectiveCopyRoutes(router: Router, gates: AuthGuards, objectives: ObjectivePort): void {
  addResource(router, "/site/objectives", {
    methods: { get: (_request, response) => void response.json(objectives.view()) },
    gate: gates.signedIn,
  });
  addResource(router, "/site/objectives/pull", {
    methods: {
      post: async (_request, response) => {
        disableIdleTimeout(response);
        response.json(await objectives.pull({ isLossAccepted: false }));
      },
    },
    gate: gates.interface,
  });
  addResource(router, "/site/objectives/accept-loss", {
    methods: {
      post: async (_request, response) => {
        disableIdleTimeout(response);
        response.json(await objectives.pull({ isLossAccepted: true }));
      },
    },
    gate: gates.interface,
  });
}
