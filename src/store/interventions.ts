import {
  INTERVENTION_FIELDS,
  RECORD_FIELDS,
  type Intervention,
  type InterventionFields,
  type InterventionInstants,
} from "../domain/intervention.ts";
import { foldedOrNull } from "../domain/search-folding.ts";
import { namesZone, type ZoneInRecord } from "../domain/open-contact.ts";
import { readDatabase, Store } from "./database.ts";
import { StatementCache } from "./statement-cache.ts";
import { COUNTED_FIELDS, InterventionCounts } from "./intervention-lists.ts";
import { FLAGS, SEARCHED, toSql, type SqlValue } from "./intervention-query.ts";
import { SummedInsert } from "./row-checksums.ts";
import { noteFailure } from "./transaction.ts";

/** A record with the values that the API does not show. */
export interface StoredIntervention {
  readonly record: Intervention;
  /** Its identity on every machine: the creator's Idempotency-Key, or a generated one. */
  readonly uid: string;
  /** Revision, incremented by each change; used in the ETag and the outbox. */
  readonly rev: number;
  readonly deleted: boolean;
  /** Id of the account that created it. */
  readonly createdBy: number;
  /** Wall clock of the last change, milliseconds since 1970. */
  readonly changedAtMs: number;
}

interface NewIntervention {
  readonly uid: string;
  readonly fields: InterventionFields;
  readonly instants: InterventionInstants;
  readonly dispeceratId: number;
  readonly createdBy: number;
  readonly nowMs: number;
}

/** Columns of a new record that no client sets. */
const SERVICE_COLUMNS = [
  "uid",
  "rev",
  "dispeceratId",
  "created_by",
  "created_at",
  "updated_at",
  "dateStartMs",
  "dateEndMs",
];
export const FIRST_REV = 1;
/** The columns of a `StoredIntervention`. */
const STORED = [...RECORD_FIELDS, "uid", "rev", "deleted_at", "created_by", "updated_at"].join(", ");

/**
 * The interventions. Deleted ones stay as tombstones for the sync, visible only to `findStored`.
 * `InterventionLists` reads lists.
 */
