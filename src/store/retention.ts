import type { AuditRow } from "./audit-chain.ts";
import type { Database } from "./database.ts";
import { IdempotencyStore } from "./idempotency.ts";
import type { ExpiringTable } from "./retention-clock.ts";
import { transaction } from "./transaction.ts";
import { InterventionCounts, type CountedFields } from "./intervention-lists.ts";
import { UpstreamCapabilities } from "./upstream-capabilities.ts";

/** Rows removed per transaction: a long one would delay a trip. */
const BATCH_ROWS = 200;
/** Rows read per batch, for the same reason: age has no index, so a table is scanned. */
const SCAN_ROWS_MAX = 1_000;
/** The number of events that the trigger protects. */
const EVENTS_MIN = 10_000;

/** When a record is finished, as an expression over its row and that of its outbox entry. */
const IS_FINISHED = `(outbox.phase = 'closed'
  OR (outbox.phase = 'linked' AND outbox.synced_rev = outbox.want_rev AND seen.status = 'done'))`;
const TRIP_IS_OVER = "state NOT IN ('waiting', 'refused')";
const INCIDENT_IS_OVER = "subject NOT IN (SELECT 'fault/' || of || '/' || fault FROM faults)";

/** How long rows of the main database are kept, in milliseconds. */
export interface KeptMs {
  readonly records: number;
  readonly audit: number;
}

/** What expires in the main database. */
export function expiringInMain({ records, audit }: KeptMs): ExpiringTable[] {
  const isFinished = `EXISTS(SELECT 1 FROM outbox WHERE outbox.intervention_id = seen.id AND ${IS_FINISHED})`;
  return [
    { table: "interventions", key: "id", at: "updated_at", isOver: isFinished, keptMs: records },
    { table: "transmissions", key: "id", at: "created_at", isOver: "state <> 'waiting'", keptMs: records },
    { table: "audit", key: "position", at: "at", isOver: "true", keptMs: audit },
  ];
}

/** What expires in the journal. */
export function expiringInJournal(keptMs: number): ExpiringTable[] {
  return [
    { table: "trips", key: "seq", at: "at_wall", isOver: TRIP_IS_OVER, keptMs },
    { table: "incidents", key: "seq", at: "last_wall", isOver: INCIDENT_IS_OVER, keptMs },
  ];
}

interface RemovedRecord extends CountedFields {
  readonly deleted_at: number | null;
  readonly created_by: number;
  readonly uid: string;
}

/** The result of one batch of a table scan. */
export interface BatchResult {
  readonly removed: number;
  /** The row after which the next batch starts; null at the end of the table. */
  readonly cursor: number | null;
}

/**
 * Scans the next records and removes finished ones: closed ones, and done ones that the dispatch centre has in
 * their final form. Records that were rejected, deleted upstream or unconfirmed are never removed automatically.
 * @param beforeMs records changed later stay
 * @param cursor id of the last scanned record; 0 to begin
 */
export function removeOldRecords(main: Database, beforeMs: number, cursor: number): BatchResult {
  return transaction(main, () => {
    const ids = main
      .prepare(
        `SELECT seen.id FROM (SELECT id, status, updated_at FROM interventions WHERE id > :cursor
             ORDER BY id LIMIT ${SCAN_ROWS_MAX}) AS seen
           JOIN outbox ON outbox.intervention_id = seen.id
         WHERE seen.updated_at < :beforeMs AND ${IS_FINISHED}
         ORDER BY seen.id LIMIT ${BATCH_ROWS}`,
      )
      .pluck()
      .all({ beforeMs, cursor }) as number[];
    const next = cursorAfter(main, { table: "interventions", key: "id" }, cursor, ids);
    const list = JSON.stringify(ids);
    const among = "IN (SELECT value FROM json_each(?))";
    const highest = main
      .prepare(`SELECT max(upstream_id) FROM outbox WHERE intervention_id ${among}`)
      .pluck();
    new UpstreamCapabilities(main).noteRemoved(Number(highest.get(list) ?? 0));
    main.prepare(`DELETE FROM outbox WHERE intervention_id ${among}`).run(list);
    const removed = main
      .prepare(
        `DELETE FROM interventions WHERE id ${among} RETURNING status, priority, type, deleted_at, created_by, uid`,
      )
      .all(list) as RemovedRecord[];
    new IdempotencyStore(main).forget(removed.map(({ created_by, uid }) => [created_by, uid]));
    const counts = new InterventionCounts(main);
    for (const record of removed) if (record.deleted_at === null) counts.change(record, -1);
    return { removed: removed.length, cursor: next };
  });
}

/**
 * Removes up to one batch of events beyond the newest ten thousand.
 * @returns the number of removed events
 */
export function removeOldEvents(main: Database): number {
  return main
    .prepare(
      `DELETE FROM events WHERE seq IN
         (SELECT seq FROM events WHERE seq <= (SELECT max(seq) FROM events) - ${EVENTS_MIN} LIMIT ${BATCH_ROWS})`,
    )
    .run().changes;
}

/**
 * Removes up to one batch of the oldest audit entries, and stores the hash of the last removed one. The newest entry stays.
 * @param beforeMs later ones stay
 * @returns the number of removed entries
 */
