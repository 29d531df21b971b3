import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";
import { searchBeforeRecreate } from "./pending-searches.ts";

/** A record that the main database has lost, by the key of its trip. */
export interface LostRecord {
  readonly key: string;
  readonly interventionId: number;
}

/**
 * The records of dispatched trips that the main database does not have.
 * @param sinceMs earlier trips are ignored: retention may have removed their records
 */
export function lostRecords(journal: Database, main: Database, sinceMs: number): LostRecord[] {
  const posted = journal
    .prepare(
      "SELECT key, intervention_id AS interventionId FROM trips WHERE state = 'posted' AND at_wall >= ? ORDER BY seq",
    )
    .all(sinceMs) as LostRecord[];
  // Version 0.0.1 posted a rejected trip again without options, under a key of its own.
  const record = main.prepare("SELECT 1 FROM interventions WHERE uid IN (:key, :key || '-plain')");
  return posted.filter(({ key }) => record.get({ key }) === undefined);
}

/**
 * Queues every trip again whose record the main database has lost, and those that had joined that record. The key
 * identifies the record here and at the dispatch centre, where it is searched for before it is sent.
 * @param sinceMs see `lostRecords`
 * @returns the number of queued trips
 */
export function redeliverLostTrips(journal: Database, main: Database, sinceMs: number): number {
  const lost = lostRecords(journal, main, sinceMs).map(({ key }) => key);
  const requeue = journal.prepare(
    `UPDATE trips SET state = 'waiting', intervention_id = NULL
     WHERE key = :key OR (incident = :key AND state = 'merged')`,
  );
  if (lost.length === 0) return 0;
  searchBeforeRecreate(main, lost);
  return transaction(journal, () => lost.reduce((trips, key) => trips + requeue.run({ key }).changes, 0));
}
