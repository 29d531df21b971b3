import type { Response } from "express";
import { AppError } from "../domain/errors.ts";
import { RECORD_FIELDS } from "../domain/intervention.ts";

/** Response header of a list with the names of the query parameters that had no effect. */
const IGNORED_HEADER = "X-Ignored-Parameters";
/** Query parameter by which a client asks for a 400 instead. */
const STRICT = "strict";

const NAMES_MAX = 20;
/** In the header, with percent-encoding; no name of a field is half as long. */
const NAME_LENGTH_MAX = 100;

/**
 * Names the query parameters of a list that have no effect. The request succeeds, because clients of the contract add
 * parameters of their own, for example against caches; but a misspelt filter would otherwise return every record unnoticed.
 * @throws AppError `invalid` for an ignored parameter in a request with `strict=1`
 */
export function reportIgnoredParameters(
  parameters: URLSearchParams,
  response: Response,
  hasEffect: (name: string, parameters: URLSearchParams) => boolean,
): void {
  const names = [...new Set(parameters.keys())];
  const ignored = names.filter((name) => name !== STRICT && !hasEffect(name, parameters));
  if (ignored.length === 0) return;
  const shown = ignored.slice(0, NAMES_MAX).map((name) => encodeURIComponent(name).slice(0, NAME_LENGTH_MAX));
  if (parameters.get(STRICT) === "1") {
    if (shown[0] === "_order") throw new AppError("invalid", "_order has no effect without _sort");
    throw new AppError("invalid", `unknown query parameter ${shown.join(", ")}; check its spelling`);
  }
  response.set(IGNORED_HEADER, shown.join(", "));
}

const SLICE: readonly string[] = ["_start", "_end"];
const COMMON: readonly string[] = ["q", "_sort", "_order", ...SLICE];

/** Whether the parameter is one of all lists of records; a direction changes nothing without something to sort by. */
function isCommon(name: string, parameters: URLSearchParams): boolean {
  const isLost = name === "_order" && !parameters.get("_sort") && /desc/i.test(parameters.get(name) ?? "");
  return COMMON.includes(name) && !isLost;
}

/** Whether a query parameter changes the list of interventions. @param hasUpstream whether there is an outbox to filter by */
export function changesInterventions(
  name: string,
  parameters: URLSearchParams,
  hasUpstream: boolean,
): boolean {
  if (name === "site" || (name === "sync" && hasUpstream)) return true;
  const field = /^(.+?)(?:_ne|_gte|_lte|_like)?$/s.exec(name)?.[1] ?? name;
  return (RECORD_FIELDS as readonly string[]).includes(field) || isCommon(name, parameters);
}

/** Whether a query parameter changes the list of objectives. */
export function changesObjectives(name: string, parameters: URLSearchParams): boolean {
  return isObjectiveFilter(name) || isCommon(name, parameters);
}

/** Any name may be a field of an objective, because a dispatch centre has fields that this program does not know. */
export function isObjectiveFilter(name: string): boolean {
  return !name.startsWith("_") && name !== "q" && name !== STRICT;
}

/** Whether a query parameter changes the list of sites with access, which has pages and nothing else. */
export function changesAccess(name: string): boolean {
  return SLICE.includes(name);
}

/** Whether a query parameter changes the list of sites. */
export function changesSites(name: string): boolean {
  return name === "level" || name === "silent" || COMMON.includes(name);
}
