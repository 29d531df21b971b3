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
  hasEffect: (parameter: string) => boolean,
): void {
  const ignored = [...new Set(parameters.keys())].filter((name) => name !== STRICT && !hasEffect(name));
  if (ignored.length === 0) return;
  const names = ignored.slice(0, NAMES_MAX).map((name) => encodeURIComponent(name).slice(0, NAME_LENGTH_MAX));
  if (parameters.get(STRICT) === "1")
    throw new AppError("invalid", `unknown query parameter ${names.join(", ")}; check its spelling`);
  response.set(IGNORED_HEADER, names.join(", "));
}

const SLICE: readonly string[] = ["_start", "_end"];
const COMMON: readonly string[] = ["q", "_sort", "_order", ...SLICE];

/** Whether a query parameter changes the list of interventions. @param hasUpstream whether there is an outbox to filter by */
export function changesInterventions(name: string, hasUpstream: boolean): boolean {
  if (name === "site" || (name === "sync" && hasUpstream)) return true;
  const field = /^(.+?)(?:_ne|_gte|_lte|_like)?$/s.exec(name)?.[1] ?? name;
  return (RECORD_FIELDS as readonly string[]).includes(field) || COMMON.includes(name);
}

/** Whether a query parameter changes the list of objectives. */
export function changesObjectives(name: string): boolean {
  return isObjectiveFilter(name) || COMMON.includes(name);
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
