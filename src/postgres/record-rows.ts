import { RECORD_FIELDS, type Intervention } from "../domain/intervention.ts";
import type { StoredIntervention } from "../store/interventions.ts";
import type { NamedStatement } from "./connection.ts";

/** The columns of a `StoredRow`. */
export const STORED_COLUMNS = [...RECORD_FIELDS, "uid", "rev", "deleted_at", "created_by", "updated_at"]
  .map((name) => `"${name}"`)
  .join(", ");

/** A record as the table has it. */
export interface StoredRow extends Intervention {
  readonly uid: string;
  readonly rev: number;
  readonly deleted_at: number | null;
  readonly created_by: number;
  readonly updated_at: number;
}

/** A row as the services know it. */
export function toStoredIntervention(row: StoredRow): StoredIntervention {
  const record = Object.fromEntries(RECORD_FIELDS.map((field) => [field, row[field]]));
  return {
    record: record as unknown as Intervention,
    uid: row.uid,
    rev: row.rev,
    deleted: row.deleted_at !== null,
    createdBy: row.created_by,
    changedAtMs: row.updated_at,
  };
}

/** Records and tombstones by their ids. */
export const READ_RECORDS: NamedStatement = {
  name: "read-records",
  text: `SELECT ${STORED_COLUMNS} FROM interventions WHERE id = ANY($1::bigint[])`,
};
/** The same, none of which changes before the end of the transaction; in one order, so that no two wait in a circle. */
export const LOCK_RECORDS: NamedStatement = {
  name: "lock-records",
  text: `${READ_RECORDS.text} ORDER BY id FOR UPDATE`,
};
/** The first responses to keys of accounts, or the records of these accounts that have them as their uids. */
export const STORED_RESPONSES: NamedStatement = {
  name: "answers-of-keys",
  text: `SELECT n::int AS n, known.fingerprint, known.body, known.created_at, record.id
    FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS asked(account_id, key, n)
    LEFT JOIN idempotency_keys AS known ON known.account_id = asked.account_id AND known.key = asked.key
    LEFT JOIN interventions AS record ON record.uid = asked.key AND record.created_by = asked.account_id`,
};

/**
 * Ends when everything that this server has committed is as safe as a new record: a commit of its own, which waits for the disk
 * and for a synchronous standby. A transaction without any row would wait for nothing.
 */
export const CONFIRM: NamedStatement = {
  name: "confirm",
  text: "SELECT pg_logical_emit_message(true, 'santinela', '')",
};

/** A row of `STORED_RESPONSES`; each value is null if there is none. */
export interface StoredResponseRow {
  /** Position of the question, from 1. */
  readonly n: number;
  readonly fingerprint: string | null;
  readonly body: string | null;
  readonly created_at: number | null;
  readonly id: number | null;
}

/** Which of these objectives exist, by their positions from 1. */
export const OBJECTIVES: NamedStatement = {
  name: "objectives-exist",
  text: `SELECT n::int AS n FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked(kind, id, n)
    JOIN objectives USING (kind, id)`,
};
