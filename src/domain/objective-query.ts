import { AppError } from "./errors.ts";
import { folded } from "./search-folding.ts";
import type { Objective, ObjectiveType } from "./objective.ts";

/** A list request of objectives. What their fields are is only known from the records themselves. */
export interface ObjectiveQuery {
  /** All of them must hold; one on a field that no record has is ignored. */
  readonly filters: readonly ObjectiveFilter[];
  /** Text that must stand in the name, the description, the address or the city. */
  readonly search?: string;
  readonly sort: readonly { readonly field: string; readonly descending: boolean }[];
  readonly start: number;
  readonly end: number;
}

export interface ObjectiveFilter {
  readonly field: string;
  readonly operator: "equal" | "not-equal" | "at-least" | "at-most" | "contains";
  /** As they stand in the address. */
  readonly values: readonly string[];
}

/** Whether a query asks for a slice of everything in the order of the ids. */
export function isPlain({ filters, search, sort }: ObjectiveQuery): boolean {
  return filters.length === 0 && search === undefined && sort.length === 0;
}

/** The fields that the interface describes, for a building. */
const BUILDING_FIELDS = {
  description: null,
  // The only value that the interface knows.
  status: "active",
  address: null,
  city: null,
  floors: null,
  surfaceArea: null,
} as const;
const SEARCHED = ["name", "description", "address", "city"];

/** An objective with all the fields that the interface describes for its kind; what nobody told is null. */
export function completed(type: ObjectiveType, objective: Objective): Objective {
  if (type !== "obiective/cladiri") return objective;
  const { id, name, ...told } = objective;
  return { id, name, ...BUILDING_FIELDS, ...told };
}

/**
 * The objectives that fit a query, in its order; equals by ascending id.
 * @param objectives by ascending id
 * @throws AppError `invalid` for a sort by a field that none of them can have
 */
export function selected(objectives: readonly Objective[], query: ObjectiveQuery): Objective[] {
  const known = new Set(["id", "name", ...Object.keys(BUILDING_FIELDS), ...objectives.flatMap(Object.keys)]);
  const unknown = query.sort.find(({ field }) => !known.has(field));
  if (unknown)
    throw new AppError(
      "invalid",
      `_sort must name a field of the record, not ${JSON.stringify(unknown.field)}`,
    );
  const filters = query.filters.filter(({ field }) => known.has(field));
  const { search } = query;
  const found = objectives.filter(
    (objective) =>
      filters.every((filter) => holds(filter, valueOf(objective, filter.field))) &&
      (search === undefined || SEARCHED.some((field) => contains(valueOf(objective, field), search))),
  );
  return found.toSorted((a, b) => {
    for (const { field, descending } of query.sort) {
      const order = compared(valueOf(a, field), valueOf(b, field), descending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

type Comparable = string | number | null;

/** A field's value as it is compared: own fields only, a record has no `constructor`. Lists and objects are their JSON. */
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

function contains(value: Comparable, text: string): boolean {
  return value !== null && folded(String(value)).includes(folded(text));
}

/** Numbers by size, anything else as text; what is not there comes last in either direction. */
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
