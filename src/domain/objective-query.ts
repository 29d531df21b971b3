import { AppError } from "./errors.ts";
import { folded } from "./search-folding.ts";
import type { Objective, ObjectiveType } from "./objective.ts";

/** A list request for objectives. Their fields are only known from the records. */
export interface ObjectiveQuery {
  /** All must hold; a filter on a field that no record has is ignored. */
  readonly filters: readonly ObjectiveFilter[];
  /** Text to be found in name, description, address or city. */
  readonly search?: string | undefined;
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  readonly start: number;
  readonly end: number;
}

export interface ObjectiveFilter {
  readonly field: string;
  readonly operator: "equal" | "not-equal" | "at-least" | "at-most" | "contains";
  /** As written in the request's address. */
  readonly values: readonly string[];
}

/** Whether a query requests a slice of all objectives in the order of ids. */
export function isPlain(query: ObjectiveQuery): boolean {
  return query.filters.length === 0 && isById(query);
}

/**
 * The ids that a query names if it has no other condition and no other order, as a list that looks up names has; undefined
 * for any other query.
 */
export function idsAsked(query: ObjectiveQuery): number[] | undefined {
  const [filter, ...others] = query.filters;
  if (filter?.field !== "id" || filter.operator !== "equal" || others.length > 0 || !isById(query))
    return undefined;
  // Ids are compared as texts.
  return filter.values.map(Number).filter((id, index) => String(id) === filter.values[index]);
}

function isById({ search, sort }: ObjectiveQuery): boolean {
  return search === undefined && sort.every(({ field, descending }) => field === "id" && !descending);
}

/** The fields that the API defines for a building. */
const BUILDING_FIELDS = {
  description: null,
  // The only value that the API defines.
  status: "active",
  address: null,
  city: null,
  floors: null,
  surfaceArea: null,
} as const;
const SEARCHED = ["name", "description", "address", "city"];

/** An objective with all fields that the API defines for its type; missing values are null. */
export function completed(type: ObjectiveType, objective: Objective): Objective {
  if (type !== "obiective/cladiri") return objective;
  const { id, name, ...given } = objective;
  return { id, name, ...BUILDING_FIELDS, ...given };
}

/** Selects the objectives that match a query from all of them, which may arrive in parts so that other work goes on in between. */
export class ObjectiveSelection {
  readonly #query: ObjectiveQuery;
  readonly #isFound: (objective: Objective) => boolean;
  readonly #fields = new Set(["id", "name", ...Object.keys(BUILDING_FIELDS)]);
  readonly #found: Objective[] = [];

  constructor(query: ObjectiveQuery) {
    this.#query = query;
    const text = query.search === undefined ? undefined : folded(query.search);
    this.#isFound = (objective) =>
      text === undefined || SEARCHED.some((field) => contains(valueOf(objective, field), text));
  }

  /** Adds the next objective, by ascending id. */
  add(objective: Objective): void {
    for (const field of Object.keys(objective)) this.#fields.add(field);
    if (this.#isFound(objective)) this.#found.push(objective);
  }

  /**
   * The objectives that match, in the order of the query; equal ones by ascending id.
   * @throws AppError `invalid` for a sort by a field that none of them has
   */
  result(): Objective[] {
    const { sort } = this.#query;
    const unknown = sort.find(({ field }) => !this.#fields.has(field));
    if (unknown)
      throw new AppError(
        "invalid",
        `_sort must name a field of the record, not ${JSON.stringify(unknown.field)}`,
      );
    const filters = this.#query.filters.filter(({ field }) => this.#fields.has(field)).map(foldedParts);
    const found = this.#found.filter((objective) =>
      filters.every((filter) => holds(filter, valueOf(objective, filter.field))),
    );
    return sort.length === 0 ? found : found.toSorted((a, b) => comparedBy(sort, a, b));
  }
}

function comparedBy(sort: ObjectiveQuery["sort"], a: Objective, b: Objective): number {
  for (const { field, descending } of sort) {
    const order = compared(valueOf(a, field), valueOf(b, field), descending);
    if (order !== 0) return order;
  }
  return 0;
}

/** The filter with the texts that it looks for as they are compared. */
function foldedParts(filter: ObjectiveFilter): ObjectiveFilter {
  return filter.operator === "contains" ? { ...filter, values: filter.values.map(folded) } : filter;
}

type Comparable = string | number | null;

/** A field's value for comparison: own fields only. Lists and objects are compared as JSON. */
function valueOf(objective: Objective, field: string): Comparable {
  const value: unknown = Object.hasOwn(objective, field) ? objective[field] : null;
  if (value === null || value === undefined) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}

function holds({ operator, values }: ObjectiveFilter, value: Comparable): boolean {
  switch (operator) {
    case "equal":
      return values.some((text) => String(value) === text);
    case "not-equal":
      return values.every((text) => String(value) !== text);
    case "at-least":
      return value !== null && compared(value, sameKind(value, values[0]), false) >= 0;
    case "at-most":
      return value !== null && compared(value, sameKind(value, values[0]), false) <= 0;
    case "contains":
      return values.some((text) => contains(value, text));
  }
}

function sameKind(value: Comparable, text = ""): Comparable {
  return typeof value === "number" ? Number(text) : text;
}

/** @param text folded */
function contains(value: Comparable, text: string): boolean {
  return value !== null && folded(String(value)).includes(text);
}

/** Compares numbers by value and anything else as text; missing values come last in both directions. */
function compared(a: Comparable, b: Comparable, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === "number" && typeof b === "number"
      ? a - b
      : String(a) < String(b)
        ? -1
        : Number(String(a) > String(b));
  return descending ? -order : order;
}
