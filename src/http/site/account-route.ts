import type { Router } from "express";
import { principalOf, type Gates } from "../authenticate.ts";
import { addResource } from "../resource.ts";

/** GET /site/account: who the token belongs to, also while a first password is still to be replaced. */
export function accountRoute(router: Router, gates: Gates): void {
  addResource(router, "/site/account", {
    methods: {
      get: (request, response) => {
        const { email, role, mustChangePassword = false } = principalOf(request);
        response.json({ email, role, mustChangePassword });
      },
    },
    gate: gates.token,
  });
}
