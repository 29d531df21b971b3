import type { Actor, EventDetail } from "../domain/event.ts";
import {
  differingFields,
  fieldsOf,
  instantsOf,
  INTERVENTION_FIELDS,
  type InterventionFields,
  type InterventionInstants,
} from "../domain/intervention.ts";
import { foldedOrNull } from "../domain/search-folding.ts";
import { SEARCHED } from "../store/intervention-query.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import { lockTrail, appendToTrail } from "./audit-trail.ts";
import type { NamedStatement, PostgresConnections, SqlParameter } from "./connection.ts";
import { STORED_COLUMNS } from "./record-rows.ts";
import { assertStorable } from "./storable.ts";

/** A decided change with its event. */
export interface DecidedChange {
  readonly changes: Partial<InterventionFields>;
  /** Of the record with the changes. */
  readonly instants: InterventionInstants;
  readonly actor: Actor;
  readonly detail: EventDetail;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * What is written for a change of a record.
 * @returns undefined if the record has these contents already
 * @throws AppError `invalid` for dates that are none, and for texts that PostgreSQL cannot store
 */
export function decidedChange(
  { record }: StoredIntervention,
  changes: Partial<InterventionFields>,
  { timezone, actor, nowMs }: { readonly timezone: string } & Pick<DecidedChange, "actor" | "nowMs">,
): DecidedChange | undefined {
  const current = fieldsOf(record);
  const merged = { ...current, ...changes };
  const instants = instantsOf(merged, timezone, changes);
  assertStorable(changes);
  const after = differingFields(current, merged);
  if (Object.keys(after).length === 0) return undefined;
  const detail = { before: differingFields(merged, current), after };
  return { changes: after, instants, actor, detail, nowMs };
}

/** Adds rows of status, priority, type and a number to the counts, in one order, so that no two wait in a circle. */
export function countSql(rows: string): string {
  return `INSERT INTO intervention_counts AS counts("status", "priority", "type", slot, records)
    SELECT "status", "priority", "type", pg_backend_pid() % 16, sum(change)
    FROM (${rows}) AS changed GROUP BY 1, 2, 3 HAVING sum(change) <> 0 ORDER BY 1, 2, 3
    ON CONFLICT ("status", "priority", "type", slot) DO UPDATE SET records = counts.records + excluded.records`;
}

/**
 * Changes a record if it still has the revision from which the change was decided, with its event and the counts.
 * @returns the statement, which returns the changed record or no row, and its parameters
 */
export function changeStatement(
  { record, rev }: StoredIntervention,
  { changes, instants, actor, detail, nowMs }: DecidedChange,
): [string, SqlParameter[]] {
  const { id, status, priority, type } = record;
  const values: SqlParameter[] = [id, rev, nowMs, actor.who, actor.from, JSON.stringify(detail)];
  const parameter = (value: string | number | boolean | null): string => `$${values.push(value)}`;
  const fields = INTERVENTION_FIELDS.filter((field) => field in changes);
  const assignments = [
    ...fields.map((field) => `"${field}" = ${parameter(changes[field] ?? null)}`),
    ...SEARCHED.filter((field) => field in changes).map(
      (field) => `"${field}Folded" = ${parameter(foldedOrNull(changes[field]))}`,
    ),
    `"dateStartMs" = ${parameter(instants.dateStartMs)}`,
    `"dateEndMs" = ${parameter(instants.dateEndMs)}`,
  ];
  const before = [status, priority, type].map((value) => `${parameter(value)}::text`).join(", ");
  const statement = `
    WITH changed AS (
      UPDATE interventions SET rev = rev + 1, updated_at = $3::bigint, ${assignments.join(", ")}
      WHERE id = $1 AND rev = $2 AND deleted_at IS NULL RETURNING ${STORED_COLUMNS}),
    logged AS (
      INSERT INTO events(at, event, who, origin, subject, detail)
      SELECT $3::bigint, 'intervention-changed', $4, $5, 'intervention ' || id, $6 FROM changed),
    counted AS (${countSql(`
      SELECT "status", "priority", "type", 1 AS change FROM changed
      UNION ALL SELECT ${before}, -1 FROM changed`)})
    SELECT * FROM changed`;
  return [statement, values];
}

/**
 * Turns a record into a tombstone if it still has the revision of `stored`, with its event, the counts and the audit trail.
 * @returns whether it did
 */
export function removeRecord(
  connections: PostgresConnections,
  { record, rev }: StoredIntervention,
  { actor: { who, from: origin }, nowMs }: Pick<DecidedChange, "actor" | "nowMs">,
): Promise<boolean> {
  const detail = JSON.stringify({ before: record });
  return connections.transaction(async (queries) => {
    await lockTrail(queries);
    const values = [record.id, rev, nowMs, who, origin, detail];
    const [row] = await queries.query<{ seq: number }>(REMOVE, values);
    if (!row) return false;
    const subject = `intervention ${record.id}`;
    const event = {
      seq: row.seq,
      at: nowMs,
      event: "intervention-deleted",
      who,
      origin,
      subject,
      detail,
    } as const;
    await appendToTrail(queries, [event]);
    return true;
  });
}

/** Parameters: id, revision, time, account, origin, and the detail of the event. */
const REMOVE: NamedStatement = {
  name: "remove-record",
  text: `
    WITH changed AS (
      UPDATE interventions SET rev = rev + 1, updated_at = $3::bigint, deleted_at = $3::bigint
      WHERE id = $1 AND rev = $2 AND deleted_at IS NULL RETURNING ${STORED_COLUMNS}),
    logged AS (
      INSERT INTO events(at, event, who, origin, subject, detail)
      SELECT $3::bigint, 'intervention-deleted', $4, $5, 'intervention ' || id, $6 FROM changed RETURNING seq),
    counted AS (${countSql(`SELECT "status", "priority", "type", -1 AS change FROM changed`)})
    SELECT seq FROM logged`,
};
