import type { Router } from "express";
import type { Gates } from "../authenticate.ts";
import { patient } from "../connections.ts";
import { addResource } from "../resource.ts";
import type { ObjectivePort } from "./objective-port.ts";

/** The copy of the centre's objectives: anyone signed in may look, operators and administrators may have it read anew. */
export function objectiveCopyRoutes(router: Router, gates: Gates, objectives: ObjectivePort): void {
  addResource(router, "/site/objectives", {
    methods: { get: (_request, response) => void response.json(objectives.view()) },
    gate: gates.signedIn,
  });
  addResource(router, "/site/objectives/pull", {
    methods: {
      post: async (_request, response) => {
        patient(response);
        response.json(await objectives.pull({ isLossAccepted: false }));
      },
    },
    gate: gates.interface,
  });
  addResource(router, "/site/objectives/accept-loss", {
    methods: {
      post: async (_request, response) => {
        patient(response);
        response.json(await objectives.pull({ isLossAccepted: true }));
      },
    },
    gate: gates.interface,
  });
}
