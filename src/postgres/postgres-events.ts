import type { Clock } from "../domain/clock.ts";
import type { LoggedEvent, NewEvent } from "../domain/event.ts";
import { isAudited, omittedEventsEntry, type EventRow } from "../store/audit-chain.ts";
import { toEvent } from "../store/event-log.ts";
import { appendToTrail, lockTrail } from "./audit-trail.ts";
import {
  columnsOf,
  type NamedStatement,
  type PostgresConnections,
  type Queries,
  type SqlParameter,
} from "./connection.ts";
import { storableText } from "./storable.ts";
import { EventLoopBatch } from "./event-loop-batch.ts";

interface DatedEvent {
  readonly event: NewEvent;
  readonly atMs: number;
  /** Whether it may be there from an earlier attempt. */
  readonly isRepeated?: boolean;
}

/**
 * Only events whose transaction is older than every open one, so that the log rarely has an event before its predecessor. Their
 * order is not that of their numbers: a transaction may begin first and number its event last. So no reader may continue
 * after the largest `seq` it has seen. A visible row with a number that this server has not given yet is from before a restore
 * into a new server, whose numbers start again: it is settled too.
 */
const SETTLED = `(tx < pg_snapshot_xmin(pg_current_snapshot()) OR tx >= pg_snapshot_xmax(pg_current_snapshot()))`;
const COLUMNS = "seq, at, event, who, origin, subject, detail";

/** An audited event is in both tables until the log removes it; then only the audit trail has it. */
const EVENTS = `SELECT ${COLUMNS} FROM events WHERE ${SETTLED}`;
const AUDIT = `SELECT ${COLUMNS} FROM audit WHERE ${SETTLED}`;

/** A number of our own for a lock: transactions that add no audited event share it, and a repetition needs it alone. */
const EVENTS_LOCK = 0x65766e74;

/** The state of the log at one moment. */
export interface EventLogPosition {
  /** The largest `seq` that is shown; 0 without events. */
  readonly newest: number;
  /** The largest `seq` that is stored, and how many of the last numbers are shown and stored: lists show their changes already. */
  readonly stored: number;
  readonly recent: number;
}

/** An event is shown a moment after its successors, during which a storm numbers thousands, each of which is shown anyway. */
const RECENT_NUMBERS = 256;
const PLACE: NamedStatement = {
  name: "event-place",
  text: `SELECT coalesce(max(seq) FILTER (WHERE ${SETTLED}), 0) AS newest, coalesce(max(seq), 0) AS stored,
      count(*) + count(*) FILTER (WHERE ${SETTLED}) AS recent
    FROM events WHERE seq > (SELECT max(seq) FROM events) - ${RECENT_NUMBERS}`,
};

/** The event log of a centre. Events of one turn share a round trip, or a transaction if some of them are audited. */
export class PostgresEvents {
  readonly #queries: Queries;
  readonly #added: EventLoopBatch<DatedEvent, void>;

  constructor(connections: PostgresConnections, clock: Pick<Clock, "afterEventLoopTurn">) {
    this.#queries = connections;
    this.#added = new EventLoopBatch<DatedEvent, void>(clock, async (events) => {
      if (events.some(({ event, isRepeated }) => isAudited(event.event) || isRepeated === true))
        await connections.transaction(async (queries) =>
          insertEvents(queries, await missing(queries, events)),
        );
      else await connections.writes.query(INSERT_SHARED, columnsOf(events.map(rowOf), ...EVENT_COLUMNS));
      return [];
    });
  }

  /**
   * Adds an event; resolves when it is durable.
   * @param atMs when it happened, wall clock, milliseconds since 1970
   * @param isRepeated whether it may be there from an earlier attempt; then it is not added again
   */
  add(event: NewEvent, atMs: number, isRepeated = false): Promise<void> {
    return this.#added.ask({ event, atMs, isRepeated });
  }

  /** The newest events, newest first. @param before only events with a smaller `seq` */
  async newest(limit: number, before = Number.MAX_SAFE_INTEGER): Promise<LoggedEvent[]> {
    return this.#read(newestOf("seq < $2"), [limit, before]);
  }

  /**
   * Changes with each event that is stored, and again when it is shown, which another transaction of the server may delay: each
   * change of a record has an event.
   */
  async place(): Promise<EventLogPosition> {
    const [place] = await this.#queries.query<EventLogPosition>(PLACE);
    return place ?? { newest: 0, stored: 0, recent: 0 };
  }

  /** The newest events about a subject such as `intervention 12`, newest first. */
  async about(subject: string, limit: number): Promise<LoggedEvent[]> {
    return this.#read(newestOf("subject = $2"), [limit, subject]);
  }

  async #read(statement: string, values: readonly SqlParameter[]): Promise<LoggedEvent[]> {
    const rows = await this.#queries.query<EventRow>(statement, values);
    return rows.map(toEvent);
  }
}

