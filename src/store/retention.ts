import { AuditTrail } from "./audit-trail.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";
import { InterventionCounts, type Counted } from "./intervention-counts.ts";

/** Rows removed in one transaction: a long one would hold up a trip. */
const BATCH = 200;
/** Rows looked at in one slice, for the same reason: age has no index, and a table is read from its first row on. */
const SCAN_ROWS_MAX = 1_000;
/** As many as the trigger on the event log keeps. */
const EVENTS_KEPT = 10_000;

/** What one slice of a walk through a table has done. */
export interface BatchResult {
  readonly removed: number;
  /** The row behind which the next slice begins; null where the table has come to its end. */
  readonly cursor: number | null;
}

/**
 * Looks at the next records and removes those that are finished with: closed ones, and those that the centre has in
 * their final form and that are done. What the centre has refused, lacks or never answered is never removed by itself.
 * @param beforeMs records that were changed later stay
 * @param cursor id of the last record that was looked at; 0 to begin
 */
export function removeOldRecords(main: Database, beforeMs: number, cursor: number): BatchResult {
  return transaction(main, () => {
    const ids = main
      .prepare(
        `SELECT seen.id FROM (SELECT id, status, updated_at FROM interventions WHERE id > :cursor
             ORDER BY id LIMIT ${SCAN_ROWS_MAX}) AS seen
           JOIN outbox ON outbox.intervention_id = seen.id
         WHERE seen.updated_at < :beforeMs AND (outbox.phase = 'closed'
           OR (outbox.phase = 'linked' AND outbox.synced_rev = outbox.want_rev AND seen.status = 'done'))
         ORDER BY seen.id LIMIT ${BATCH}`,
      )
      .pluck()
      .all({ beforeMs, cursor }) as number[];
    const next = cursorAfter(main, { table: "interventions", key: "id" }, cursor, ids);
    const list = JSON.stringify(ids);
    const among = "IN (SELECT value FROM json_each(?))";
    main.prepare(`DELETE FROM outbox WHERE intervention_id ${among}`).run(list);
    const removed = main
      .prepare(`DELETE FROM interventions WHERE id ${among} RETURNING status, priority, type, deleted_at`)
      .all(list) as (Counted & { deleted_at: number | null })[];
    const counts = new InterventionCounts(main);
    for (const record of removed) if (record.deleted_at === null) counts.remove(record);
    return { removed: removed.length, cursor: next };
  });
}

/** Removes up to one batch of entries of the event log beyond the newest ten thousand. @returns how many */
export function removeOldEvents(main: Database): number {
  return main
    .prepare(
      `DELETE FROM events WHERE seq IN
         (SELECT seq FROM events WHERE seq <= (SELECT max(seq) FROM events) - ${EVENTS_KEPT} LIMIT ${BATCH})`,
    )
    .run().changes;
}

/** Removes up to one batch of the audit trail's oldest entries. @param beforeMs later ones stay. @returns how many */
export function removeOldAudit(main: Database, beforeMs: number): number {
  return new AuditTrail(main).removeBefore(beforeMs, BATCH);
}

/**
 * Looks at the next trips and removes those whose way ended before `beforeMs`.
 * @param cursor `seq` of the last one that was looked at; 0 to begin
 */
export function removeOldTrips(journal: Database, beforeMs: number, cursor: number): BatchResult {
  return removeRows(journal, "trips", "state NOT IN ('waiting', 'refused') AND at_wall < ?", {
    beforeMs,
    cursor,
  });
}

/**
 * Looks at the next incidents and removes those that were over before `beforeMs`: not those of faults that are still
 * there, whose end is yet to be noted.
 * @param cursor `seq` of the last one that was looked at; 0 to begin
 */
export function removeOldIncidents(journal: Database, beforeMs: number, cursor: number): BatchResult {
  const isOver = "last_wall < ? AND subject NOT IN (SELECT 'fault/' || of || '/' || fault FROM faults)";
  return removeRows(journal, "incidents", isOver, { beforeMs, cursor });
}

/**
 * Wall clock of the newest change among the last thousand records, milliseconds since 1970; undefined while there is
 * no record. A later change of an older record is let be: it only keeps what is old for longer.
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

/** Gives some of the space of removed rows back to the disk. */
export function shrink(database: Database): void {
  database.pragma(`incremental_vacuum(${BATCH})`);
}

/** What tells whether a row is over; the rest of it is not read. */
const COLUMNS = { trips: "seq, state, at_wall", incidents: "seq, subject, last_wall" } as const;

function removeRows(
  journal: Database,
  table: keyof typeof COLUMNS,
  isOver: string,
  { beforeMs, cursor }: { readonly beforeMs: number; readonly cursor: number },
): BatchResult {
  return transaction(journal, () => {
    const rows = journal
      .prepare(
        `SELECT seq FROM (SELECT ${COLUMNS[table]} FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${SCAN_ROWS_MAX})
         WHERE ${isOver} ORDER BY seq LIMIT ${BATCH}`,
      )
      .pluck()
      .all(cursor, beforeMs) as number[];
    const next = cursorAfter(journal, { table, key: "seq" }, cursor, rows);
    const { changes } = journal
      .prepare(`DELETE FROM ${table} WHERE seq IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(rows));
    return { removed: changes, cursor: next };
  });
}

/** Where the next slice begins: a full batch may have left old rows between its last one and the slice's end. */
function cursorAfter(
  database: Database,
  { table, key }: { readonly table: string; readonly key: string },
  cursor: number,
  found: readonly number[],
): number | null {
  const last = found.at(-1);
  if (last !== undefined && found.length === BATCH) return last;
  const end = database
    .prepare(
      `SELECT ${key} FROM ${table} WHERE ${key} > ? ORDER BY ${key} LIMIT 1 OFFSET ${SCAN_ROWS_MAX - 1}`,
    )
    .pluck()
    .get(cursor) as number | undefined;
  return end ?? null;
}
