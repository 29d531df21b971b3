import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import {
  newestChangeMs,
  removeOldAudit,
  removeOldEvents,
  removeOldIncidents,
  removeOldRecords,
  removeOldTransmissions,
  removeOldTrips,
  shrink,
  type BatchResult,
} from "../store/retention.ts";
import { NEARLY_FULL_BYTES } from "./reserve-file.ts";

/** Numbers of rows removed because of their age, by kind. */
type Removed = Readonly<Record<string, number>>;

interface RetentionOptions {
  /** Removes the rows of one database that have expired at a wall clock time, one batch per step. */
  readonly removal: (wallMs: number) => Generator<void, Removed>;
  /** Free bytes of the data directory's file system. */
  readonly freeBytes: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

const CHECK_INTERVAL_MS = 60_000;
const RETENTION_INTERVAL_MS = 3_600_000;
/** Pause between batches, so that other work is done first and an SD card is not kept busy. */
const BATCH_PAUSE_MS = 100;
const DAY_MS = 86_400_000;
const RECORDS_KEPT_MS = 90 * DAY_MS;
/**
 * Retention of posted trips. Records are kept longer, so the missing record of an older trip was removed, not lost.
 */
export const TRIPS_KEPT_MS = 30 * DAY_MS;

/** Removes expired rows of one database every hour, and at once while the disk is nearly full. */
export class RetentionSchedule {
  readonly #options: RetentionOptions;
  #cancel: CancelTimer = () => {};
  #removedAtMs: number | undefined;
  /** Set while a removal is running. */
  #cancelRemoval: CancelTimer | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The first check is a minute later: a start has more urgent work. */
  start(): void {
    this.#cancel = this.#options.clock.after(CHECK_INTERVAL_MS, () => this.#check());
  }

  stop(): void {
    this.#cancel();
    this.#cancelRemoval?.();
  }

  #check(): void {
    const { clock, removal, freeBytes } = this.#options;
    this.start();
    const nowMs = clock.monotonicMs();
    const isDue = nowMs - (this.#removedAtMs ?? -RETENTION_INTERVAL_MS) >= RETENTION_INTERVAL_MS;
    try {
      if (this.#cancelRemoval || !(isDue || freeBytes() < NEARLY_FULL_BYTES)) return;
    } catch (error) {
      return this.#failed(error);
    }
    this.#removedAtMs = nowMs;
    this.#continue(removal(clock.wallMs()));
  }

  #continue(removal: Generator<void, Removed>): void {
    const { clock, log } = this.#options;
    this.#cancelRemoval = undefined;
    try {
      const step = removal.next();
      if (step.done !== true) {
        this.#cancelRemoval = clock.after(BATCH_PAUSE_MS, () => this.#continue(removal));
        return;
      }
      if (Object.values(step.value).some((rows) => rows > 0)) log.info("retention-completed", step.value);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** The disk is reported by the components that need it; the next check is a minute away. */
  #failed(error: unknown): void {
    this.#options.log.warn("housekeeping-failed", { error });
  }
}

/** Removes expired records, events and audit entries. @param wallMs the wall clock, which may be years ahead */
export function* recordsRetention(
  main: Database,
  auditDays: number,
  wallMs: number,
): Generator<void, { records: number; events: number }> {
  const nowMs = trustedNowMs(main, wallMs);
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
  yield* removeInBatches(main, () => {
    const removed = removeOldTransmissions(main, nowMs - RECORDS_KEPT_MS);
    return { removed, cursor: removed === 0 ? null : 0 };
  });
  return { records, events };
}

/**
 * Removes expired trips and incidents.
 * @param main for the age of the newest record; may be read-only
 * @param now what the clock of this boot of the machine says
 */
export function* journalRetention(
  journal: Database,
  main: Database,
  now: { readonly wallMs: number; readonly monotonicMs: number; readonly bootId: string },
): Generator<void, { trips: number }> {
  const expiry = {
    beforeMs: trustedNowMs(main, now.wallMs) - TRIPS_KEPT_MS,
    bootId: now.bootId,
    beforeMonotonicMs: now.monotonicMs - TRIPS_KEPT_MS,
  };
  yield* removeInBatches(journal, (cursor) => removeOldIncidents(journal, expiry, cursor));
  return { trips: yield* removeInBatches(journal, (cursor) => removeOldTrips(journal, expiry, cursor)) };
}

/** A clock set years ahead must not expire everything, so age is measured from the newest record. */
function trustedNowMs(main: Database, wallMs: number): number {
  return Math.min(wallMs, newestChangeMs(main) ?? 0);
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
