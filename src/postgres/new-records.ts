import {
  INTERVENTION_FIELDS,
  type Intervention,
  type InterventionFields,
  type InterventionInstants,
} from "../domain/intervention.ts";
import type { Actor } from "../domain/event.ts";
import { foldedOrNull } from "../domain/search-folding.ts";
import { SEARCHED } from "../store/intervention-query.ts";
import type { NamedStatement, SqlParameter } from "./connection.ts";
import { typeOf } from "./intervention-query.ts";

/** A record to create, with everything that the database stores of it. */
export interface NewRecord {
  readonly uid: string;
  readonly fields: InterventionFields;
  readonly instants: InterventionInstants;
  readonly dispeceratId: number;
  readonly createdBy: number;
  readonly actor: Actor;
  /** The key of the request and the hash of its body; undefined without a key. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | undefined;
}

/** Each column of the parameters with its type and its value for a record. */
const COLUMNS: readonly (readonly [
  name: string,
  type: string,
  value: (record: NewRecord) => string | number | boolean | null,
])[] = [
  ["uid", "text", ({ uid }) => uid],
  ...INTERVENTION_FIELDS.map(
    (field) => [field, typeOf(field), (record: NewRecord) => record.fields[field]] as const,
  ),
  ...SEARCHED.map(
    (field) => [`${field}Folded`, "text", (record: NewRecord) => foldedOrNull(record.fields[field])] as const,
  ),
  ["dateStartMs", "bigint", ({ instants }) => instants.dateStartMs],
  ["dateEndMs", "bigint", ({ instants }) => instants.dateEndMs],
  ["dispeceratId", "bigint", ({ dispeceratId }) => dispeceratId],
  ["created_by", "bigint", ({ createdBy }) => createdBy],
  ["who", "text", ({ actor }) => actor.who],
  ["origin", "text", ({ actor }) => actor.from],
  ["key", "text", ({ idempotency }) => idempotency?.key ?? null],
  ["fingerprint", "text", ({ idempotency }) => idempotency?.fingerprint ?? null],
  // The response without its beginning, which is the id.
  ["rest", "text", (record) => JSON.stringify(recordOf(0, record)).slice('{"id":0'.length)],
];

/** Names of the columns that are in the table of records too. */
const STORED = COLUMNS.slice(
  0,
  COLUMNS.findIndex(([name]) => name === "who"),
).map(([name]) => `"${name}"`);
const FIRST_COLUMN = 2;

/**
 * Creates all records of a turn with their keys, events and counts, in one round trip and one flush. A record whose key
 * or uid exists, and one without its objective, is left out. The uids are written in one order by every process, so that
 * two with the same keys wait for each other and never in a circle; `made` is complete before the counts are touched,
 * because the result of the statement reads it first.
 */
export const CREATE: NamedStatement = {
  name: "create-records",
  text: `
  WITH asked AS (
    SELECT * FROM unnest(${COLUMNS.map(([, type], index) => `$${index + FIRST_COLUMN}::${type}[]`).join(", ")})
      WITH ORDINALITY AS asked(${COLUMNS.map(([name]) => `"${name}"`).join(", ")}, n)),
  free AS (
    SELECT * FROM asked
    WHERE EXISTS (SELECT 1 FROM objectives WHERE kind = "objectiveType" AND objectives.id = "objectiveId")
      AND NOT EXISTS (SELECT 1 FROM interventions WHERE interventions.uid = asked.uid)
      AND NOT EXISTS (SELECT 1 FROM idempotency_keys AS known
        WHERE known.account_id = created_by AND known.key = asked.key)
    ORDER BY n),
  numbered AS MATERIALIZED (SELECT nextval('intervention_ids') AS id, free.* FROM free),
  made AS (
    INSERT INTO interventions(id, created_at, updated_at, ${STORED.join(", ")})
    SELECT id, $1, $1, ${STORED.join(", ")} FROM numbered ORDER BY uid
    ON CONFLICT (uid) DO NOTHING RETURNING id),
  created AS MATERIALIZED (
    SELECT numbered.*, '{"id":' || numbered.id || rest AS body FROM made JOIN numbered USING (id)),
  keyed AS (
    INSERT INTO idempotency_keys(account_id, key, fingerprint, body, created_at)
    SELECT created_by, key, fingerprint, body, $1 FROM created WHERE key IS NOT NULL ORDER BY created_by, key),
  logged AS (
    INSERT INTO events(at, event, who, origin, subject, detail)
    SELECT $1, 'intervention-created', who, origin, 'intervention ' || id, '{"after":' || body || '}'
    FROM created ORDER BY n),
  counted AS (
    INSERT INTO intervention_counts AS counts("status", "priority", "type", slot, records)
    SELECT "status", "priority", "type", pg_backend_pid() % 16, count(*) FROM created
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT ("status", "priority", "type", slot) DO UPDATE SET records = counts.records + excluded.records)
  SELECT n::int AS n, id FROM created`,
};

/** The parameters of `CREATE`. @param nowMs wall clock, milliseconds since 1970 */
export function createValues(records: readonly NewRecord[], nowMs: number): SqlParameter[] {
  return [nowMs, ...COLUMNS.map(([, , value]) => records.map(value))];
}

/** The record as the API returns it. */
export function recordOf(id: number, { fields, dispeceratId }: NewRecord): Intervention {
  return { id, ...fields, dispeceratId, invoicePdf: null };
}
