import { changedFields, fieldsOf } from "../domain/intervention.ts";
import { actorOf } from "../domain/principal.ts";
import { foldedOrNull } from "../domain/search-folding.ts";
import { closingOf, repairer, type RepairTexts } from "../service/site-repairs.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { columnsOf, type NamedStatement, type Queries } from "./connection.ts";
import { countSql, decidedChange } from "./record-changes.ts";
import { LOCK_RECORDS, toStoredIntervention, type StoredRow } from "./record-rows.ts";
import { storeReports, type SiteUpdate } from "./site-rows.ts";

/* Silent sites that report again: after the outage of a provider, thousands within a minute. */

/**
 * Stores the reports of sites and closes the interventions of their silence, unless a dispatcher has deleted them; call it in a
 * transaction, which then has one flush for all of them. Of several processes with the same sites, each waits for the one before.
 * @returns the references of the sites that are stored, as `storeReports`
 * @throws AppError `invalid` for a record with damaged dates, and errors of the queries
 */
export async function storeReturned(
  queries: Queries,
  sites: readonly SiteUpdate[],
  texts: RepairTexts,
): Promise<string[]> {
  await queries.query(LOCK_SITES, [sites.map(({ state }) => state.ref)]);
  const stored = new Set(await storeReports(queries, sites));
  const returned = sites.filter(({ state }) => stored.has(state.ref));
  const times = new Map(returned.map(({ repair, state }) => [repair, state.reportedAtMs]));
  const rows = await queries.query<StoredRow>(LOCK_RECORDS, [[...times.keys()]]);
  const closed = rows
    .filter((row) => row.deleted_at === null)
    .flatMap((row) => closedRow(toStoredIntervention(row), times.get(row.id) ?? 0, texts) ?? []);
  if (closed.length > 0) await queries.query(CLOSE, closeValues(closed));
  return [...stored];
}

/** What the closing of a record writes. */
type ClosedRow = NonNullable<ReturnType<typeof closedRow>>;

/** @returns undefined if the record has these contents already */
function closedRow(stored: StoredIntervention, nowMs: number, texts: RepairTexts) {
  const changes = changedFields(closingOf(stored.record, nowMs, texts));
  const options = { timezone: texts.timezone, actor: actorOf(repairer(undefined)), nowMs };
  const decided = decidedChange(stored, changes, options);
  if (!decided) return undefined;
  const { notes, status, dateEnd } = { ...fieldsOf(stored.record), ...decided.changes };
  return {
    id: stored.record.id,
    nowMs,
    notes,
    notesFolded: foldedOrNull(notes),
    status,
    statusBefore: stored.record.status,
    dateEnd,
    ...decided.instants,
    detail: JSON.stringify(decided.detail),
  };
}

function closeValues(rows: readonly ClosedRow[]) {
  const { who, from } = actorOf(repairer(undefined));
  return [
    who,
    from,
    ...columnsOf(rows, "id", "nowMs", "notes", "notesFolded", "status", "statusBefore"),
    ...columnsOf(rows, "dateEnd", "dateStartMs", "dateEndMs", "detail"),
  ];
}

const LOCK_SITES: NamedStatement = {
  name: "lock-sites",
  text: "SELECT id FROM sites WHERE ref = ANY($1::text[]) ORDER BY ref FOR UPDATE",
};
/** The records are locked, so that each has the contents from which its closing was decided. */
const CLOSE: NamedStatement = {
  name: "close-repairs",
  text: `
    WITH given AS (
      SELECT * FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
          $10::bigint[], $11::bigint[], $12::text[])
        AS given(id, at, notes, notes_folded, status, status_before, date_end, start_ms, end_ms, detail)),
    changed AS (
      UPDATE interventions AS record SET rev = record.rev + 1, updated_at = given.at, "notes" = given.notes,
        "notesFolded" = given.notes_folded, "status" = given.status, "dateEnd" = given.date_end,
        "dateStartMs" = given.start_ms, "dateEndMs" = given.end_ms
      FROM given WHERE record.id = given.id
      RETURNING record.id, record."status", record."priority", record."type", given.status_before, given.at, given.detail),
    logged AS (
      INSERT INTO events(at, event, who, origin, subject, detail)
      SELECT at, 'intervention-changed', $1, $2, 'intervention ' || id, detail FROM changed ORDER BY id),
    counted AS (${countSql(`
      SELECT "status", "priority", "type", 1 AS change FROM changed
      UNION ALL SELECT status_before, "priority", "type", -1 FROM changed`)})
    SELECT id FROM changed`,
};
