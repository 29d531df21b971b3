import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Database } from "../store/database.ts";
import { advanceRetention, type ExpiringTable } from "../store/retention-clock.ts";
import {
  expiringInJournal,
  expiringInMain,
  newestChangeMs,
  removeOldAudit,
  removeOldEvents,
  removeOldIncidents,
  removeOldRecords,
  removeOldTransmissions,
  removeOldTrips,
  releaseFreePages,
  type BatchResult,
} from "../store/retention.ts";
import { NEARLY_FULL_BYTES } from "./reserve-file.ts";

/** Numbers of rows removed because of their age, by kind. */
type Removed = Readonly<Record<string, number>>;

interface RetentionOptions {
  /**
   * Removes the rows of one database that have expired at a wall clock time, one batch per step.
   * @param uptimeMs time that has passed since the last removal or the start
   */
  readonly removal: (wallMs: number, uptimeMs: number) => Generator<void, Removed>;
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
  #startedAtMs: number | undefined;
  /** Set while a removal is running. */
  #cancelRemoval: CancelTimer | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The first check is a minute later: a start has more urgent work. */
  start(): void {
    this.#startedAtMs ??= this.#options.clock.monotonicMs();
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
    const sinceMs = this.#removedAtMs ?? this.#startedAtMs ?? nowMs;
    this.#continue(removal(clock.wallMs(), nowMs - sinceMs), nowMs);
  }

  /** @param beganMs monotonic time of the beginning of this removal */
  #continue(removal: Generator<void, Removed>, beganMs: number): void {
    const { clock, log } = this.#options;
    this.#cancelRemoval = undefined;
    try {
      const step = removal.next();
      if (step.done !== true) {
        this.#cancelRemoval = clock.after(BATCH_PAUSE_MS, () => this.#continue(removal, beganMs));
        return;
      }
      // After an error the next attempt is a minute away.
      this.#removedAtMs = beganMs;
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

/** Removes expired records, events and audit entries. @param now the wall clock, which may be years ahead, and the uptime */
export function* recordsRetention(
  main: Database,
  auditDays: number,
  now: Uptime,
): Generator<void, { records: number; events: number }> {
  const auditKeptMs = auditDays * DAY_MS;
  const expiring = expiringInMain({ records: RECORDS_KEPT_MS, audit: auditKeptMs });
  const nowMs = trustedNowMs(main, expiring, main, now);
  const records = yield* removeInBatches(main, (cursor) =>
    removeOldRecords(main, nowMs - RECORDS_KEPT_MS, cursor),
  );
  const untilNone = (removeBatch: () => number) =>
    removeInBatches(main, () => {
      const removed = removeBatch();
      return { removed, cursor: removed === 0 ? null : 0 };
    });
  const events = yield* untilNone(() => removeOldEvents(main));
  yield* untilNone(() => removeOldAudit(main, nowMs - auditKeptMs));
  yield* untilNone(() => removeOldTransmissions(main, nowMs - RECORDS_KEPT_MS));
  return { records, events };
}

/**
 * Removes expired trips and incidents.
 * @param main for the age of the newest record; may be read-only
 * @param now what the clocks of this boot of the machine say
 */
export function* journalRetention(
  journal: Database,
  main: Database,
  now: Uptime & { readonly monotonicMs: number; readonly bootId: string },
): Generator<void, { trips: number }> {
  const nowMs = trustedNowMs(journal, expiringInJournal(TRIPS_KEPT_MS), main, now);
  const expiry = {
    beforeMs: nowMs - TRIPS_KEPT_MS,
    plausibleMs: nowMs + DAY_MS,
    bootId: now.bootId,
    beforeMonotonicMs: now.monotonicMs - TRIPS_KEPT_MS,
  };
  yield* removeInBatches(journal, (cursor) => removeOldIncidents(journal, expiry, cursor));
  return { trips: yield* removeInBatches(journal, (cursor) => removeOldTrips(journal, expiry, cursor)) };
}

/** The wall clock, and how long the machine has really run since the last removal. */
interface Uptime {
  readonly wallMs: number;
  readonly uptimeMs: number;
}

/**
 * A clock set years ahead must not expire everything: age is measured from the newest record, and the records written by that
 * clock move it only as fast as the machine runs.
 */
function trustedNowMs(
  database: Database,
  expiring: readonly ExpiringTable[],
  main: Database,
  { wallMs, uptimeMs }: Uptime,
): number {
  const newestMs = newestChangeMs(main);
  if (newestMs === undefined) return 0;
  return advanceRetention(database, expiring, { clockMs: Math.min(wallMs, newestMs), uptimeMs });
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
      releaseFreePages(database);
      yield;
    }
    total += removed;
    cursor = next;
  }
  return total;
}
