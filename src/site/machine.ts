import type { Request, Router } from "express";
import { requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { addResource, json } from "../http/resource.ts";
import type { EventNotes } from "../service/event-notes.ts";
import type { SiteSettings } from "./settings.ts";

/** POST /site/machine/confirm: this machine replaces the one on which the data was created. */
export function machineRoutes(
  router: Router,
  { administrator: guard }: AuthGuards,
  { settings, events }: { settings: Pick<SiteSettings, "confirmMachine">; events: EventNotes },
): void {
  const confirm = async (request: Request): Promise<object> => {
    const event = { event: "machine-confirmed", subject: "daemon", detail: {} } as const;
    await settings.confirmMachine(() => events.added({ ...event, ...requestActor(request) }));
    return {};
  };
  addResource(router, "/site/machine/confirm", guard, { post: json(confirm) });
}