export class InterventionStore extends Store {
  readonly #counts = new InterventionCounts(this.database);
  /** An update names only the changed columns. */
  readonly #updates = new StatementCache(this.database);
  readonly #insert = new SummedInsert(this.database, "interventions", [
    ...SERVICE_COLUMNS,
    ...INTERVENTION_FIELDS,
    ...SEARCHED.map(foldedColumn),
  ]);
  readonly #markDeleted = this.prepare<InterventionRow>(
    `UPDATE interventions SET rev = rev + 1, deleted_at = :nowMs, updated_at = :nowMs WHERE id = :id RETURNING ${STORED}`,
  ).raw();
  readonly #find = this.prepare<InterventionRow>(`SELECT ${STORED} FROM interventions WHERE id = ?`).raw();
  readonly #findByUid = this.prepare<InterventionRow>(
    `SELECT ${STORED} FROM interventions WHERE uid = ?`,
  ).raw();

  insert({ uid, fields, instants, dispeceratId, createdBy, nowMs }: NewIntervention): StoredIntervention {
    const { dateStartMs, dateEndMs } = instants;
    const own = [uid, FIRST_REV, dispeceratId, createdBy, nowMs, nowMs, dateStartMs, dateEndMs];
    const id = this.#insert.run([
      ...own,
      ...INTERVENTION_FIELDS.map((field) => toSql(fields[field])),
      ...SEARCHED.map((field) => foldedOrNull(fields[field])),
    ]);
    const record: Intervention = { id, ...fields, dispeceratId, invoicePdf: null };
    this.#counts.change(record, 1);
    return { record, uid, rev: FIRST_REV, deleted: false, createdBy, changedAtMs: nowMs };
  }

  /**
   * Changes fields and increments the revision.
   * @param own fields that only the dispatch centre sets
   */
  update(
    id: number,
    fields: Partial<InterventionFields>,
    instants: InterventionInstants,
    nowMs: number,
    own: Partial<Pick<Intervention, "dispeceratId" | "invoicePdf">> = {},
  ): StoredIntervention {
    const changed = INTERVENTION_FIELDS.filter((field) => field in fields);
    const before = changed.some((field) => COUNTED_FIELDS.has(field)) ? this.findStored(id) : undefined;
    const copies = SEARCHED.filter((field) => field in fields).map(foldedColumn);
    const names = [...changed, ...copies, ...Object.keys(own), "dateStartMs", "dateEndMs"];
    const row = this.#updates
      .prepare(
        `UPDATE interventions SET rev = rev + 1, updated_at = :nowMs, ${names.map((name) => `${name} = :${name}`).join(", ")}
         WHERE id = :id RETURNING ${STORED}`,
      )
      .raw()
      .get({ id, nowMs, ...toColumns(fields), ...own, ...instants });
    const after = toStored(row as InterventionRow);
    if (before?.deleted === false) {
      this.#counts.change(before.record, -1);
      this.#counts.change(after.record, 1);
    }
    return after;
  }

  /** Turns a record into a tombstone. */
  markDeleted(id: number, nowMs: number): StoredIntervention {
    const stored = toStored(this.#markDeleted.get({ id, nowMs }) as InterventionRow);
    this.#counts.change(stored.record, -1);
    return stored;
  }

  /** A record; undefined for a tombstone. */
  find(id: number): StoredIntervention | undefined {
    const stored = this.findStored(id);
    return stored?.deleted === true ? undefined : stored;
  }

  /**
   * Whether a record covers a zone.
   * @param zoneName the name as used in texts
   * @param zoneNames those of all zones
   */
  zoneInRecord(id: number, zoneName: string, zoneNames: readonly string[]): ZoneInRecord {
    const found = this.#readForJournal(id);
    if (!found) return { cover: "finished", changedWallMs: null };
    const { record, deleted, changedAtMs: changedWallMs } = found;
    if (deleted || record.status === "done") return { cover: "finished", changedWallMs };
    const isNamed = namesZone([record.name, record.description, record.notes], zoneName, zoneNames);
    return { cover: isNamed ? "named" : "unnamed", changedWallMs };
  }

  /** Who asks writes in the journal: with the error itself, damage here would count as damage there. */
  #readForJournal(id: number): StoredIntervention | undefined {
    try {
      return this.findStored(id);
    } catch (error) {
      noteFailure(this.database, error);
      return unread(id);
    }
  }

  /** A record or its tombstone. */
  findStored(id: number): StoredIntervention | undefined {
    const row = this.#find.get(id);
    return row && toStored(row);
  }

  /** A record or tombstone by its uid. */
  findByUid(uid: string): StoredIntervention | undefined {
    const row = this.#findByUid.get(uid);
    return row && toStored(row);
  }
}

/** The columns of `STORED` in their order: an object with a name for each takes as long again as the query. */
type InterventionRow = readonly SqlValue[];

function foldedColumn(field: (typeof SEARCHED)[number]): string {
  return `${field}Folded`;
}

function toColumns(fields: Partial<InterventionFields>): Record<string, SqlValue> {
  const columns = Object.entries(fields).map(([name, value]) => [name, toSql(value)] as const);
  const copies = SEARCHED.map((field) => [foldedColumn(field), foldedOrNull(fields[field])] as const);
  return Object.fromEntries([...columns, ...copies]);
}

/** Where each field is in a row; worked out once, because every read of a record needs it. */
const PLACES = RECORD_FIELDS.map((field, at) => ({ field, at, isFlag: FLAGS.has(field) }));

function toStored(row: InterventionRow): StoredIntervention {
  const record: Record<string, SqlValue | boolean | undefined> = {};
  for (const { field, at, isFlag } of PLACES) record[field] = isFlag ? row[at] === 1 : row[at];
  const [uid, rev, deletedAt, createdBy, changedAtMs] = row.slice(RECORD_FIELDS.length);
  return {
    record: record as unknown as Intervention,
    uid: uid as string,
    rev: rev as number,
    deleted: deletedAt !== null,
    createdBy: createdBy as number,
    changedAtMs: changedAtMs as number,
  };
}

/**
 * Ids of the records in a database file, without tombstones. The file may be in use or damaged; unreadable records
 * are left out.
 */
export function recordIds(path: string): Set<number> {
  const ids = new Set<number>();
  try {
    readDatabase(path, (database) => {
      const rows = database
        .prepare("SELECT id FROM interventions WHERE deleted_at IS NULL ORDER BY id")
        .pluck();
      for (const id of rows.iterate()) ids.add(id as number);
    });
  } catch {
    // Return what could be read.
  }
  return ids;
}

function unread(id: number): never {
  throw new Error(`intervention ${id} cannot be read`);
}
