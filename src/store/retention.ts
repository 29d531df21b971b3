import { transaction, type Database } from "./database.ts";
import { InterventionCounts, type Counted } from "./intervention-counts.ts";

/** Rows of one transaction: a long one would hold up a trip. */
const BATCH = 200;
/** As many as the trigger on the event log keeps. */
const EVENTS_KEPT = 10_000;

/**
 * Removes up to one batch of records that are finished with: closed ones, and those that the centre has in their final
 * form and that are done. What the centre has refused, lacks or never answered is never removed by itself.
 * @param beforeMs records that were changed later stay
 * @returns how many records were removed
 */
export function removeOldRecords(main: Database, beforeMs: number): number {
  return transaction(main, () => {
    const ids = main
      .prepare(
        `SELECT interventions.id FROM interventions JOIN outbox ON outbox.intervention_id = interventions.id
         WHERE interventions.updated_at < ? AND (outbox.phase = 'closed'
           OR (outbox.phase = 'linked' AND outbox.synced_rev = outbox.want_rev AND interventions.status = 'done'))
         ORDER BY interventions.id LIMIT ${BATCH}`,
      )
      .pluck()
      .all(beforeMs);
    const list = JSON.stringify(ids);
    const among = "IN (SELECT value FROM json_each(?))";
    main.prepare(`DELETE FROM outbox WHERE intervention_id ${among}`).run(list);
    const removed = main
      .prepare(`DELETE FROM interventions WHERE id ${among} RETURNING status, priority, type, deleted_at`)
      .all(list) as (Counted & { deleted_at: number | null })[];
    const counts = new InterventionCounts(main);
    for (const record of removed) if (record.deleted_at === null) counts.remove(record);
    return removed.length;
  });
}

/** Removes up to one batch of entries of the event log beyond the newest ten thousand. */
export function removeOldEvents(main: Database): number {
  return main
    .prepare(
      `DELETE FROM events WHERE seq IN
         (SELECT seq FROM events WHERE seq <= (SELECT max(seq) FROM events) - ${EVENTS_KEPT} LIMIT ${BATCH})`,
    )
    .run().changes;
}

/**
 * Removes up to one batch of trips whose way ended before `beforeMs`, and the incidents that were over before: not
 * those of faults that are still there, whose end is yet to be noted.
 */
export function removeOldTrips(journal: Database, beforeMs: number): number {
  journal
    .prepare(
      `DELETE FROM incidents WHERE seq IN
         (SELECT seq FROM incidents WHERE last_wall < ?
            AND subject NOT IN (SELECT 'fault/' || of || '/' || fault FROM faults) ORDER BY seq LIMIT ${BATCH})`,
    )
    .run(beforeMs);
  return journal
    .prepare(
      `DELETE FROM trips WHERE seq IN
         (SELECT seq FROM trips WHERE state NOT IN ('waiting', 'refused') AND at_wall < ? ORDER BY seq LIMIT ${BATCH})`,
    )
    .run(beforeMs).changes;
}

/** Wall clock of the newest change of any record, milliseconds since 1970; undefined while there is none. */
export function newestChangeMs(main: Database): number | undefined {
  const newest = main.prepare("SELECT max(updated_at) FROM interventions").pluck().get() as number | null;
  return newest ?? undefined;
}

/** Gives some of the space of removed rows back to the disk. */
export function shrink(database: Database): void {
  database.pragma(`incremental_vacuum(${BATCH})`);
}
