import type { Request, RequestHandler, Response, Router } from "express";
import { AppError } from "../domain/errors.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

export interface Resource {
  /** What each method does. GET answers HEAD as well. */
  readonly methods: Readonly<
    Partial<Record<Method, (request: Request, response: Response) => void | Promise<void>>>
  >;
  /** Who may come in: run before everything but OPTIONS, in order. */
  readonly gate?: readonly RequestHandler[];
  /** Run before the methods that have a handler. */
  readonly before?: readonly RequestHandler[];
  /** Run before one method alone. */
  readonly beforeMethod?: Readonly<Partial<Record<Method, readonly RequestHandler[]>>>;
}

/** Adds a resource: its methods, OPTIONS without a token, and 405 with `Allow` (RFC 9110 15.5.6) for every other method. */
export function addResource(
  router: Router,
  path: string | RegExp,
  { methods, gate = [], before = [], beforeMethod = {} }: Resource,
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
  for (const name of names) {
    const handle = methods[name];
    if (handle) route[name](...gate, ...(beforeMethod[name] ?? []), ...before, handle);
  }
  // Who may not come in learns nothing of what would be there: the gate stands before the 405 too.
  route.all(...gate, (request, response) => {
    response.set("Allow", allow);
    throw new AppError("method-not-allowed", `${request.method} is not possible here; possible are ${allow}`);
  });
}

/**
 * The id in an address.
 * @throws AppError `not-found` for anything but a plain positive number: 1.0, 01 or 1abc must not find record 1
 */
export function idOf(request: Request, what: string): number {
  const text = String(request.params["id"]);
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id))
    throw new AppError("not-found", `there is no ${what} ${JSON.stringify(text)}`);
  return id;
}
