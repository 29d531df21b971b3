import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";
import { searchBeforeRecreate } from "./pending-searches.ts";

/** A record that the main database has lost, by the trip that it was made of. */
export interface LostRecord {
  readonly key: string;
  readonly interventionId: number;
}

/**
 * The records that the journal's trips have become and that the main database does not have.
 * @param sinceMs trips seen before that moment are left alone: their records may have been removed by age
 */
export function lostRecords(journal: Database, main: Database, sinceMs: number): LostRecord[] {
  const posted = journal
    .prepare(
      "SELECT key, intervention_id AS interventionId FROM trips WHERE state = 'posted' AND at_wall >= ? ORDER BY seq",
    )
    .all(sinceMs) as LostRecord[];
  // Version 0.0.1 posted a trip that was refused in its full form under a key of its own.
  const record = main.prepare("SELECT 1 FROM interventions WHERE uid IN (:key, :key || '-plain')");
  return posted.filter(({ key }) => record.get({ key }) === undefined);
}

/**
 * Makes every trip wait again whose record the main database has lost, and those that had joined that record. Its key
 * is the record's identity here and at the centre, where it is looked for before it is sent.
 * @param sinceMs as for `lostRecords`
 * @returns how many trips wait again
 */
export function redeliverLostTrips(journal: Database, main: Database, sinceMs: number): number {
  const lost = lostRecords(journal, main, sinceMs).map(({ key }) => key);
  const wait = journal.prepare(
    `UPDATE trips SET state = 'waiting', intervention_id = NULL
     WHERE key = :key OR (incident = :key AND state = 'merged')`,
  );
  if (lost.length === 0) return 0;
  searchBeforeRecreate(main, lost);
  return transaction(journal, () => lost.reduce((trips, key) => trips + wait.run({ key }).changes, 0));
}
