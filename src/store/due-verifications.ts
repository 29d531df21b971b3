import { type OutboxEntry, URGENT_PRIORITY_ORDER, VERIFY_AHEAD_MS } from "../domain/outbox.ts";
import { Store } from "./database.ts";
import { ENTRY, type OutboxRow, toEntry } from "./outbox-row.ts";

/** At the regular sync of each minute, every open record is read within the interval of five minutes. */
const PARTS = 5;
/** Verifications at once, if as many are due. The largest number is about what a link of 50 ms reads in half a minute. */
const AT_ONCE = { min: 20, max: 500 };

/** Finds the linked entries whose record is to be read again at the dispatch centre. */
export class DueVerifications extends Store {
  readonly #intervalMs: number;
  readonly #dueUntil = this.prepare<number>(
    "SELECT count(*) FROM outbox WHERE verify_at <= ? AND phase = 'linked'",
  ).pluck();
  // The newest first among those of one time, as after a restore of the centre, which has lost its newest.
  readonly #due = this.prepare<OutboxRow>(
    `SELECT ${ENTRY} FROM outbox WHERE verify_at <= :nowMs AND phase = 'linked' AND next_at <= :nowMs
     ORDER BY verify_at - iif(rank = ${URGENT_PRIORITY_ORDER} OR missing_since IS NOT NULL, ${VERIFY_AHEAD_MS}, 0),
       rank, upstream_id DESC LIMIT :limit`,
  );

  /** @param intervalMs interval at which an open record is read */
  constructor(database: ConstructorParameters<typeof Store>[0], intervalMs: number) {
    super(database);
    this.#intervalMs = intervalMs;
  }

  /**
   * A part of the entries that are due, longest overdue first; alarms, and records that the centre may have lost, come before
   * others.
   * @param nowMs wall clock, milliseconds since 1970
   */
  next(nowMs: number): OutboxEntry[] {
    const part = Math.ceil((this.#dueUntil.get(nowMs + this.#intervalMs) ?? 0) / PARTS);
    const limit = Math.min(Math.max(part, AT_ONCE.min), AT_ONCE.max);
    return this.#due.all({ nowMs, limit }).map(toEntry);
  }
}
