import {
  chained,
  isAudited,
  isLeftOut,
  NO_CUT,
  REPEAT_WINDOW_MS,
  TrailCheck,
  UNKNOWN_MAX,
  UNKNOWN_WINDOW_MS,
  type AuditRow,
  type EventRow,
  type TrailCut,
  type TrailReport,
} from "../store/audit-chain.ts";
import type { NamedStatement, PostgresConnections, Queries } from "./connection.ts";

/** A number of our own for the lock that gives the entries of all processes one order. */
const AUDIT_LOCK = 0x61756474;
/** Entries read at once: all of them may take more memory than a process has. */
const BATCH_ROWS = 1_000;

/**
 * Waits until no other transaction appends, in whatever process. It comes before the events get their numbers, so that
 * the chain has their order.
 */
export async function lockTrail(queries: Queries): Promise<void> {
  await queries.query("SELECT pg_advisory_xact_lock($1)", [AUDIT_LOCK]);
}

/**
 * Chains the audited ones of new events, unless they are repetitions; call it in their transaction, after `lockTrail`.
 * @param rows by ascending `seq`, with the contents that the database has stored
 */
export async function appendToTrail(queries: Queries, rows: readonly EventRow[]): Promise<void> {
  const asked = rows.filter(({ event }) => isAudited(event));
  if (asked.length === 0) return;
  const earlier = await queries.query<Earlier>(EARLIER, [
    asked.map(({ event }) => event),
    asked.map(({ who }) => who),
    asked.map(({ origin }) => origin),
    asked.map(({ at }) => at),
    REPEAT_WINDOW_MS,
    UNKNOWN_WINDOW_MS,
  ]);
  let last: Pick<TrailCut, "position" | "hash"> =
    (await queries.query<AuditRow>(LAST))[0] ?? (await cutOf(queries));
  const added: AuditRow[] = [];
  for (const [index, row] of asked.entries()) {
    const within = (windowMs: number): AuditRow[] =>
      added.filter(({ event, at }) => event === row.event && at <= row.at && at >= row.at - windowMs);
    const same = within(REPEAT_WINDOW_MS).filter(
      ({ who, origin }) => who === row.who && origin === row.origin,
    );
    const others = (): number => (earlier[index]?.others ?? 0) + within(UNKNOWN_WINDOW_MS).length;
    if (isLeftOut(row.event, (earlier[index]?.repeats ?? 0) + same.length, others)) continue;
    const next = chained(last, row);
    added.push(next);
    last = next;
  }
  const column = <K extends keyof AuditRow>(name: K): AuditRow[K][] => added.map((row) => row[name]);
  if (added.length > 0)
    await queries.query(APPEND, [
      column("position"),
      column("seq"),
      column("at"),
      column("event"),
      column("who"),
      column("origin"),
      column("subject"),
      column("detail"),
      column("hash"),
    ]);
}

/**
 * Removes the oldest entries before a time and stores the hash of the last removed one, in the transaction of `queries`.
 * The newest entry stays.
 * @param batch the number of entries to remove at most
 * @returns the removed rows, without their contents
 */
export async function removeOldAudit(queries: Queries, beforeMs: number, batch: number): Promise<unknown[]> {
  const [last] = await queries.query<TrailCut>(LAST_OF_BATCH, [beforeMs, batch]);
  if (!last) return [];
  await queries.query(CUT, [last.position, last.at, last.hash]);
  return queries.query("DELETE FROM audit WHERE position <= $1 RETURNING 1", [last.position]);
}

/** Verifies the chain from its anchor to its end, as it is at one moment. */
export async function verifyTrail(connections: PostgresConnections): Promise<TrailReport> {
  return atOneMoment(connections, async (queries) => {
    const check = new TrailCheck(await cutOf(queries));
    await eachRow(queries, (row) => check.add(row));
    return check.report();
  });
}

/** Calls `use` with all entries in order, as they are at one moment. */
export async function readTrail(
  connections: PostgresConnections,
  use: (row: AuditRow) => void,
): Promise<void> {
  await atOneMoment(connections, (queries) => eachRow(queries, use));
}

function atOneMoment<T>(
  connections: PostgresConnections,
  work: (queries: Queries) => Promise<T>,
): Promise<T> {
  return connections.transaction(async (queries) => {
    await queries.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    return work(queries);
  });
}

async function eachRow(queries: Queries, use: (row: AuditRow) => void): Promise<void> {
  let position = 0;
  for (;;) {
    const rows = await queries.query<AuditRow>(NEXT, [position]);
    for (const row of rows) use(row);
    const last = rows.at(-1);
    if (!last) return;
    position = last.position;
  }
}

async function cutOf(queries: Queries): Promise<TrailCut> {
  const [cut] = await queries.query<TrailCut>("SELECT position, hash, at FROM audit_cut");
  return cut ?? NO_CUT;
}

interface Earlier {
  readonly repeats: number;
  readonly others: number;
}

const EARLIER: NamedStatement = {
  name: "earlier-audit",
  text: `
    SELECT
      (SELECT count(*) FROM (SELECT FROM audit WHERE audit.event = asked.event AND audit.who = asked.who
        AND audit.origin = asked.origin AND audit.at BETWEEN asked.at - $5::bigint AND asked.at LIMIT 1) AS one) AS repeats,
      (SELECT count(*) FROM (SELECT FROM audit WHERE audit.event = asked.event
        AND audit.at BETWEEN asked.at - $6::bigint AND asked.at LIMIT ${UNKNOWN_MAX}) AS newest) AS others
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
      WITH ORDINALITY AS asked(event, who, origin, at, n) ORDER BY n`,
};
const LAST = "SELECT position, hash FROM audit ORDER BY position DESC LIMIT 1";
const APPEND: NamedStatement = {
  name: "append-audit",
  text: `
    INSERT INTO audit(position, seq, at, event, who, origin, subject, detail, hash)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
      $8::text[], $9::text[])`,
};
const LAST_OF_BATCH = `
  SELECT position, at, hash FROM (SELECT position, at, hash FROM audit ORDER BY position LIMIT $2) AS oldest
  WHERE position < (SELECT max(position) FROM audit)
    AND position < coalesce((SELECT min(position) FROM audit WHERE at >= $1), 9223372036854775807)
  ORDER BY position DESC LIMIT 1`;
const CUT = `
  INSERT INTO audit_cut(one, position, at, hash) VALUES(1, $1, $2, $3)
  ON CONFLICT (one) DO UPDATE SET position = excluded.position, at = excluded.at, hash = excluded.hash`;
const NEXT = `SELECT position, seq, at, event, who, origin, subject, detail, hash
  FROM audit WHERE position > $1 ORDER BY position LIMIT ${BATCH_ROWS}`;
