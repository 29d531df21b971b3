import type { Request } from "express";
import { AppError } from "../../domain/errors.ts";

/** The JSON object of the body; empty without a body. @throws AppError `invalid` for anything else */
export function requestObject(request: Request): Readonly<Record<string, unknown>> {
  const body: unknown = request.body ?? {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("invalid", "send a JSON object");
  return body as Readonly<Record<string, unknown>>;
}

/** The `minutes` of the body; undefined if absent. @throws AppError `invalid` */
export function minutesOf(request: Request): number | undefined {
  const { minutes } = requestObject(request);
  if (minutes === undefined) return undefined;
  if (typeof minutes !== "number") throw new AppError("invalid", "minutes must be a number");
  return minutes;
}
