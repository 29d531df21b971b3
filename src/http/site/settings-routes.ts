import type { Request, Response, Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import type { EventService } from "../../service/events.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { restoreIdleTimeout, disableIdleTimeout } from "../connection-limits.ts";
import { addResource } from "../resource.ts";
import { minutesOf } from "./request-body.ts";
import type { SettingsPort } from "./settings-port.ts";
import type { SitePorts } from "./site-ports.ts";

const LOG_MINUTES = 30;
/** Debug lines of a busy site take megabytes an hour and wear the SD card. */
const LOG_MINUTES_MAX = 120;

/** Routes of the settings, for administrators. */
export function settingsRoutes(
  router: Router,
  guards: AuthGuards,
  { settings, site, events }: { settings: SettingsPort; site: SitePorts; events: EventService },
): void {
  const guard = [...guards.api, guards.administrator];
  addResource(router, "/site/configuration", {
    methods: { get: (_request, response) => void response.json(settings.configuration()) },
    guard,
  });
  const backup = (request: Request, response: Response): Promise<void> => {
    disableIdleTimeout(response);
    return settings.withTemporaryBackup((path) => {
      const actor = actorOf(principalOf(request));
      events.note({ event: "backup-downloaded", ...actor, subject: "database", detail: {} });
      restoreIdleTimeout(response);
      return sent(response, path, `${site.status().site.ref}.db`);
    });
  };
  addResource(router, "/site/backup", { methods: { get: backup }, guard });
  const restart = (request: Request, response: Response): void => {
    events.note({
      event: "restart-ordered",
      ...actorOf(principalOf(request)),
      subject: "daemon",
      detail: {},
    });
    settings.restart();
    response.status(202).json({});
  };
  const enableDebugLog = (request: Request, response: Response): void => {
    const minutes = minutesOf(request) ?? LOG_MINUTES;
    if (!Number.isInteger(minutes) || minutes < 1 || minutes > LOG_MINUTES_MAX)
      throw new AppError("invalid", `minutes must be a whole number from 1 to ${LOG_MINUTES_MAX}`);
    const until = settings.enableDebugLog(minutes);
    const subject = "log";
    events.note({ event: "log-detailed", ...actorOf(principalOf(request)), subject, detail: { until } });
    response.json({ until });
  };
  addResource(router, "/site/log-level", { methods: { post: enableDebugLog }, guard, before: [readBody] });
  const reload = async (request: Request, response: Response): Promise<void> => {
    disableIdleTimeout(response);
    response.json(await settings.reload(actorOf(principalOf(request))));
  };
  addResource(router, "/site/reload", { methods: { post: reload }, guard });
  addResource(router, "/site/restart", { methods: { post: restart }, guard });
}

/** Resolves when the file has been sent or the client has disconnected. */
function sent(response: Response, path: string, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The data directory may be inside a hidden directory.
    response.download(path, name, { dotfiles: "allow", cacheControl: false }, (error: unknown) => {
      if (error !== undefined && !response.headersSent) reject(error);
      else resolve();
    });
  });
}
