import type { OutboxEntry } from "../domain/outbox.ts";
import { URGENT_ORDER } from "../domain/priority-order.ts";
import type { Database } from "./database.ts";
import { toEntry } from "./outbox-row.ts";

/** Alarms have a queue of their own, so that none waits behind a patrol's slow answer. */
export type OutboxQueue = "urgent" | "bulk";
/** An entry that may be worked on. */
export interface DueEntry {
  readonly entry: OutboxEntry;
  /** Two records with the same one look alike at a centre that does not keep our reference. */
  readonly likeness: string;
}

/** Finds what in the outbox may be sent now. */
export class DueEntries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * The first entry that may be worked on now: high priority first, of alarms the newest, then the order of creation.
   * What is on the wire is not due.
   * @param isFree whether nothing that is under way stands against it
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

/** Entries that are under way are skipped; there are no more of them than this. */
const CANDIDATES_MAX = 32;

/** Objective, name and start: of an attempt that may have arrived those that were sent. */
const LIKENESS = `iif(phase = 'unsure',
  json_array(attempt_body ->> 'objectiveType', attempt_body ->> 'objectiveId', attempt_body ->> 'name', attempt_body ->> 'dateStart'),
  json_array(objectiveType, objectiveId, name, dateStart))`;

/** A fresh alarm does not wait behind those of an hour ago; the index is read from either end. */
const ORDERS: Readonly<Record<OutboxQueue, string>> = {
  urgent: "rank DESC, intervention_id DESC",
  bulk: "rank, intervention_id",
};

const QUEUES: Readonly<Record<OutboxQueue, string>> = {
  urgent: `rank = ${URGENT_ORDER}`,
  bulk: `rank > ${URGENT_ORDER}`,
};
