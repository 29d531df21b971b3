import { URGENT_ORDER } from "../domain/priority-order.ts";
import type { Database } from "./database.ts";

/**
 * Unconfirmed alarms whose search was incomplete.
 * @param codes outcome codes of incomplete searches
 * @param sentBeforeMs wall clock, milliseconds since 1970
 * @returns ids of interventions, newest first
 */
export function unprovedAlarms(database: Database, codes: readonly string[], sentBeforeMs: number): number[] {
  return database
    .prepare(
      `SELECT intervention_id FROM outbox WHERE phase = 'unsure' AND rank = ${URGENT_ORDER} AND attempt_at < ?
         AND last_code IN (SELECT value FROM json_each(?)) ORDER BY intervention_id DESC`,
    )
    .pluck()
    .all(sentBeforeMs, JSON.stringify(codes)) as number[];
}
