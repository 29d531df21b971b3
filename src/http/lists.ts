import type { Request, Response } from "express";
import { AppError } from "../domain/errors.ts";
import { PRIORITIES, RECORD_FIELDS, STATUSES, TYPES, type RecordField } from "../domain/intervention.ts";
import { OBJECTIVE_TYPES } from "../domain/objective.ts";
import type { ObjectiveFilter, ObjectiveQuery } from "../domain/objective-query.ts";
import { parseDateTime } from "../domain/calendar.ts";
import type { Filter, FilterValue, InterventionQuery } from "../store/intervention-query.ts";
import { isObjectiveFilter } from "./list-parameters.ts";

/** Default and maximum page size: a client that does not page expects the whole list. */
export const PAGE_SIZE_MAX = 1000;

interface PageRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Parses the query of a URL. Express's parser is not used: it turns a parameter into an object at its 21st repetition and
 * ignores everything after the thousandth.
 */
export function parametersOf(originalUrl: string): URLSearchParams {
  const query = originalUrl.indexOf("?");
  return new URLSearchParams(query < 0 ? "" : originalUrl.slice(query + 1));
}

/**
 * Reads the offsets `_start` and `_end` (exclusive); at most PAGE_SIZE_MAX records.
 * @throws AppError `invalid` for anything but one whole number each
 */
export function sliceOf(parameters: URLSearchParams): PageRange {
  const start = offsetOf(parameters, "_start") ?? 0;
  const end = offsetOf(parameters, "_end") ?? start + PAGE_SIZE_MAX;
  return { start, end: Math.min(end, start + PAGE_SIZE_MAX) };
}

/**
 * Reads what all lists have in common: the slice and the searched text.
 * @throws AppError `invalid`
 */
export function pagingOf(parameters: URLSearchParams): PageRange & { readonly search: string | undefined } {
  return { search: searchOf(parameters), ...sliceOf(parameters) };
}

/**
 * Reads a list request for objectives: same syntax as for interventions, with any fields.
 * @throws AppError `invalid`
 */
export function objectiveQueryOf(parameters: URLSearchParams): ObjectiveQuery {
  const search = searchOf(parameters);
  const names = [...new Set(parameters.keys())].filter(isObjectiveFilter);
  const filters = names.map((name): ObjectiveFilter => {
    const [, field = name, suffix = ""] = /^(.+?)(_ne|_gte|_lte|_like)?$/s.exec(name) ?? [];
    const values = boundedValues(name, parameters.getAll(name));
    if (field === "id" && suffix !== "_like") values.forEach((value) => numberOf(name, value));
    const operator = OPERATORS[suffix] ?? "equal";
    return { field, operator, values: operator === "contains" ? boundedParts(name, values) : values };
  });
  const sort = sortKeysOf(parameters);
  return { filters, search, sort, ...sliceOf(parameters) };
}

/**
 * Reads a list request for interventions: filters on record fields, `q`, `_sort`, `_order` and the slice. A field's name
 * may end in `_ne`, `_gte`, `_lte` or `_like`. Unknown names are ignored, as by json-server, and named by
 * `reportIgnoredParameters`; invalid values of known names are rejected.
 * @param timeZone IANA time zone of dates without an offset
 * @throws AppError `invalid`
 */
export function interventionQueryOf(parameters: URLSearchParams, timeZone: string): InterventionQuery {
  const search = searchOf(parameters);
  return {
    search,
    filters: RECORD_FIELDS.flatMap((field) => filtersOf(parameters, field, timeZone)),
    sort: sortOf(parameters),
    ...sliceOf(parameters),
  };
}

const OPERATORS: Readonly<Record<string, Filter["operator"]>> = {
  "": "equal",
  _ne: "not-equal",
  _gte: "at-least",
  _lte: "at-most",
  _like: "contains",
};

function filtersOf(parameters: URLSearchParams, field: RecordField, timeZone: string): Filter[] {
  return Object.entries(OPERATORS).flatMap(([suffix, operator]): Filter[] => {
    const name = `${field}${suffix}`;
    const texts = boundedValues(name, parameters.getAll(name));
    if (texts.length === 0) return [];
    const isBound = operator === "at-least" || operator === "at-most";
    if (isBound && texts.length > 1) throw new AppError("invalid", `${name} may be given once`);
    // Plain text, not a pattern: a client's regular expression could take minutes.
    if (operator === "contains") return [{ field, operator, values: boundedParts(name, texts) }];
    const values = texts.map((text) =>
      isBound ? boundValue(field, text, timeZone) : filterValue(field, text),
    );
    return [{ field, operator, values }];
  });
}

/** Dates are compared as instants, so their bounds must be dates; other fields are compared by value. */
function boundValue(field: RecordField, text: string, timeZone: string): FilterValue {
  if (field !== "dateStart" && field !== "dateEnd") return filterValue(field, text);
  const instant = parseDateTime(text, timeZone);
  if (instant === undefined)
    throw new AppError(
      "invalid",
      `${field} must be compared with a date and time such as 2026-11-20T23:30:00`,
    );
  return instant;
}

const SEARCH_LENGTH_MAX = 200;
const PARTS_MAX = 10;

function searchOf(parameters: URLSearchParams): string | undefined {
  const text = parameters.getAll("q").join(" ").trim();
  boundedParts("q", [text]);
  return text === "" ? undefined : text;
}

