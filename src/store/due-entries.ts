import type { Statement } from "better-sqlite3";
import { type OutboxEntry, URGENT_PRIORITY_ORDER } from "../domain/outbox.ts";
import { Store } from "./database.ts";
import { ENTRY, type OutboxRow, toEntry } from "./outbox-row.ts";

/** Urgent entries have their own queue, so that none waits for a slow response to a bulk entry. */
export type OutboxQueue = "urgent" | "bulk";
/** An entry that may be sent. */
export interface DueEntry {
  readonly entry: OutboxEntry;
  /** Records with the same value cannot be distinguished if the centre does not keep our marker. */
  readonly similarityKey: string;
}

/** Entries with work to do; the partial index outbox_due covers exactly these. */
export const ACTIVE =
  "(phase IN ('new','posting','unsure','writing','blocked') OR (phase = 'linked' AND want_rev > synced_rev))";

/** Entries that need attention; the partial index outbox_stuck covers exactly these. */
export const STUCK = "(phase IN ('rejected','gone') OR (phase = 'linked' AND missing_since IS NOT NULL))";

/** Entries in progress are skipped; there are fewer of them than this. */
const CANDIDATES_MAX = 32;

/** Objective, name and start; for an unconfirmed attempt those that were sent. */
const SIMILARITY_KEY = `iif(phase = 'unsure',
  json_array(attempt_body ->> 'objectiveType', attempt_body ->> 'objectiveId', attempt_body ->> 'name', attempt_body ->> 'dateStart'),
  json_array(objectiveType, objectiveId, name, dateStart))`;

/** A new alarm does not wait for older ones; the index is read from either end. */
const ORDERS: Readonly<Record<OutboxQueue, string>> = {
  urgent: "rank DESC, intervention_id DESC",
  bulk: "rank, intervention_id",
};

const QUEUES: Readonly<Record<OutboxQueue, string>> = {
  urgent: `rank = ${URGENT_PRIORITY_ORDER}`,
  bulk: `rank > ${URGENT_PRIORITY_ORDER}`,
};

/** Finds the outbox entries that may be sent now. */
export class DueEntries extends Store {
  readonly #candidates = { urgent: this.#candidatesOf("urgent"), bulk: this.#candidatesOf("bulk") };
  readonly #nextAtMs = this.prepare<number | null>(
    `SELECT min(next_at) FROM outbox WHERE ${ACTIVE} AND phase NOT IN ('posting','writing')`,
  ).pluck();
  readonly #unproved = this.prepare<number>(
    `SELECT intervention_id FROM outbox WHERE phase IN ('posting','unsure') AND rank = ${URGENT_PRIORITY_ORDER}
       AND (intervention_id IN (SELECT value FROM json_each(:reported))
         OR (phase = 'unsure' AND attempt_at < :sentBeforeMs AND last_code IN (SELECT value FROM json_each(:codes)))) ORDER BY intervention_id DESC`,
  ).pluck();
  readonly #late = this.prepare<number>(
    `SELECT count(*) FROM outbox JOIN interventions ON interventions.id = outbox.intervention_id
     WHERE ${ACTIVE} AND rank = ${URGENT_PRIORITY_ORDER} AND deleted = 0 AND next_at > 0
       AND ((phase IN ('new','posting','unsure') AND abs(:nowMs - created_at) >= :lateMs)
         OR (phase IN ('linked','writing') AND joined_rev > synced_rev AND abs(:nowMs - coalesce(joined_at, updated_at)) >= :lateMs))
       AND NOT (phase IN ('posting','unsure') AND coalesce(last_code, '') IN (SELECT value FROM json_each(:unprovedCodes)))`,
  ).pluck();

  /**
   * The first entry that may be sent now: urgent ones newest first, the others by priority and creation. Entries in
   * flight are not due.
   * @param isFree whether no record in progress blocks it
   */
  next(queue: OutboxQueue, nowMs: number, isFree: (due: DueEntry) => boolean): DueEntry | undefined {
    for (const row of this.#candidates[queue].iterate(nowMs)) {
      const { similarityKey, ...entry } = row;
      const due = { entry: toEntry(entry), similarityKey };
      if (isFree(due)) return due;
    }
    return undefined;
  }

  /** When the next waiting entry becomes due, milliseconds since 1970. */
  nextAtMs(): number | undefined {
    return this.#nextAtMs.get() ?? undefined;
  }

  /**
   * Unconfirmed alarms whose search was incomplete or denied, now or when they were reported: one that is sent again is no surer.
   * @param codes outcome codes of searches that were incomplete or denied
   * @param sentBeforeMs wall clock, milliseconds since 1970
   * @param reported ids of interventions that were returned before
   * @returns ids of interventions, newest first
   */
  unprovedAlarms(codes: readonly string[], sentBeforeMs: number, reported: readonly number[]): number[] {
    return this.#unproved.all({
      sentBeforeMs,
      codes: JSON.stringify(codes),
      reported: JSON.stringify(reported),
    });
  }

  /**
   * The number of alarms that the centre does not have after a long time, or that a trip has joined which it does not have, and
   * that wait on their own, not for the link. After the clock was set back, a time as far in the future counts too.
   * @param nowMs wall clock, milliseconds since 1970
   * @param lateMs the long time in milliseconds, since the creation, or since the first trip that it lacks
   * @param unprovedCodes outcome codes of searches with which an unconfirmed alarm is not counted
   */
  lateAlarms(nowMs: number, lateMs: number, unprovedCodes: readonly string[]): number {
    return this.#late.get({ nowMs, lateMs, unprovedCodes: JSON.stringify(unprovedCodes) }) ?? 0;
  }

  #candidatesOf(queue: OutboxQueue): Statement<unknown[], OutboxRow & { readonly similarityKey: string }> {
    return this.prepare(
      `SELECT ${ENTRY}, ${SIMILARITY_KEY} AS similarityKey FROM outbox JOIN interventions ON interventions.id = outbox.intervention_id
       WHERE ${ACTIVE} AND phase NOT IN ('posting','writing') AND ${QUEUES[queue]} AND next_at <= ?
       ORDER BY ${ORDERS[queue]} LIMIT ${CANDIDATES_MAX}`,
    );
  }
}
