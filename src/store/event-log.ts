import type { EventDetail, EventName, LoggedEvent, NewEvent } from "../domain/event.ts";
import type { Database } from "./database.ts";

/** The event log, in the same database as what its entries tell of, so that both are written or neither. */
export class EventLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add({ event, who, from, subject, detail }: NewEvent, atMs: number): void {
    this.#database
      .prepare("INSERT INTO events(at, event, who, origin, subject, detail) VALUES(?, ?, ?, ?, ?, ?)")
      .run(atMs, event, who, from, subject, JSON.stringify(detail));
  }

  /** Whether there is a sign-in of that account from that address. */
  hasSignedIn(email: string, address: string): boolean {
    const found = this.#database
      .prepare("SELECT 1 FROM events WHERE event = 'signed-in' AND who = ? AND origin = ? LIMIT 1")
      .get(email, address);
    return found !== undefined;
  }

  /**
   * The newest entries first.
   * @param before only entries with a smaller `seq`
   */
  newest(limit: number, before = Number.MAX_SAFE_INTEGER): LoggedEvent[] {
    return this.#database
      .prepare("SELECT * FROM events WHERE seq < ? ORDER BY seq DESC LIMIT ?")
      .all(before, limit)
      .map((row) => toEvent(row as EventRow));
  }

  /** The entries of some kinds in a time by the wall clock, in the order of their writing. */
  between(names: readonly EventName[], sinceMs: number, untilMs: number): LoggedEvent[] {
    return this.#database
      .prepare(
        `SELECT * FROM events WHERE at BETWEEN ? AND ? AND event IN (SELECT value FROM json_each(?))
         ORDER BY seq`,
      )
      .all(sinceMs, untilMs, JSON.stringify(names))
      .map((row) => toEvent(row as EventRow));
  }

  /** The newest entries about one thing, such as `intervention 12`, the newest first. */
  about(subject: string, limit: number): LoggedEvent[] {
    return this.#database
      .prepare("SELECT * FROM events WHERE subject = ? ORDER BY seq DESC LIMIT ?")
      .all(subject, limit)
      .map((row) => toEvent(row as EventRow));
  }
}

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly event: EventName;
  readonly who: string;
  readonly origin: string;
  readonly subject: string;
  readonly detail: string;
}

function toEvent({ at, origin, detail, ...rest }: EventRow): LoggedEvent {
  return {
    ...rest,
    at: new Date(at).toISOString(),
    from: origin,
    detail: JSON.parse(detail) as EventDetail,
  };
}
