import type { EventDetail, EventName, LoggedEvent, NewEvent } from "../domain/event.ts";
import { AuditTrail, type EventRow } from "./audit-trail.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/** The event log, in the same database as the records, so that both are written or neither. */
export class EventLog {
  readonly #database: Database;
  readonly #audit: AuditTrail;

  constructor(database: Database) {
    this.#database = database;
    this.#audit = new AuditTrail(database);
  }

  add(event: NewEvent, atMs: number): void {
    if (!AuditTrail.isAudited(event.event)) this.#insert(event, atMs);
    else transaction(this.#database, () => this.#addAudited(event, atMs));
  }

  #addAudited(event: NewEvent, at: number): void {
    const { who, from: origin, subject, detail } = event;
    const seq = this.#insert(event, at);
    this.#audit.add({ seq, at, event: event.event, who, origin, subject, detail: JSON.stringify(detail) });
    if (event.event === "signed-in") this.#storeAddress(who, origin, at);
  }

  #insert({ event, who, from, subject, detail }: NewEvent, atMs: number): number {
    const { lastInsertRowid } = this.#database
      .prepare("INSERT INTO events(at, event, who, origin, subject, detail) VALUES(?, ?, ?, ?, ?, ?)")
      .run(atMs, event, who, from, subject, JSON.stringify(detail));
    return Number(lastInsertRowid);
  }

  /** Whether an account has signed in from an address before. */
  hasSignedIn(email: string, address: string): boolean {
    const known = this.#database
      .prepare("SELECT 1 FROM known_places WHERE email = ? AND address = ?")
      .get(email, address);
    if (known !== undefined) return true;
    // An earlier release only wrote to the event log.
    const found = this.#database
      .prepare("SELECT 1 FROM events WHERE event = 'signed-in' AND who = ? AND origin = ? LIMIT 1")
      .get(email, address);
    return found !== undefined;
  }

  /** Stores an address; only sign-ins of the same account displace its oldest one. */
  #storeAddress(email: string, address: string, atMs: number): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO known_places(email, address, last_at) VALUES(?, ?, ?)")
      .run(email, address, atMs);
    this.#database
      .prepare(
        `DELETE FROM known_places WHERE email = :email AND address IN (SELECT address FROM known_places
           WHERE email = :email ORDER BY last_at DESC, address LIMIT -1 OFFSET ${ADDRESSES_MAX})`,
      )
      .run({ email });
  }

  /**
   * The newest events, newest first.
   * @param before only events with a smaller `seq`
   */
  newest(limit: number, before = Number.MAX_SAFE_INTEGER): LoggedEvent[] {
    return this.#database
      .prepare(newestOf("seq < :before"))
      .all({ before, limit })
      .map((row) => toEvent(row as EventRow));
  }

  /** The events with some names between two wall clock times, in the order of writing. */
  between(names: readonly EventName[], sinceMs: number, untilMs: number): LoggedEvent[] {
    return this.#database
      .prepare(
        TABLES.map(
          (table) =>
            `SELECT ${COLUMNS} FROM ${table} WHERE at BETWEEN :sinceMs AND :untilMs
               AND event IN (SELECT value FROM json_each(:names))`,
        ).join(" UNION ") + " ORDER BY seq",
      )
      .all({ sinceMs, untilMs, names: JSON.stringify(names) })
      .map((row) => toEvent(row as EventRow));
  }

  /** The newest events about a subject such as `intervention 12`, newest first. */
  about(subject: string, limit: number): LoggedEvent[] {
    return this.#database
      .prepare(newestOf("subject = :subject"))
      .all({ subject, limit })
      .map((row) => toEvent(row as EventRow));
  }
}

/** An audited event is in both tables until the log displaces it; then only the audit trail has it. */
const TABLES = ["events", "audit"] as const;
const COLUMNS = "seq, at, event, who, origin, subject, detail";
/** Addresses stored per account: a phone on mobile data has a new one every day. */
const ADDRESSES_MAX = 200;

function newestOf(condition: string): string {
  const each = TABLES.map(
    (table) =>
      `SELECT * FROM (SELECT ${COLUMNS} FROM ${table} WHERE ${condition} ORDER BY seq DESC LIMIT :limit)`,
  );
  return `${each.join(" UNION ")} ORDER BY seq DESC LIMIT :limit`;
}

function toEvent({ at, origin, detail, ...rest }: EventRow): LoggedEvent {
  return {
    ...rest,
    at: new Date(at).toISOString(),
    from: origin,
    detail: JSON.parse(detail) as EventDetail,
  };
}
