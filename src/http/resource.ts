import type { Request, RequestHandler, Response, Router } from "express";
import { AppError } from "../domain/errors.ts";
import { disableIdleTimeout } from "./idle-timeouts.ts";

type Method = "get" | "post" | "put" | "patch" | "delete";
export type Handler = (request: Request, response: Response) => void | Promise<void>;
/** A handler, or handlers that run in order, such as `[readBody, create]`. */
type Handlers = Handler | readonly RequestHandler[];

/** For resources without authentication. */
export const PUBLIC: readonly RequestHandler[] = [];

/**
 * Adds a resource with its methods, OPTIONS without a token, and 405 with `Allow` (RFC 9110 15.5.6) for other methods.
 * @param guard auth guards, run before everything except OPTIONS
 * @param methods handlers by method; GET also handles HEAD
 */
export function addResource(
  router: Router,
  path: string | RegExp,
  guard: readonly RequestHandler[],
  methods: Readonly<Partial<Record<Method, Handlers>>>,
): void {
  const names = Object.keys(methods) as Method[];
  const allow = [
    ...names.flatMap((name) => (name === "get" ? ["GET", "HEAD"] : [name.toUpperCase()])),
    "OPTIONS",
  ].join(", ");
  const route = router.route(path);
  route.options((_request, response) => {
    response.set("Allow", allow).status(204).end();
  });
  for (const name of names) route[name](...guard, ...[methods[name] ?? []].flat());
  // The guard also precedes the 405, so that unauthorised clients learn nothing about the resource.
  route.all(...guard, (request, response) => {
    response.set("Allow", allow);
    throw new AppError("method-not-allowed", `${request.method} is not allowed; allowed: ${allow}`);
  });
}

/** A handler that responds with the result as JSON. */
export function json(result: (request: Request) => unknown, status = 200): Handler {
  return async (request, response) => void response.status(status).json(await result(request));
}

/** As `json`, for a result that may take minutes. */
export function slowJson(result: (request: Request) => unknown): Handler {
  return async (request, response) => {
    disableIdleTimeout(response);
    response.json(await result(request));
  };
}

/**
 * Reads the id in a path.
 * @throws AppError `not-found` for anything but a positive whole number: 1.0, 01 and 1abc must not match record 1
 */
export function idFromPath(request: Request, what: string): number {
  const text = String(request.params["id"]);
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new AppError("not-found", `${what} ${JSON.stringify(text)} does not exist`);
  return id;
}
