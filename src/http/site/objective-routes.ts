import type { Router } from "express";
import type { AuthGuards } from "../auth-guards.ts";
import { disableIdleTimeout } from "../connection-limits.ts";
import { addResource } from "../resource.ts";
import type { ObjectivePort } from "./objective-port.ts";

/** Routes of the objective mirror: all users may read it, operators and administrators may start a pull. */
export function objectiveCopyRoutes(router: Router, guards: AuthGuards, objectives: ObjectivePort): void {
  addResource(router, "/site/objectives", {
    methods: { get: (_request, response) => void response.json(objectives.view()) },
    guard: guards.signedIn,
  });
  addResource(router, "/site/objectives/pull", {
    methods: {
      post: async (_request, response) => {
        disableIdleTimeout(response);
        response.json(await objectives.pull({ isLossAccepted: false }));
      },
    },
    guard: guards.api,
  });
  addResource(router, "/site/objectives/accept-loss", {
    methods: {
      post: async (_request, response) => {
        disableIdleTimeout(response);
        response.json(await objectives.pull({ isLossAccepted: true }));
      },
    },
    guard: guards.api,
  });
}
