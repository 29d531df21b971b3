import { conditionsOf, orderOf, ROW_WATCH, type InterventionQuery } from "./intervention-query.ts";

/**
 * A list by urgency from two indexes instead of a sort of all records: that of the unfinished ones, which are few and are sorted,
 * and that of those that are done, in the order of their ids. An index of the whole order would cost each write.
 * @param query with the filters of the counts only
 * @returns what follows FROM, with the conditions of the query; undefined for another order
 */
export function urgentFirst(query: InterventionQuery): string | undefined {
  const [first, ...rest] = query.sort;
  if (first?.isUrgency !== true || rest.length > 1 || rest.some(({ field }) => field !== "id"))
    return undefined;
  const { conditions } = conditionsOf({ filters: query.filters });
  const part = (index: string, isOfPart: string, sort: InterventionQuery["sort"]): string => {
    const where = [`${ROW_WATCH}(id)`, "deleted_at IS NULL", isOfPart, ...conditions].join(" AND ");
    return `SELECT * FROM (SELECT id, status, priority FROM interventions INDEXED BY ${index} WHERE ${where}
      ORDER BY ${orderOf({ sort })} LIMIT :start + :limit)`;
  };
  const unfinished = part("interventions_unfinished", "status <> 'done'", query.sort);
  const done = part("interventions_status", "status = 'done'", rest);
  return `(${isDoneAccepted(query) ? `${unfinished} UNION ALL ${done}` : unfinished})`;
}

/** Otherwise all that are done would be read for nothing. */
function isDoneAccepted({ filters }: InterventionQuery): boolean {
  return filters.every(
    ({ field, operator, values }) => field !== "status" || values.includes("done") === (operator === "equal"),
  );
}
