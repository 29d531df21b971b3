import type { RecordField } from "../domain/intervention.ts";
import { isCounted, type ListPage } from "../store/intervention-lists.ts";
import type { InterventionQuery, RecordScope } from "../store/intervention-query.ts";
import type { NamedStatement, Queries } from "./connection.ts";
import { STORED_COLUMNS, toStoredIntervention, type StoredRow } from "./record-rows.ts";

/* Lists that cost little more than their page, whatever the number of records. */

/** The farthest end of such a page: an index is read up to it. */
const END_MAX = 1_000;
/** Of a page of all records in the order of their ids: a site without an account of its own compares its records with such pages. */
const END_BY_ID_MAX = 100_000;
/** Orders that an index has, or a few parts that each have one. */
const SORTS: ReadonlySet<RecordField> = new Set<RecordField>([
  "id",
  "name",
  "status",
  "priority",
  "type",
  "dateStart",
  "dateEnd",
  "crews",
]);

/**
 * Whether a list is short: near its beginning, in an order that an index has, and without anything that the records would have to
 * be searched for. That of a site must be in the order of the ids, and may be read to its end.
 */
export function isShort(query: InterventionQuery): boolean {
  const { filters, search, scope, sync, sort, end } = query;
  const [first, second] = sort;
  const isById = first === undefined || first.field === "id";
  const isWhole = search === undefined && sync === undefined && filters.length === 0;
  if (scope !== undefined) return isWhole && isById;
  if (!isCounted(query) || (second && second.field !== "id") || sort.length > 2) return false;
  return isById && isWhole ? end <= END_BY_ID_MAX : end <= END_MAX && (isById || SORTS.has(first.field));
}

/**
 * Reads a short list of a site in one round trip: each site does before it sends an alarm, and after a power cut all of them do.
 * The total is exact, but the records are not read for it: those at the objectives of the site and those that it has created
 * are each in an index, from which their ids are read.
 * @throws as `Queries.query`
 */
export async function readSitePage(
  queries: Queries,
  { scope, sort, start, end }: InterventionQuery & { readonly scope: RecordScope },
): Promise<ListPage> {
  const { objectives, accountId } = scope;
  const rows = await queries.query<SitePageRow>(sort[0]?.descending === true ? NEWEST_FIRST : OLDEST_FIRST, [
    accountId,
    objectives.map(({ type }) => type),
    objectives.map(({ id }) => id),
    start,
    Math.max(0, end - start),
  ]);
  const records = rows.filter((row): row is SitePageRow & StoredRow => row.id !== null);
  return {
    records: records.map((row) => JSON.stringify(toStoredIntervention(row).record)),
    total: rows[0]?.total ?? 0,
  };
}

/** A record of the page with the total; the columns of the record are null in the only row of an empty page. */
type SitePageRow = { readonly total: number } & (StoredRow | { readonly id: null });

/** Parameters: account, types and ids of the objectives, offset and length of the page. */
function pageOfSite(name: string, order: "ASC" | "DESC"): NamedStatement {
  const text = `
    WITH found AS MATERIALIZED (
      SELECT id FROM interventions WHERE created_by = $1::bigint AND deleted_at IS NULL
      UNION
      SELECT record.id FROM unnest($2::text[], $3::bigint[]) AS objective(kind, number)
        JOIN interventions AS record ON record."objectiveId" = number AND record."objectiveType" = kind
      WHERE record.deleted_at IS NULL),
    page AS (SELECT id FROM found ORDER BY id ${order} OFFSET $4::bigint LIMIT $5::bigint)
    SELECT total, record.* FROM (SELECT count(*) AS total FROM found) AS counted
      LEFT JOIN (SELECT ${STORED_COLUMNS} FROM page JOIN interventions USING (id)) AS record ON TRUE
    ORDER BY id ${order}`;
  return { name, text };
}

/** The list that a site reads before it sends an alarm. */
export const NEWEST_FIRST = pageOfSite("newest-of-site", "DESC");
const OLDEST_FIRST = pageOfSite("oldest-of-site", "ASC");
