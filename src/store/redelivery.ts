import { transaction, type Database } from "./database.ts";

/**
 * Makes every trip wait again whose record the main database has lost, and those that had joined that record. Its key
 * is the record's identity here, and at a centre that knows keys: there posting it again makes no second one.
 * @param sinceMs trips seen before that moment are left alone: their records may have been removed by age
 * @returns how many trips wait again
 */
export function redeliverLostTrips(journal: Database, main: Database, sinceMs: number): number {
  const posted = journal
    .prepare("SELECT key FROM trips WHERE state = 'posted' AND at_wall >= ?")
    .pluck()
    .all(sinceMs) as string[];
  // A trip that was refused in its full form was posted in its plainest, under a key of its own.
  const record = main.prepare("SELECT 1 FROM interventions WHERE uid IN (:key, :key || '-plain')");
  const lost = posted.filter((key) => record.get({ key }) === undefined);
  const wait = journal.prepare(
    `UPDATE trips SET state = 'waiting', intervention_id = NULL
     WHERE key = :key OR (incident = :key AND state = 'merged')`,
  );
  if (lost.length === 0) return 0;
  return transaction(journal, () => lost.reduce((trips, key) => trips + wait.run({ key }).changes, 0));
}