function newestOf(condition: string): string {
  const each = [EVENTS, AUDIT].map((from) => `(${from} AND ${condition} ORDER BY seq DESC LIMIT $1)`);
  return `${each.join(" UNION ")} ORDER BY seq DESC LIMIT $1`;
}

/** Adds events, with their audit trail and the addresses of sign-ins. Audited ones need the transaction of `queries`. */
export async function insertEvents(queries: Queries, events: readonly DatedEvent[]): Promise<void> {
  const given = events.map(rowOf);
  const hasAudited = given.some(({ event }) => isAudited(event));
  if (hasAudited) await lockTrail(queries);
  const values = columnsOf(given, ...EVENT_COLUMNS);
  const rows = await queries.query<{ seq: number }>(INSERT, values);
  if (!hasAudited) return;
  const seqs = rows.map(({ seq }) => seq).toSorted((a, b) => a - b);
  const leftOut = await appendToTrail(
    queries,
    given.map((row, index) => ({ ...row, seq: seqs[index] ?? 0 })),
  );
  const atMs = Math.max(...given.map(({ at }) => at));
  if (leftOut.length > 0)
    await insertEvents(
      queries,
      leftOut.map((each) => ({ event: omittedEventsEntry(each), atMs })),
    );
}

function rowOf({ event: { event, who, from, subject, detail }, atMs }: DatedEvent) {
  return {
    at: atMs,
    event,
    who: storableText(who),
    origin: storableText(from),
    subject: storableText(subject),
    detail: JSON.stringify(detail),
  };
}

/** The events that are to be added: those that are not repeated, and those whose earlier attempt has failed. */
async function missing(queries: Queries, events: readonly DatedEvent[]): Promise<readonly DatedEvent[]> {
  const repeated = events.filter(({ isRepeated }) => isRepeated === true);
  if (repeated.length === 0) return events;
  // The earlier attempt may still wait in the server, unseen, with one of these locks: the second one if an event is audited.
  await queries.query("SELECT pg_advisory_xact_lock($1)", [EVENTS_LOCK]);
  await lockTrail(queries);
  const rows = await queries.query<{ n: number }>(FOUND, columnsOf(repeated.map(rowOf), ...EVENT_COLUMNS));
  const found = new Set(rows.map(({ n }) => repeated[n - 1]));
  return events.filter((event) => !found.has(event));
}

/** Adds one event, as `insertEvents`. */
export function insertEvent(queries: Queries, event: NewEvent, atMs: number): Promise<void> {
  return insertEvents(queries, [{ event, atMs }]);
}

const EVENT_COLUMNS = ["at", "event", "who", "origin", "subject", "detail"] as const;

const FOUND: NamedStatement = {
  name: "events-found",
  text: `SELECT asked.n::int AS n FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
      WITH ORDINALITY AS asked(at, event, who, origin, subject, detail, n)
    WHERE EXISTS (SELECT FROM events WHERE events.at = asked.at AND events.event = asked.event AND events.who = asked.who
      AND events.origin = asked.origin AND events.subject = asked.subject AND events.detail = asked.detail)`,
};

const INSERT = insertion("add-events", "added");
/** As `INSERT`, for events without an audited one, as a transaction of its own. */
const INSERT_SHARED = insertion(
  "add-events-shared",
  `added, (SELECT pg_advisory_xact_lock_shared(${EVENTS_LOCK})) AS lock`,
);

function insertion(name: string, from: string): NamedStatement {
  const text = `
    WITH added AS (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        WITH ORDINALITY AS added(at, event, who, origin, subject, detail, n)),
    places AS (
      INSERT INTO known_places(email, address, last_at)
      SELECT lower(who COLLATE "C"), origin, max(at) FROM added WHERE event = 'signed-in' GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (email, address) DO UPDATE SET last_at = excluded.last_at)
    INSERT INTO events(at, event, who, origin, subject, detail)
    SELECT at, event, who, origin, subject, detail FROM ${from} ORDER BY n RETURNING seq`;
  return { name, text };
}
