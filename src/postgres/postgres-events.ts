import type { Clock } from "../domain/clock.ts";
import type { EventDetail, EventName, LoggedEvent, NewEvent } from "../domain/event.ts";
import type { NamedStatement, Queries, SqlParameter } from "./connection.ts";
import { storableText } from "./storable.ts";
import { TurnBatch } from "./turn-batch.ts";

interface DatedEvent {
  readonly event: NewEvent;
  readonly atMs: number;
}

/**
 * Only events that no open transaction can precede: a reader that continues after the last `seq` it has seen would
 * otherwise miss an event whose transaction takes longer than that of its successor.
 */
const SETTLED = "tx < pg_snapshot_xmin(pg_current_snapshot())";
const COLUMNS = "seq, at, event, who, origin, subject, detail";

/** The event log of a centre. Events of one turn share a round trip. */
export class PostgresEvents {
  readonly #queries: Queries;
  readonly #added: TurnBatch<DatedEvent, void>;

  constructor(queries: Queries, clock: Pick<Clock, "afterEventLoopTurn">) {
    this.#queries = queries;
    this.#added = new TurnBatch<DatedEvent, void>(clock, async (events) => {
      await insertEvents(queries, events);
      return [];
    });
  }

  /**
   * Adds an event; resolves when it is durable.
   * @param atMs when it happened, wall clock, milliseconds since 1970
   */
  add(event: NewEvent, atMs: number): Promise<void> {
    return this.#added.ask({ event, atMs });
  }

  /** The newest events, newest first. @param before only events with a smaller `seq` */
  async newest(limit: number, before = Number.MAX_SAFE_INTEGER): Promise<LoggedEvent[]> {
    return this.#read(`seq < $2 ORDER BY seq DESC LIMIT $1`, [limit, before]);
  }

  /** The oldest events after a position, in the order of their numbers. */
  async after(seq: number, limit: number): Promise<LoggedEvent[]> {
    return this.#read(`seq > $2 ORDER BY seq LIMIT $1`, [limit, seq]);
  }

  /** The newest events about a subject such as `intervention 12`, newest first. */
  async about(subject: string, limit: number): Promise<LoggedEvent[]> {
    return this.#read(`subject = $2 ORDER BY seq DESC LIMIT $1`, [limit, subject]);
  }

  async #read(condition: string, values: readonly SqlParameter[]): Promise<LoggedEvent[]> {
    const rows = await this.#queries.query<EventRow>(
      `SELECT ${COLUMNS} FROM events WHERE ${SETTLED} AND ${condition}`,
      values,
    );
    return rows.map(({ at, origin, detail, ...rest }) => ({
      ...rest,
      at: new Date(at).toISOString(),
      from: origin,
      detail: JSON.parse(detail) as EventDetail,
    }));
  }
}

/** Adds events and the addresses of sign-ins, in the transaction of `queries` if there is one. */
export async function insertEvents(queries: Queries, events: readonly DatedEvent[]): Promise<void> {
  const column = (value: (one: DatedEvent) => string): string[] =>
    events.map((one) => storableText(value(one)));
  await queries.query(INSERT, [
    events.map(({ atMs }) => atMs),
    column(({ event }) => event.event),
    column(({ event }) => event.who),
    column(({ event }) => event.from),
    column(({ event }) => event.subject),
    column(({ event }) => JSON.stringify(event.detail)),
  ]);
}

const INSERT: NamedStatement = {
  name: "add-events",
  text: `
    WITH added AS (
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
        WITH ORDINALITY AS added(at, event, who, origin, subject, detail, n)),
    places AS (
      INSERT INTO known_places(email, address, last_at)
      SELECT lower(who COLLATE "C"), origin, max(at) FROM added WHERE event = 'signed-in' GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (email, address) DO UPDATE SET last_at = excluded.last_at)
    INSERT INTO events(at, event, who, origin, subject, detail)
    SELECT at, event, who, origin, subject, detail FROM added ORDER BY n`,
};

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly event: EventName;
  readonly who: string;
  readonly origin: string;
  readonly subject: string;
  readonly detail: string;
}