export function removeOldAudit(main: Database, beforeMs: number): number {
  return transaction(main, () => {
    const last = main
      .prepare<[number], Pick<AuditRow, "position" | "at" | "hash">>(
        `SELECT position, at, hash FROM (SELECT position, at, hash FROM audit ORDER BY position LIMIT ${BATCH_ROWS})
         WHERE position < (SELECT max(position) FROM audit)
           AND position < coalesce((SELECT min(position) FROM audit WHERE at >= ?), 9e18)
         ORDER BY position DESC LIMIT 1`,
      )
      .get(beforeMs);
    if (!last) return 0;
    main
      .prepare("INSERT OR REPLACE INTO audit_cut(one, position, at, hash) VALUES(1, :position, :at, :hash)")
      .run(last);
    return main.prepare("DELETE FROM audit WHERE position <= ?").run(last.position).changes;
  });
}

/**
 * Removes up to one batch of old transmissions that wait no longer.
 * @param beforeMs later ones stay
 * @returns the number of removed rows
 */
export function removeOldTransmissions(main: Database, beforeMs: number): number {
  return main
    .prepare(
      `DELETE FROM transmissions WHERE id IN (SELECT id FROM transmissions
         WHERE id IN (SELECT id FROM transmissions ORDER BY id LIMIT ${SCAN_ROWS_MAX})
           AND created_at < ? AND state <> 'waiting' LIMIT ${BATCH_ROWS})`,
    )
    .run(beforeMs).changes;
}

/** Until when rows of the journal have expired: those of the running boot by its own clock too, because theirs may be undated. */
export interface Expiry {
  /** Wall clock. */
  readonly beforeMs: number;
  /** A wall clock time of a row that is later than this is wrong. */
  readonly plausibleMs: number;
  readonly bootId: string;
  /** Monotonic. */
  readonly beforeMonotonicMs: number;
}

/**
 * Scans the next trips and removes those finished before `expiry`. One that a wrong clock has dated in the future is as old as the
 * trip after it: trips are numbered in the order of time.
 * @param cursor `seq` of the last scanned trip; 0 to begin
 */
export function removeOldTrips(journal: Database, expiry: Expiry, cursor: number): BatchResult {
  const isExpired = "dated = 1 AND at_wall < :beforeMs";
  const isOver = `${TRIP_IS_OVER}
    AND (at_wall < :beforeMs OR (at_wall > :plausibleMs AND seq < (SELECT max(seq) FROM seen WHERE ${isExpired})))
    AND (boot <> :bootId OR at_monotonic < :beforeMonotonicMs)`;
  return removeRows(journal, "trips", isOver, { ...expiry, cursor });
}

/**
 * Scans the next incidents and removes those that ended before `expiry`. Incidents of open faults stay, because
 * their end is still to be added.
 * @param cursor `seq` of the last scanned incident; 0 to begin
 */
export function removeOldIncidents(journal: Database, expiry: Expiry, cursor: number): BatchResult {
  const isOver = `last_wall < :beforeMs AND (last_boot <> :bootId OR last_monotonic < :beforeMonotonicMs)
    AND ${INCIDENT_IS_OVER}`;
  return removeRows(journal, "incidents", isOver, { ...expiry, cursor });
}

/**
 * Wall clock of the newest change among the last thousand records, milliseconds since 1970; undefined without
 * records. Later changes of older records are ignored: that only keeps old rows longer.
 */
export function newestChangeMs(main: Database): number | undefined {
  const newest = main
    .prepare(
      `SELECT max(updated_at) FROM (SELECT updated_at FROM interventions ORDER BY id DESC LIMIT ${SCAN_ROWS_MAX})`,
    )
    .pluck()
    .get() as number | null;
  return newest ?? undefined;
}

/** Returns some space of removed rows to the file system. */
export function releaseFreePages(database: Database): void {
  database.pragma(`incremental_vacuum(${BATCH_ROWS})`);
}

/** The columns that decide whether a row is finished; the others are not read. */
const COLUMNS = {
  trips: "seq, state, at_wall, dated, boot, at_monotonic",
  incidents: "seq, subject, last_wall, last_boot, last_monotonic",
} as const;

function removeRows(
  journal: Database,
  table: keyof typeof COLUMNS,
  isOver: string,
  limits: Expiry & { readonly cursor: number },
): BatchResult {
  return transaction(journal, () => {
    const rows = journal
      .prepare(
        `WITH seen AS MATERIALIZED
           (SELECT ${COLUMNS[table]} FROM ${table} WHERE seq > :cursor ORDER BY seq LIMIT ${SCAN_ROWS_MAX})
         SELECT seq FROM seen WHERE ${isOver} ORDER BY seq LIMIT ${BATCH_ROWS}`,
      )
      .pluck()
      .all(limits) as number[];
    const next = cursorAfter(journal, { table, key: "seq" }, limits.cursor, rows);
    const { changes } = journal
      .prepare(`DELETE FROM ${table} WHERE seq IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(rows));
    return { removed: changes, cursor: next };
  });
}

/** Where the next batch starts: a full batch may have left old rows before the end of the scanned range. */
function cursorAfter(
  database: Database,
  { table, key }: { readonly table: string; readonly key: string },
  cursor: number,
  found: readonly number[],
): number | null {
  const last = found.at(-1);
  if (last !== undefined && found.length === BATCH_ROWS) return last;
  const end = database
    .prepare(
      `SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT 1 OFFSET ${SCAN_ROWS_MAX - 1}`,
    )
    .pluck()
    .get(cursor) as number | undefined;
  return end ?? null;
}
