import type { Router } from "express";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { addResource } from "../resource.ts";
import type { AccountView } from "./account-view.ts";

/** GET /site/account: the account of the token, also while its password must be changed. */
export function ownAccountRoute(router: Router, guards: AuthGuards): void {
  addResource(router, "/site/account", {
    methods: {
      get: (request, response) => {
        const { email, role, mustChangePassword = false } = principalOf(request);
        response.json({ email, role, mustChangePassword } satisfies AccountView);
      },
    },
    guard: guards.token,
  });
}
