import type { Request } from "express";
import { AppError } from "../../domain/errors.ts";
import { parametersOf } from "../list-query.ts";

/** The retention of the data: a month. */
const HOURS_MAX = 31 * 24;

/** Hours of history; default a day. @throws AppError `invalid` */
export function hoursOf(request: Request): number {
  const text = parametersOf(request.originalUrl).get("hours") ?? "24";
  const hours = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(hours <= HOURS_MAX)) throw new AppError("invalid", `hours must be from 1 to ${HOURS_MAX}`);
  return hours;
}
