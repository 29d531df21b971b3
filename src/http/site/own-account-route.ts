import type { Router } from "express";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { addResource } from "../resource.ts";
import type { AccountView } from "./account-view.ts";

/** GET /site/account: who the token belongs to, also while a first password is still to be replaced. */
export function accountRoute(router: Router, gates: AuthGuards): void {
  addResource(router, "/site/account", {
    methods: {
      get: (request, response) => {
        const { email, role, mustChangePassword = false } = principalOf(request);
        response.json({ email, role, mustChangePassword } satisfies AccountView);
      },
    },
    gate: gates.token,
  });
}
