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

/** Numbers of rows removed because of their age. */
export interface RemovedRows {
  readonly records: number;
  readonly events: number;
  readonly trips: number;
}

/** The databases and the retention of the audit trail. */
export interface AgingTables {
  readonly main: Database;
  readonly journal: Database;
  /** Retention of the audit trail in days. */
  readonly auditDays: number;
}

/**
 * Removes expired rows, one batch per step, so that the caller can process readings and requests in between.
 * @param wallMs the wall clock, which may be years ahead
 */
export function* removeOldRows(
  { main, journal, auditDays }: AgingTables,
  wallMs: number,
): Generator<void, RemovedRows> {
  // A clock set years ahead must not expire everything, so age is measured from the newest record.
  const nowMs = Math.min(wallMs, newestChangeMs(main) ?? 0);
  const tripsBeforeMs = nowMs - TRIPS_KEPT_MS;
  const records = yield* removeInBatches(main, (cursor) =>
    removeOldRecords(main, nowMs - RECORDS_KEPT_MS, cursor),
  );
  const events = yield* removeInBatches(main, () => {
    const removed = removeOldEvents(main);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  yield* removeInBatches(main, () => {
    const removed = removeOldAudit(main, nowMs - auditDays * DAY_MS);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  yield* removeInBatches(journal, (cursor) => removeOldIncidents(journal, tripsBeforeMs, cursor));
  const trips = yield* removeInBatches(journal, (cursor) => removeOldTrips(journal, tripsBeforeMs, cursor));
  return { records, events, trips };
}

/** @returns the number of removed rows */
function* removeInBatches(
  database: Database,
  removeBatch: (cursor: number) => BatchResult,
): Generator<void, number> {
  let total = 0;
  for (let cursor: number | null = 0; cursor !== null;) {
    const { removed, cursor: next } = removeBatch(cursor);
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
