import { PRIORITIES, STATUSES, TYPES, type RecordField } from "../domain/intervention.ts";
import type { InterventionQuery } from "../store/intervention-query.ts";

/**
 * A list in several parts, one after the other, each in the order of an index: an index of the whole order would cost each
 * write, and there would have to be one for each direction, because records with the same value are always sorted by id.
 */

type SortKey = InterventionQuery["sort"][number];

/** A part of a list: its condition, and the order of its records. */
export interface ListPart {
  readonly where: string;
  readonly sort: readonly OrderedKey[];
}

/** A key of the order of a part. */
export interface OrderedKey extends SortKey {
  /** Whether all records of the part have a value: NULLS LAST would then hide an index from the server. */
  readonly isNeverNull?: boolean;
}

/** The values of a field, in the order of their letters. */
const VALUES: Readonly<Partial<Record<RecordField, readonly string[]>>> = {
  status: STATUSES.toSorted(),
  priority: PRIORITIES.toSorted(),
  type: TYPES.toSorted(),
};

/**
 * The parts of a list whose filters are those of the counts: another filter could select no record of a part, which the server
 * notices only after it has read the part.
 * @returns in their order; none for an order that has an index of its own, or that none can help
 */
export function partsOf({ filters, sort }: Pick<InterventionQuery, "filters" | "sort">): ListPart[] {
  const [first, ...rest] = sort;
  if (first?.field === "dateEnd")
    return [
      // The index interventions_end, read in either direction.
      { where: `"dateEndMs" IS NOT NULL`, sort: [{ ...first, isNeverNull: true }, ...rest] },
      { where: `"dateEndMs" IS NULL`, sort: rest },
    ];
  if (first?.field === "crews") {
    // Nearly all have one; the others are in the index interventions_crews.
    const [one, more] = [
      { where: `"crews" = 1`, sort: rest },
      { where: `"crews" > 1`, sort },
    ];
    return first.descending ? [more, one] : [one, more];
  }
  if (first?.isUrgency === true) return partsByUrgency(filters, first.descending, rest);
  const values = first && (first.isRanked === true ? PRIORITIES : VALUES[first.field]);
  if (!values || isIndexed(first, rest)) return [];
  const ordered = first.descending ? values.toReversed() : values;
  return ordered
    .filter((value) => isAccepted(filters, first.field, value))
    .map((value) => ({ where: `"${first.field}" = '${value}'`, sort: rest }));
}

/** The unfinished records of each priority, and those that are done. */
function partsByUrgency(
  filters: InterventionQuery["filters"],
  isDescending: boolean,
  sort: readonly SortKey[],
): ListPart[] {
  const accepts = (status: string): boolean => isAccepted(filters, "status", status);
  const done = accepts("done") ? [{ where: `"status" = 'done'`, sort }] : [];
  const unfinished = PRIORITIES.filter((priority) => isAccepted(filters, "priority", priority)).map(
    (priority) => ({ where: `"status" <> 'done' AND "priority" = '${priority}'`, sort }),
  );
  const parts = [...done, ...(STATUSES.some((one) => one !== "done" && accepts(one)) ? unfinished : [])];
  return isDescending ? parts.toReversed() : parts;
}

/** Whether filters of the counts accept records with this value. */
export function isAccepted(filters: InterventionQuery["filters"], name: RecordField, value: string): boolean {
  return filters.every(
    ({ field, operator, values }) => field !== name || values.includes(value) === (operator === "equal"),
  );
}

/** By its letters, forwards, and then by id. */
function isIndexed({ isRanked, descending }: SortKey, rest: readonly SortKey[]): boolean {
  return isRanked !== true && !descending && rest.length === 0;
}
