import {
  INTERVENTION_FIELDS,
  RECORD_FIELDS,
  type Intervention,
  type InterventionFields,
  type InterventionInstants,
  type RecordField,
} from "../domain/intervention.ts";
import type { Database } from "./database.ts";
import { folded } from "../domain/folding.ts";
import {
  orderOf,
  SEARCHED,
  toSql,
  whereOf,
  type InterventionQuery,
  type SqlValue,
} from "./intervention-query.ts";

/** A record with what the interface does not show. */
export interface StoredIntervention {
  readonly record: Intervention;
  /** Its identity on every machine: the creator's Idempotency-Key, or one made here. */
  readonly uid: string;
  /** Counts the changes; the ETag and the outbox speak of it. */
  readonly rev: number;
  readonly deleted: boolean;
  /** Account that created it. */
  readonly createdBy: number;
}

export interface NewIntervention {
  readonly uid: string;
  readonly fields: InterventionFields;
  readonly instants: InterventionInstants;
  readonly dispeceratId: number;
  readonly createdBy: number;
  readonly nowMs: number;
}

/** The interventions. Deleted ones stay as tombstones for the outbox and are invisible to every read but `findStored`. */
export class InterventionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  insert(intervention: NewIntervention): StoredIntervention {
    const { uid, fields, instants, dispeceratId, createdBy, nowMs } = intervention;
    const columns = [...INTERVENTION_FIELDS, ...SEARCHED.map(foldedColumn), "dateStartMs", "dateEndMs"];
    const row = this.#database
      .prepare(
        `INSERT INTO interventions(uid, dispeceratId, created_by, created_at, updated_at, ${columns.join(", ")})
         VALUES(:uid, :dispeceratId, :createdBy, :nowMs, :nowMs, ${columns.map((name) => `:${name}`).join(", ")})
         RETURNING *`,
      )
      .get({ uid, dispeceratId, createdBy, nowMs, ...toColumns(fields), ...instants });
    return toStored(row as InterventionRow);
  }

  /** Changes the given fields and raises the revision. */
  update(
    id: number,
    fields: Partial<InterventionFields>,
    instants: InterventionInstants,
    nowMs: number,
  ): StoredIntervention {
    const changed = INTERVENTION_FIELDS.filter((field) => field in fields);
    const copies = SEARCHED.filter((field) => field in fields).map(foldedColumn);
    const names = [...changed, ...copies, "dateStartMs", "dateEndMs"];
    const row = this.#database
      .prepare(
        `UPDATE interventions SET rev = rev + 1, updated_at = :nowMs, ${names.map((name) => `${name} = :${name}`).join(", ")}
         WHERE id = :id RETURNING *`,
      )
      .get({ id, nowMs, ...toColumns(fields), ...instants });
    return toStored(row as InterventionRow);
  }

  /** Turns a record into a tombstone. */
  markDeleted(id: number, nowMs: number): StoredIntervention {
    const row = this.#database
      .prepare(
        "UPDATE interventions SET rev = rev + 1, deleted_at = :nowMs, updated_at = :nowMs WHERE id = :id RETURNING *",
      )
      .get({ id, nowMs });
    return toStored(row as InterventionRow);
  }

  /** A living record. */
  find(id: number): StoredIntervention | undefined {
    const stored = this.findStored(id);
    return stored?.deleted === true ? undefined : stored;
  }

  /** A record or its tombstone. */
  findStored(id: number): StoredIntervention | undefined {
    const row = this.#database.prepare("SELECT * FROM interventions WHERE id = ?").get(id);
    return row === undefined ? undefined : toStored(row as InterventionRow);
  }

  /** A living record or tombstone by its identity. */
  findByUid(uid: string): StoredIntervention | undefined {
    const row = this.#database.prepare("SELECT * FROM interventions WHERE uid = ?").get(uid);
    return row === undefined ? undefined : toStored(row as InterventionRow);
  }

  list(query: InterventionQuery): Intervention[] {
    const { start, end } = query;
    const { where, values } = whereOf(query);
    return this.#database
      .prepare(
        `SELECT * FROM interventions WHERE ${where} ORDER BY ${orderOf(query)} LIMIT :limit OFFSET :start`,
      )
      .all({ ...values, start, limit: Math.max(0, end - start) })
      .map((row) => toStored(row as InterventionRow).record);
  }

  /** How many records fit the filters, whatever the slice. */
  count(query: InterventionQuery): number {
    const { where, values } = whereOf(query);
    return this.#database
      .prepare(`SELECT count(*) FROM interventions WHERE ${where}`)
      .pluck()
      .get(values) as number;
  }
}

type InterventionRow = Readonly<Record<string, SqlValue>> & {
  uid: string;
  rev: number;
  deleted_at: number | null;
  created_by: number;
};

const FLAGS: ReadonlySet<RecordField> = new Set<RecordField>(["police", "ambulance", "firetruck"]);

function foldedColumn(field: (typeof SEARCHED)[number]): string {
  return `${field}Folded`;
}

function toColumns(fields: Partial<InterventionFields>): Record<string, SqlValue> {
  const columns = Object.entries(fields).map(([name, value]) => [name, toSql(value)] as const);
  const copies = SEARCHED.map((field) => {
    const text = fields[field];
    return [foldedColumn(field), text === undefined || text === null ? null : folded(text)] as const;
  });
  return Object.fromEntries([...columns, ...copies]);
}

function toStored(row: InterventionRow): StoredIntervention {
  const record = Object.fromEntries(
    RECORD_FIELDS.map((field) => [field, FLAGS.has(field) ? row[field] === 1 : row[field]]),
  ) as unknown as Intervention;
  return { record, uid: row.uid, rev: row.rev, deleted: row.deleted_at !== null, createdBy: row.created_by };
}
