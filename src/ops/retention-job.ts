import type { Database } from "../store/database.ts";
import {
  newestChangeMs,
  removeOldAudit,
  removeOldEvents,
  removeOldIncidents,
  removeOldRecords,
  removeOldTrips,
  shrink,
  type BatchResult,
} from "../store/retention.ts";
import { TRIPS_KEPT_MS } from "./recovery.ts";

const DAY_MS = 86_400_000;
const RECORDS_KEPT_MS = 90 * DAY_MS;

/** How many rows were removed because of their age. */
export interface RemovedRows {
  readonly records: number;
  readonly events: number;
  readonly trips: number;
}

/** What is looked through. */
export interface AgingTables {
  readonly main: Database;
  readonly journal: Database;
  /** How long the audit trail keeps its entries. */
  readonly auditDays: number;
}

/**
 * Removes what is old enough, one slice of a table at each step: whoever steps lets readings and requests in between.
 * @param wallMs now, by a clock that may have been set years ahead
 */
export function* removeOldRows(
  { main, journal, auditDays }: AgingTables,
  wallMs: number,
): Generator<void, RemovedRows> {
  // A clock that was set years ahead must not age everything at once: age counts back from the newest record.
  const nowMs = Math.min(wallMs, newestChangeMs(main) ?? 0);
  const tripsBeforeMs = nowMs - TRIPS_KEPT_MS;
  const records = yield* walk(main, (cursor) => removeOldRecords(main, nowMs - RECORDS_KEPT_MS, cursor));
  const events = yield* walk(main, () => {
    const removed = removeOldEvents(main);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  yield* walk(main, () => {
    const removed = removeOldAudit(main, nowMs - auditDays * DAY_MS);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  yield* walk(journal, (cursor) => removeOldIncidents(journal, tripsBeforeMs, cursor));
  const trips = yield* walk(journal, (cursor) => removeOldTrips(journal, tripsBeforeMs, cursor));
  return { records, events, trips };
}

/** @returns how many rows were removed */
function* walk(database: Database, slice: (cursor: number) => BatchResult): Generator<void, number> {
  let total = 0;
  for (let cursor: number | null = 0; cursor !== null;) {
    const { removed, cursor: next } = slice(cursor);
    yield;
    if (removed > 0) {
      shrink(database);
      yield;
    }
    total += removed;
    cursor = next;
  }
  return total;
}
