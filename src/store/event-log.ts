import { isoTime } from "../domain/clock.ts";
import type { EventDetail, EventName, LoggedEvent, NewEvent } from "../domain/event.ts";
import { isAudited, omittedEventsEntry, type EventRow } from "./audit-chain.ts";
import { AuditTrail } from "./audit-trail.ts";
import { Store } from "./database.ts";
import { storedJson } from "./stored-json.ts";
import { transaction } from "./transaction.ts";

/** An audited event is in both tables until the log displaces it; then only the audit trail has it. */
const TABLES = ["events", "audit"] as const;
const COLUMNS = "seq, at, event, who, origin, subject, detail";
/** Among so many of the newest events a repeated one is sought: more than are kept while they cannot be written. */
const REPEATED_WITHIN = 4_096;
/** Addresses stored per account: a phone on mobile data has a new one every day. */
const ADDRESSES_MAX = 200;

function newestOf(condition: string): string {
  const each = TABLES.map(
    (table) =>
      `SELECT * FROM (SELECT ${COLUMNS} FROM ${table} WHERE ${condition} ORDER BY seq DESC LIMIT :limit)`,
  );
  return `${each.join(" UNION ")} ORDER BY seq DESC LIMIT :limit`;
}

/** The event log, in the same database as the records, so that both are written or neither. */
export class EventLog extends Store {
  readonly #audit = new AuditTrail(this.database);
  readonly #insert = this.prepare(
    "INSERT INTO events(at, event, who, origin, subject, detail) VALUES(?, ?, ?, ?, ?, ?)",
  );
  readonly #same = this.prepare(
    `SELECT 1 FROM events WHERE seq > (SELECT max(seq) FROM events) - ${REPEATED_WITHIN}
       AND at = ? AND event = ? AND who = ? AND origin = ? AND subject = ? AND detail = ? LIMIT 1`,
  );
  readonly #knownAddress = this.prepare("SELECT 1 FROM known_places WHERE email = ? AND address = ?");
  readonly #loggedAddress = this.prepare(
    "SELECT 1 FROM events WHERE event = 'signed-in' AND who = ? AND origin = ? LIMIT 1",
  );
  readonly #newestAddresses = this.prepare<{ readonly address: string }>(
    "SELECT address FROM known_places GROUP BY address ORDER BY max(last_at) DESC LIMIT ?",
  );
  readonly #addAddress = this.prepare(
    "INSERT OR REPLACE INTO known_places(email, address, last_at) VALUES(?, ?, ?)",
  );
  readonly #removeOldestAddress = this.prepare(
    `DELETE FROM known_places WHERE email = :email AND address IN (SELECT address FROM known_places
       WHERE email = :email ORDER BY last_at DESC, address LIMIT -1 OFFSET ${ADDRESSES_MAX})`,
  );
  readonly #newest = this.prepare<EventRow>(newestOf("seq < :before"));
  // Reads all of the log: ten thousand entries take less than a millisecond, an index a page of the disk for each event.
  readonly #about = this.prepare<EventRow>(newestOf("subject = :subject"));
  readonly #between = this.prepare<EventRow>(
    TABLES.map(
      (table) =>
        `SELECT ${COLUMNS} FROM ${table} WHERE at BETWEEN :sinceMs AND :untilMs
           AND event IN (SELECT value FROM json_each(:names))`,
    ).join(" UNION ") + " ORDER BY seq",
  );

  add(event: NewEvent, atMs: number): void {
    if (!isAudited(event.event)) this.#add(event, atMs);
    else transaction(this.database, () => this.#addAudited(event, atMs));
  }

  /** Whether one of the newest events is this one. */
  has({ event, who, from, subject, detail }: NewEvent, atMs: number): boolean {
    return this.#same.get(atMs, event, who, from, subject, JSON.stringify(detail)) !== undefined;
  }

  #addAudited(event: NewEvent, at: number): void {
    const { who, from: origin, subject, detail } = event;
    const seq = this.#add(event, at);
    this.#audit.add({ seq, at, event: event.event, who, origin, subject, detail: JSON.stringify(detail) });
    if (event.event === "signed-in") this.#storeAddress(who, origin, at);
    for (const leftOut of this.#audit.takeLeftOut(at)) this.#addAudited(omittedEventsEntry(leftOut), at);
  }

  #add({ event, who, from, subject, detail }: NewEvent, atMs: number): number {
    return Number(this.#insert.run(atMs, event, who, from, subject, JSON.stringify(detail)).lastInsertRowid);
  }

  /** Whether an account has signed in from an address before. */
  hasSignedIn(email: string, address: string): boolean {
    // An earlier release only wrote to the event log.
    return (this.#knownAddress.get(email, address) ?? this.#loggedAddress.get(email, address)) !== undefined;
  }

  /** Addresses from which any account has signed in, the latest first. */
  newestAddresses(limit: number): string[] {
    return this.#newestAddresses.all(limit).map(({ address }) => address);
  }

  /** Stores an address; only sign-ins of the same account displace its oldest one. */
  #storeAddress(email: string, address: string, atMs: number): void {
    this.#addAddress.run(email, address, atMs);
    this.#removeOldestAddress.run({ email });
  }

  /**
   * The newest events, newest first.
   * @param before only events with a smaller `seq`
   */
  newest(limit: number, before = Number.MAX_SAFE_INTEGER): LoggedEvent[] {
    return this.#newest.all({ before, limit }).map(toEvent);
  }

  /** The events with some names between two wall clock times, in the order of writing. */
  between(names: readonly EventName[], sinceMs: number, untilMs: number): LoggedEvent[] {
    return this.#between.all({ sinceMs, untilMs, names: JSON.stringify(names) }).map(toEvent);
  }

  /** The newest events about a subject such as `intervention 12`, newest first. */
  about(subject: string, limit: number): LoggedEvent[] {
    return this.#about.all({ subject, limit }).map(toEvent);
  }
}

/** The event of a row. */
export function toEvent({ at, origin, detail, ...rest }: EventRow): LoggedEvent {
  return {
    ...rest,
    at: isoTime(at),
    from: origin,
    detail: storedJson<EventDetail>(detail, {}),
  };
}
