import { isCounted } from "../store/intervention-lists.ts";
import { comparable, type InterventionQuery } from "../store/intervention-query.ts";
import type { SqlParameter } from "./connection.ts";
import { conditionOf, orderOf } from "./intervention-query.ts";
import { isAccepted, partsOf } from "./list-parts.ts";
import { STORED_COLUMNS } from "./record-rows.ts";

type Statement = readonly [text: string, values: readonly SqlParameter[]];

/**
 * Maximum number of open records that are found first and then sorted. The server would rather read an index of the order until
 * the page is full, and because the open ones are the newest, that would first read all that are done.
 */
const OPEN_MAX = 100_000;

/** So few matching records are found once, for the total and for the page: those of a search most of the time. */
export const FOUND_MAX = 1_000;

/** The statements of a list with their parameters; the one of the slice depends on the total. */
export function listStatements(query: InterventionQuery): {
  /** Finds at most one record more than `FOUND_MAX`; undefined if the total is known without a search. */
  readonly found: Statement | undefined;
  readonly total: Statement;
  readonly slice: (total: number) => Statement;
} {
  const { where, values } = conditionOf(query);
  const listed = `interventions WHERE deleted_at IS NULL AND ${where}`;
  const hasCounts = isCounted(query);
  const isOpenOnly = hasCounts && !isAccepted(query.filters, "status", "done");
  const counted = hasCounts
    ? `SELECT coalesce(sum(records), 0) AS total FROM intervention_counts WHERE ${where}`
    : `SELECT count(*) AS total FROM ${listed}`;
  const order = orderOf(query);
  const columns = sortedOf(query);
  const [offset, limit] = [`$${values.length + 1}::bigint`, `$${values.length + 2}::bigint`];
  const range = rangeOf(query);
  const slice = (total: number): Statement => {
    // To fill such a page, each of them has to be found anyway.
    const isFew = total <= (isOpenOnly ? OPEN_MAX : query.end);
    const few = isFew ? `WITH found AS MATERIALIZED (SELECT ${columns} FROM ${listed}) ` : "";
    const parts = (hasCounts ? partsOf(query) : []).map(
      (part) =>
        `(SELECT ${columns} FROM ${listed} AND ${part.where} ORDER BY ${orderOf(part)} LIMIT ${offset} + ${limit})`,
    );
    const joined = parts.length > 0 ? `(${parts.join(" UNION ALL ")}) AS parts` : listed;
    // Only ids are sorted and skipped; full records are read for the slice alone.
    const page = `SELECT id FROM ${isFew ? "found" : joined} ORDER BY ${order} OFFSET ${offset} LIMIT ${limit}`;
    const text = `${few}SELECT ${STORED_COLUMNS} FROM (${page}) AS slice JOIN interventions USING (id) ORDER BY ${order}`;
    return [text, [...values, ...range]];
  };
  const found: Statement = [`SELECT id FROM ${listed} LIMIT ${FOUND_MAX + 1}`, values];
  return { found: hasCounts ? undefined : found, total: [counted, values], slice };
}

/** The statement of a slice of records that are known. */
export function sliceOfFound(query: InterventionQuery, ids: readonly number[]): Statement {
  const text = `SELECT ${STORED_COLUMNS} FROM interventions WHERE id = ANY($1::bigint[])
    ORDER BY ${orderOf(query)} OFFSET $2::bigint LIMIT $3::bigint`;
  return [text, [ids, ...rangeOf(query)]];
}

/** Offset and length of the slice. */
function rangeOf({ start, end }: InterventionQuery): [number, number] {
  return [start, Math.max(0, end - start)];
}

/** The columns by which a list is sorted. */
function sortedOf({ sort }: InterventionQuery): string {
  // That by urgency is sorted by the priority too.
  const columns = sort.flatMap(({ field, isUrgency }) => [
    `"${comparable(field)}"`,
    ...(isUrgency === true ? [`"priority"`] : []),
  ]);
  return [...new Set(["id", ...columns.filter((column) => column !== `"id"`)])].join(", ");
}
