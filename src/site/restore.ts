import type { Request, Response, Router } from "express";
import { AppError } from "../domain/errors.ts";
import { requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { readBody, readBytes } from "../http/body.ts";
import { disableIdleTimeout } from "../http/idle-timeouts.ts";
import { parametersOf } from "../http/lists.ts";
import { addResource, json } from "../http/resource.ts";
import { assertOwnPassword } from "./own-password.ts";
import { requestObject } from "./request-parameters.ts";
import type { SiteRouteParts } from "./routes.ts";
import type { SiteSettings } from "./settings.ts";

/** A piece fits the memory and arrives within the request timeout, also over a poor radio link. */
const CHUNK_BYTES_MAX = 1024 * 1024;
const readPiece = readBytes(CHUNK_BYTES_MAX);

/** POST /site/restore/pieces?from=<bytes>, then POST /site/restore: restores an uploaded backup. */
export function restoreRoutes(
  router: Router,
  { administrator: guard }: AuthGuards,
  { settings, tokens }: { readonly settings: SiteSettings; readonly tokens: SiteRouteParts["tokens"] },
): void {
  addResource(router, "/site/restore/pieces", guard, {
    post: [readPiece, json((request) => settings.add(offsetOf(request), pieceOf(request)))],
  });
  const start = async (request: Request, response: Response): Promise<void> => {
    const { copy, dryRun = false, otherSite = false } = requestObject(request);
    if (typeof copy !== "number" || typeof dryRun !== "boolean" || typeof otherSite !== "boolean")
      throw new AppError(
        "invalid",
        'send {"copy": <number of the upload>, "dryRun": true or false, "otherSite": true or false}',
      );
    // A backup has accounts of its own.
    if (!dryRun) await assertOwnPassword(request, tokens, "a backup is restored with it");
    disableIdleTimeout(response);
    if (dryRun) response.json(await settings.plan(copy));
    else response.status(202).json(await settings.restore(copy, requestActor(request), otherSite));
  };
  addResource(router, "/site/restore", guard, { post: [readBody, start] });
}

function offsetOf(request: Request): number {
  const text = parametersOf(request.originalUrl).get("from") ?? "";
  if (!/^\d{1,12}$/.test(text)) throw new AppError("invalid", "from must be a number of bytes");
  return Number(text);
}

function pieceOf(request: Request): Buffer {
  const piece: unknown = request.body;
  if (!Buffer.isBuffer(piece) || piece.length === 0)
    throw new AppError("unsupported-media-type", "send bytes, with Content-Type: application/octet-stream");
  return piece;
}