/** Limits number and length of search texts, because each is searched in the whole table. */
function boundedParts(name: string, parts: string[]): string[] {
  if (parts.length > PARTS_MAX)
    throw new AppError("invalid", `${name} is given ${parts.length} times; at most ${PARTS_MAX} are allowed`);
  if (parts.some((part) => part.length > SEARCH_LENGTH_MAX))
    throw new AppError("invalid", `${name} may have at most ${SEARCH_LENGTH_MAX} characters`);
  return parts;
}

/** Beyond the end of any list; larger numbers are not exact in JavaScript. */
const OFFSET_MAX = Number.MAX_SAFE_INTEGER - PAGE_SIZE_MAX;

function offsetOf(parameters: URLSearchParams, name: string): number | undefined {
  const values = parameters.getAll(name);
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1 || !/^\d+$/.test(value))
    throw new AppError("invalid", `${name} must be one offset, 0 or larger`);
  return Math.min(Number(value), OFFSET_MAX);
}

/** Maximum alternatives of one filter, enough for one page of references. */
const FILTER_VALUES_MAX = PAGE_SIZE_MAX;

function boundedValues(field: string, values: string[]): string[] {
  if (values.length > FILTER_VALUES_MAX)
    throw new AppError(
      "invalid",
      `${field} is given ${values.length} times; at most ${FILTER_VALUES_MAX} are allowed`,
    );
  return values;
}

/** Values that a filter accepts, by field: these, whole numbers, flags, or texts with `null` for none. */
const VALUES: Readonly<Partial<Record<RecordField, readonly string[] | "number" | "flag" | "nullable">>> = {
  id: "number",
  objectiveId: "number",
  crews: "number",
  dispeceratId: "number",
  police: "flag",
  ambulance: "flag",
  firetruck: "flag",
  description: "nullable",
  dateStart: "nullable",
  dateEnd: "nullable",
  notes: "nullable",
  invoicePdf: "nullable",
  status: STATUSES,
  priority: PRIORITIES,
  type: TYPES,
  objectiveType: OBJECTIVE_TYPES,
};

function filterValue(field: RecordField, value: string): FilterValue {
  const allowed = VALUES[field];
  if (allowed === "number") return numberOf(field, value);
  if (allowed === "flag") {
    if (value === "true" || value === "false") return value === "true";
    throw new AppError("invalid", `${field} must be true or false`);
  }
  if (Array.isArray(allowed) && !allowed.includes(value))
    throw new AppError("invalid", `${field} must be one of ${allowed.join(", ")}`);
  return value === "null" && allowed === "nullable" ? null : value;
}

function numberOf(field: string, value: string): number {
  if (!/^\d{1,16}$/.test(value) || !Number.isSafeInteger(Number(value)))
    throw new AppError("invalid", `${field} must be a whole number`);
  return Number(value);
}

/** Name of an order beyond the fields of a record: priorities as low, medium, high. */
const PRIORITY_RANK = "priorityRank";
/** As above: done, then the unfinished records by the rank of their priority. */
const URGENCY_RANK = "urgencyRank";

function sortOf(parameters: URLSearchParams): InterventionQuery["sort"] {
  return sortKeysOf(parameters).map(({ field, descending }) => {
    if (field === PRIORITY_RANK) return { field: "priority", descending, isRanked: true };
    if (field === URGENCY_RANK) return { field: "status", descending, isUrgency: true };
    if (!isRecordField(field))
      throw new AppError("invalid", `_sort must name a field of the record, not ${JSON.stringify(field)}`);
    return { field, descending };
  });
}

/** `_sort` has fields separated by commas and `_order` their directions, in any case; default ASC. */
function sortKeysOf(parameters: URLSearchParams): { field: string; descending: boolean }[] {
  const fields = listOf(parameters, "_sort");
  const orders = listOf(parameters, "_order").map((order) => order.toUpperCase());
  if (orders.some((order) => order !== "ASC" && order !== "DESC"))
    throw new AppError("invalid", "_order must be ASC or DESC");
  if (new Set(fields).size !== fields.length) throw new AppError("invalid", "_sort names a field twice");
  return fields.map((field, index) => ({ field, descending: orders[index] === "DESC" }));
}

function listOf(parameters: URLSearchParams, name: string): string[] {
  const text = parameters.getAll(name).join(",");
  return text === "" ? [] : text.split(",");
}

function isRecordField(name: string): name is RecordField {
  return (RECORD_FIELDS as readonly string[]).includes(name);
}

/**
 * Sets the headers of a list: the total and the link to the next page (RFC 8288).
 * @param list `records`: JSON text of each record
 * @returns the body, a JSON array
 */
export function listBody(
  request: Request,
  response: Response,
  slice: PageRange,
  { records, total }: { records: readonly string[]; total: number },
): string {
  response.set("X-Total-Count", String(total));
  if (slice.end < total && records.length > 0) {
    const next = parametersOf(request.originalUrl);
    next.set("_start", String(slice.end));
    next.set("_end", String(slice.end + Math.min(slice.end - slice.start, PAGE_SIZE_MAX)));
    response.set("Link", `<${request.originalUrl.split("?")[0]}?${next.toString()}>; rel="next"`);
  }
  return `[${records.join(",")}]`;
}
