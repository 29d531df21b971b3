import type { OutboxEntry } from "../domain/outbox.ts";
import { URGENT_ORDER } from "../domain/priority-order.ts";
import type { Database } from "./database.ts";
import { toEntry } from "./outbox-row.ts";

/** Urgent entries have their own queue, so that none waits for a slow response to a bulk entry. */
export type OutboxQueue = "urgent" | "bulk";
/** An entry that may be sent. */
export interface DueEntry {
  readonly entry: OutboxEntry;
  /** Records with the same value cannot be distinguished if the centre does not keep our marker. */
  readonly likeness: string;
}

/** Finds the outbox entries that may be sent now. */
export class DueEntries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The first entry that may be sent now: urgent ones newest first, the others by priority and creation. Entries in
   * flight are not due.
   * @param isFree whether no record in progress blocks it
   */
  next(queue: OutboxQueue, nowMs: number, isFree: (due: DueEntry) => boolean): DueEntry | undefined {
    const rows = this.#database
      .prepare(
        `SELECT outbox.*, ${LIKENESS} AS likeness FROM outbox JOIN interventions ON interventions.id = outbox.intervention_id
         WHERE ${ACTIVE} AND phase NOT IN ('posting','writing') AND ${QUEUES[queue]} AND +next_at <= ?
         ORDER BY ${ORDERS[queue]} LIMIT ${CANDIDATES_MAX}`,
      )
      .iterate(nowMs) as Iterable<{ readonly likeness: string }>;
    for (const row of rows) {
      const due = { entry: toEntry(row) as OutboxEntry, likeness: row.likeness };
      if (isFree(due)) return due;
    }
    return undefined;
  }

  /** When the next waiting entry becomes due, milliseconds since 1970. */
  nextAtMs(): number | undefined {
    return (
      (this.#database
        .prepare(`SELECT min(next_at) FROM outbox WHERE ${ACTIVE} AND phase NOT IN ('posting','writing')`)
        .pluck()
        .get() as number | null) ?? undefined
    );
  }
}

/** Entries with work to do; the partial index outbox_due covers exactly these. */
export const ACTIVE =
  "(phase IN ('new','posting','unsure','writing','blocked') OR (phase = 'linked' AND want_rev > synced_rev))";

/** Entries in progress are skipped; there are fewer of them than this. */
const CANDIDATES_MAX = 32;

/** Objective, name and start; for an unconfirmed attempt those that were sent. */
const LIKENESS = `iif(phase = 'unsure',
  json_array(attempt_body ->> 'objectiveType', attempt_body ->> 'objectiveId', attempt_body ->> 'name', attempt_body ->> 'dateStart'),
  json_array(objectiveType, objectiveId, name, dateStart))`;

/** A new alarm does not wait for older ones; the index is read from either end. */
const ORDERS: Readonly<Record<OutboxQueue, string>> = {
  urgent: "rank DESC, intervention_id DESC",
  bulk: "rank, intervention_id",
};

const QUEUES: Readonly<Record<OutboxQueue, string>> = {
  urgent: `rank = ${URGENT_ORDER}`,
  bulk: `rank > ${URGENT_ORDER}`,
};
