import { AppError } from "../domain/errors.ts";
import { RECORD_FIELDS, type RecordField } from "../domain/intervention.ts";
import type { ObjectiveFilter, ObjectiveQuery } from "../domain/objective-query.ts";
import { parseDateTime } from "../domain/calendar.ts";
import type { Filter, FilterValue, InterventionQuery } from "../store/intervention-query.ts";

/** Default and largest page: a client of the interface that does not page expects everything it can use. */
export const PAGE_SIZE_MAX = 1000;

export interface PageRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The parameters of a request's address. Not Express's parser: that one turns a repeated parameter into an object
 * from the 21st time on and forgets everything past the thousandth.
 */
export function parametersOf(originalUrl: string): URLSearchParams {
  const query = originalUrl.indexOf("?");
  return new URLSearchParams(query < 0 ? "" : originalUrl.slice(query + 1));
}

/**
 * `_start` and `_end`: offsets, the end not included. A larger slice than PAGE_SIZE_MAX is cut down.
 * @throws AppError `invalid` for anything but one plain number each
 */
function sliceOf(parameters: URLSearchParams): PageRange {
  const start = offsetOf(parameters, "_start") ?? 0;
  const end = offsetOf(parameters, "_end") ?? start + PAGE_SIZE_MAX;
  return { start, end: Math.min(end, start + PAGE_SIZE_MAX) };
}

/**
 * A list request of objectives: the same words as for interventions, on whatever fields the objectives have.
 * @throws AppError `invalid`
 */
export function objectiveQueryOf(parameters: URLSearchParams): ObjectiveQuery {
  const search = searchOf(parameters);
  const names = [...new Set(parameters.keys())].filter((name) => !name.startsWith("_") && name !== "q");
  const filters = names.map((name): ObjectiveFilter => {
    const [, field = name, suffix = ""] = /^(.+?)(_ne|_gte|_lte|_like)?$/s.exec(name) ?? [];
    const values = boundedValues(name, parameters.getAll(name));
    if (field === "id" && suffix !== "_like") values.forEach((value) => numberOf(name, value));
    const operator = OPERATORS[suffix] ?? "equal";
    return { field, operator, values: operator === "contains" ? boundedParts(name, values) : values };
  });
  const sort = sortKeysOf(parameters);
  return { filters, ...(search === undefined ? {} : { search }), sort, ...sliceOf(parameters) };
}

/**
 * A list request of interventions: filters on record fields, `q`, `_sort`, `_order` and the slice. A field's name may
 * end in `_ne`, `_gte`, `_lte` or `_like`. Names that are no record fields are ignored, as by json-server; a known name
 * with a wrong value is refused.
 * @param timeZone IANA zone of dates without an offset
 * @throws AppError `invalid`
 */
export function interventionQueryOf(parameters: URLSearchParams, timeZone: string): InterventionQuery {
  const search = searchOf(parameters);
  return {
    filters: RECORD_FIELDS.flatMap((field) => filtersOf(parameters, field, timeZone)),
    ...(search === undefined ? {} : { search }),
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
    // A part of a text, never a pattern: a client's regular expression could keep the processor busy for minutes.
    if (operator === "contains") return [{ field, operator, values: boundedParts(name, texts) }];
    const values = texts.map((text) =>
      isBound ? boundValue(field, text, timeZone) : filterValue(field, text),
    );
    return [{ field, operator, values }];
  });
}

/** Dates are compared as instants, so a bound must be a date; every other field compares by its own value. */
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

/** Each part is looked for in every text of the table, so there are few of them and none is long. */
function boundedParts(name: string, parts: string[]): string[] {
  if (parts.length > PARTS_MAX)
    throw new AppError("invalid", `${name} is given ${parts.length} times; at most ${PARTS_MAX} are taken`);
  if (parts.some((part) => part.length > SEARCH_LENGTH_MAX))
    throw new AppError("invalid", `${name} may have at most ${SEARCH_LENGTH_MAX} characters`);
  return parts;
}

/** Behind the end of every list; SQLite takes no larger number. */
const OFFSET_MAX = Number.MAX_SAFE_INTEGER - PAGE_SIZE_MAX;

function offsetOf(parameters: URLSearchParams, name: string): number | undefined {
  const values = parameters.getAll(name);
  const [value] = values;
  if (value === undefined) return undefined;
  if (values.length > 1 || !/^\d+$/.test(value))
    throw new AppError("invalid", `${name} must be one offset, 0 or larger`);
  return Math.min(Number(value), OFFSET_MAX);
}

/** How many alternatives one filter takes; a page of references never has more. */
const FILTER_VALUES_MAX = PAGE_SIZE_MAX;

function boundedValues(field: string, values: string[]): string[] {
  if (values.length > FILTER_VALUES_MAX)
    throw new AppError(
      "invalid",
      `${field} is given ${values.length} times; at most ${FILTER_VALUES_MAX} are taken`,
    );
  return values;
}

const ENUMS: Readonly<Partial<Record<RecordField, readonly string[]>>> = {
  status: ["planned", "in_progress", "done"],
  priority: ["low", "medium", "high"],
  type: ["maintenance", "inspection", "repair", "other"],
  objectiveType: ["obiective/cladiri", "obiective/bunuri", "obiective/persoane"],
};

function filterValue(field: RecordField, value: string): FilterValue {
  const allowed = ENUMS[field];
  if (allowed) {
    if (allowed.includes(value)) return value;
    throw new AppError("invalid", `${field} must be one of ${allowed.join(", ")}`);
  }
  if (NUMBERS.has(field)) return numberOf(field, value);
  if (FLAGS.has(field)) {
    if (value === "true" || value === "false") return value === "true";
    throw new AppError("invalid", `${field} must be true or false`);
  }
  return value === "null" && NULLABLE.has(field) ? null : value;
}

const NUMBERS: ReadonlySet<RecordField> = new Set<RecordField>([
  "id",
  "objectiveId",
  "crews",
  "dispeceratId",
]);
const FLAGS: ReadonlySet<RecordField> = new Set<RecordField>(["police", "ambulance", "firetruck"]);
const NULLABLE: ReadonlySet<RecordField> = new Set<RecordField>([
  "description",
  "dateStart",
  "dateEnd",
  "notes",
  "invoicePdf",
]);

function numberOf(field: string, value: string): number {
  if (!/^\d{1,16}$/.test(value) || !Number.isSafeInteger(Number(value)))
    throw new AppError("invalid", `${field} must be a whole number`);
  return Number(value);
}

function sortOf(parameters: URLSearchParams): InterventionQuery["sort"] {
  return sortKeysOf(parameters).map(({ field, descending }) => {
    if (!isRecordField(field))
      throw new AppError("invalid", `_sort must name a field of the record, not ${JSON.stringify(field)}`);
    return { field, descending };
  });
}

/** Several keys by comma in `_sort`, their directions in `_order` in any case; a missing direction is ASC. */
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
