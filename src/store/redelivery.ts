import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";
import { seekAgain } from "./sought-records.ts";

/**
 * Makes every trip wait again whose record the main database has lost, and those that had joined that record. Its key
 * is the record's identity here and at the centre, where it is looked for before it is sent.
 * @param sinceMs trips seen before that moment are left alone: their records may have been removed by age
 * @returns how many trips wait again
 */
export function redeliverLostTrips(journal: Database, main: Database, sinceMs: number): number {
  const posted = journal
    .prepare("SELECT key FROM trips WHERE state = 'posted' AND at_wall >= ?")
    .pluck()
    .all(sinceMs) as string[];
  // Version 0.0.1 posted a trip that was refused in its full form under a key of its own.
  const record = main.prepare("SELECT 1 FROM interventions WHERE uid IN (:key, :key || '-plain')");
  const lost = posted.filter((key) => record.get({ key }) === undefined);
  const wait = journal.prepare(
    `UPDATE trips SET state = 'waiting', intervention_id = NULL
     WHERE key = :key OR (incident = :key AND state = 'merged')`,
  );
  if (lost.length === 0) return 0;
  seekAgain(main, lost);
  return transaction(journal, () => lost.reduce((trips, key) => trips + wait.run({ key }).changes, 0));
}
