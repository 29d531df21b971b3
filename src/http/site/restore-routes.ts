import express, { type Request, type Response, type Router } from "express";
import { AppError } from "../../domain/errors.ts";
import { actorOf } from "../../domain/principal.ts";
import { principalOf, type AuthGuards } from "../auth-guards.ts";
import { readBody } from "../body.ts";
import { parametersOf } from "../list-query.ts";
import { disableIdleTimeout } from "../connection-limits.ts";
import { addResource } from "../resource.ts";
import { requestObject } from "./request-body.ts";
import type { RestorePort } from "./restore-port.ts";

/** A piece fits the memory and arrives within the request timeout, also over a poor radio link. */
const CHUNK_BYTES_MAX = 1024 * 1024;
const readPiece = express.raw({ type: "application/octet-stream", limit: CHUNK_BYTES_MAX });

/** POST /site/restore/pieces?from=<bytes>, then POST /site/restore: restores an uploaded backup. */
export function restoreRoutes(router: Router, guards: AuthGuards, restore: RestorePort): void {
  const guard = [...guards.api, guards.administrator];
  addResource(router, "/site/restore/pieces", {
    methods: {
      post: (request, response) => void response.json(restore.add(fromOf(request), pieceOf(request))),
    },
    guard,
    before: [readPiece],
  });
  const start = async (request: Request, response: Response): Promise<void> => {
    const { copy, dryRun = false } = requestObject(request);
    if (typeof copy !== "number" || typeof dryRun !== "boolean")
      throw new AppError("invalid", 'send {"copy": <number of the upload>, "dryRun": true or false}');
    disableIdleTimeout(response);
    if (dryRun) response.json(await restore.plan(copy));
    else response.status(202).json(await restore.restore(copy, actorOf(principalOf(request))));
  };
  addResource(router, "/site/restore", { methods: { post: start }, guard, before: [readBody] });
}

function fromOf(request: Request): number {
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
