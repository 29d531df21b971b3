import type { Request } from "express";
import { AppError } from "../domain/errors.ts";
import { parametersOf } from "../http/lists.ts";

/** The JSON object of the body; empty without a body. @throws AppError `invalid` for anything else */
export function requestObject(request: Request): Readonly<Record<string, unknown>> {
  const body: unknown = request.body ?? {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError("invalid", "send a JSON object");
  return body as Readonly<Record<string, unknown>>;
}

/**
 * The JSON object of a body with these fields only: a misspelt field would silently be its default, such as a bypass of eight
 * hours.
 * @throws AppError `invalid`
 */
export function requestFields<Field extends string>(
  request: Request,
  known: readonly Field[],
): { readonly [Name in Field]?: unknown } {
  const fields = requestObject(request);
  const unknown = Object.keys(fields).find((name) => !known.some((field) => field === name));
  if (unknown !== undefined)
    throw new AppError("invalid", `unknown field ${JSON.stringify(unknown)}. Known: ${known.join(", ")}`);
  return fields as { readonly [Name in Field]?: unknown };
}

/** A field that turns something on; false if absent. @throws AppError `invalid` */
export function booleanOf(name: string, value: unknown = false): boolean {
  if (typeof value !== "boolean") throw new AppError("invalid", `${name} must be true or false`);
  return value;
}

/** The `minutes` of the fields of a request; undefined if absent. @throws AppError `invalid` */
export function minutesOf({ minutes }: { readonly minutes?: unknown }): number | undefined {
  if (minutes === undefined) return undefined;
  if (typeof minutes !== "number") throw new AppError("invalid", "minutes must be a number");
  return minutes;
}

/** The `untilHour` of the fields of a request, instead of its `minutes`; undefined if absent. @throws AppError `invalid` */
export function untilHourOf({
  minutes,
  untilHour,
}: {
  readonly minutes?: unknown;
  readonly untilHour?: unknown;
}): number | undefined {
  if (untilHour === undefined) return undefined;
  if (typeof untilHour !== "number" || !Number.isInteger(untilHour) || untilHour < 0 || untilHour > 23)
    throw new AppError("invalid", "untilHour must be a whole number from 0 to 23");
  if (minutes !== undefined) throw new AppError("invalid", "send either minutes or untilHour");
  return untilHour;
}

/** The retention of the data: a month. */
const HOURS_MAX = 31 * 24;

/** Hours of history; default a day. @throws AppError `invalid` */
export function hoursOf(request: Request): number {
  const text = parametersOf(request.originalUrl).get("hours") ?? "24";
  const hours = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(hours <= HOURS_MAX)) throw new AppError("invalid", `hours must be from 1 to ${HOURS_MAX}`);
  return hours;
}
