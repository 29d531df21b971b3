import type { Request } from "express";
import { AppError } from "../domain/errors.ts";
import { SYNC_GROUPS, type SyncGroup } from "../domain/sync-group.ts";
import { parametersOf } from "./lists.ts";

/* Filters of the list of interventions that the contract does not have. */

/** How far records have come to the dispatch centre: `sync`. @throws AppError `invalid` */
export function syncGroupOf(parameters: URLSearchParams): SyncGroup | undefined {
  const text = only(parameters, "sync");
  return text === undefined ? undefined : oneOf("sync", text, SYNC_GROUPS);
}

/** The reference of a site: `site`. @throws AppError `invalid` */
export function siteOf(parameters: URLSearchParams): string | undefined {
  return only(parameters, "site");
}

/** A value of a request that must be one of some words. @throws AppError `invalid` */
export function oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new AppError("invalid", `${name} must be one of ${allowed.join(", ")}`);
  return found;
}

/** A parameter that may be given once. @throws AppError `invalid` */
export function only(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new AppError("invalid", `${name} may be given once`);
  return values[0];
}

/** As many records as a page of a list has at most. */
const IDS_MAX = 100;

/** The `ids` of records, separated by commas. @throws AppError `invalid` */
export function idsOf(request: Request): readonly number[] {
  const ids = (parametersOf(request.originalUrl).get("ids") ?? "").split(",");
  if (ids.length > IDS_MAX || !ids.every((id) => /^[1-9]\d{0,14}$/.test(id)))
    throw new AppError("invalid", `ids must be 1 to ${IDS_MAX} ids of interventions, separated by commas`);
  return ids.map(Number);
}
