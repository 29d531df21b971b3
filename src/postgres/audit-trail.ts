import {
  chained,
  isAudited,
  omissionReason,
  NO_CUT,
  REPEAT_WINDOW_MS,
  LIMITED_EVENTS,
  LIMITED_EVENTS_MAX,
  LIMITED_EVENTS_WINDOW_MS,
  type AuditRow,
  type EventRow,
  type OmittedEvents,
  type TrailCut,
} from "../store/audit-chain.ts";
import { TrailCheck, type TrailReport } from "../store/trail-check.ts";
import {
  AT_ONE_MOMENT,
  columnsOf,
  type NamedStatement,
  type PostgresConnections,
  type Queries,
} from "./connection.ts";

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
 * @returns what the limit has left out more than an hour ago, to be added as events
 */
export async function appendToTrail(queries: Queries, rows: readonly EventRow[]): Promise<OmittedEvents[]> {
  const asked = rows.filter(({ event }) => isAudited(event));
  if (asked.length === 0) return [];
  const earlier = await queries.query<Earlier>(EARLIER, [
    ...columnsOf(asked, "event", "who", "origin", "at"),
    REPEAT_WINDOW_MS,
    LIMITED_EVENTS_WINDOW_MS,
  ]);
  let last: Pick<TrailCut, "position" | "hash"> =
    (await queries.query<AuditRow>(LAST))[0] ?? (await cutOf(queries));
  const added: (AuditRow & { readonly account: string | null })[] = [];
  const leftOut: EventRow[] = [];
  for (const [index, row] of asked.entries()) {
    const within = (beforeMs: number, afterMs: number): typeof added =>
      added.filter(
        ({ event, at }) => event === row.event && at - row.at <= afterMs && row.at - at <= beforeMs,
      );
    const same = within(REPEAT_WINDOW_MS, 0).filter(
      ({ who, origin }) => who === row.who && origin === row.origin,
    );
    const { account = null, repeats = 0, others = 0 } = earlier[index] ?? {};
    const alike = (): number =>
      others +
      within(LIMITED_EVENTS_WINDOW_MS, LIMITED_EVENTS_WINDOW_MS).filter((each) => each.account === account)
        .length;
    const why = omissionReason(row.event, repeats + same.length, alike);
    if (why === "limit") leftOut.push(row);
    if (why !== undefined) continue;
    const next = chained(last, row);
    added.push({ ...next, account });
    last = next;
  }
  if (added.length > 0) await queries.query(APPEND, columnsOf(added, ...TRAIL_COLUMNS));
  if (leftOut.length > 0) await queries.query(LEAVE_OUT, columnsOf(leftOut, "event", "at"));
  const due = earlier.find(({ due: isDue }) => isDue);
  return due ? queries.query<OmittedEvents>(TAKE_LEFT_OUT, [due.at]) : [];
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

/**
 * Verifies the chain from its anchor to its end, as it is at one moment.
 * @param soughtHash a hash to look for; optional
 */
export async function verifyTrail(
  connections: PostgresConnections,
  soughtHash?: string,
): Promise<TrailReport> {
  return connections.transaction((queries) => trailReport(queries, soughtHash), AT_ONE_MOMENT);
}

/** Verifies the chain as the transaction of `queries` has it. */
export async function trailReport(queries: Queries, soughtHash?: string): Promise<TrailReport> {
  const check = new TrailCheck(await cutOf(queries), soughtHash);
  await eachRow(queries, (row) => check.add(row));
  return check.report();
}

/** Calls `use` with all entries in order, as they are at one moment. */
export async function readTrail(
  connections: PostgresConnections,
  use: (row: AuditRow) => void,
): Promise<void> {
  await connections.transaction((queries) => eachRow(queries, use), AT_ONE_MOMENT);
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
  readonly at: number;
  /** The account whose address the event names; null if there is none. */
  readonly account: string | null;
  readonly repeats: number;
  /** Entries of the same account, or of all names without one. Later ones count too: processes have a clock each. */
  readonly others: number;
  /** Whether entries were left out more than an hour before. */
  readonly due: boolean;
}

/** The account with exactly this address, by the index that ignores case. */
function isOf(table: string, who: string): string {
  return `lower(${table}.email) = lower(${who} COLLATE "C") AND ${table}.email = ${who} COLLATE "C"`;
}

const EARLIER: NamedStatement = {
  name: "earlier-audit",
  text: `
    SELECT asked.at, accounts.email AS account,
      (SELECT count(*) FROM (SELECT FROM audit WHERE audit.event = asked.event AND audit.who = asked.who
        AND audit.origin = asked.origin AND audit.at BETWEEN asked.at - $5::bigint AND asked.at LIMIT 1) AS one) AS repeats,
      CASE WHEN asked.event <> ALL('{${[...LIMITED_EVENTS].join(",")}}') THEN 0
        WHEN accounts.email IS NULL THEN
          (SELECT count(*) FROM (SELECT FROM audit WHERE audit.event = asked.event
            AND audit.at BETWEEN asked.at - $6::bigint AND asked.at + $6::bigint
            AND NOT EXISTS (SELECT FROM accounts AS known WHERE ${isOf("known", "audit.who")})
            LIMIT ${LIMITED_EVENTS_MAX}) AS newest)
        ELSE
          (SELECT count(*) FROM (SELECT FROM audit WHERE audit.event = asked.event AND audit.who = asked.who
            AND audit.at BETWEEN asked.at - $6::bigint AND asked.at + $6::bigint LIMIT ${LIMITED_EVENTS_MAX}) AS newest)
        END AS others,
      EXISTS (SELECT FROM audit_left_out WHERE entries > 0 AND abs(asked.at - since) >= $6::bigint) AS due
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
      WITH ORDINALITY AS asked(event, who, origin, at, n)
      LEFT JOIN accounts ON ${isOf("accounts", "asked.who")} ORDER BY n`,
};
const LEAVE_OUT = `
  UPDATE audit_left_out AS kept SET since = CASE WHEN kept.entries = 0 THEN added.first ELSE kept.since END,
    entries = kept.entries + added.n
  FROM (SELECT event, min(at) AS first, count(*) AS n FROM unnest($1::text[], $2::bigint[]) AS left_out(event, at)
    GROUP BY event) AS added
  WHERE kept.event = added.event`;
const TAKE_LEFT_OUT = `
  WITH due AS (SELECT event, since, entries FROM audit_left_out
    WHERE entries > 0 AND abs($1::bigint - since) >= ${LIMITED_EVENTS_WINDOW_MS})
  UPDATE audit_left_out AS kept SET entries = 0 FROM due WHERE kept.event = due.event
  RETURNING due.event, due.since, due.entries`;
const LAST = "SELECT position, hash FROM audit ORDER BY position DESC LIMIT 1";
const TRAIL_COLUMNS = [
  "position",
  "seq",
  "at",
  "event",
  "who",
  "origin",
  "subject",
  "detail",
  "hash",
] as const;
const APPEND: NamedStatement = {
  name: "append-audit",
  text: `
    INSERT INTO audit(${TRAIL_COLUMNS.join(", ")})
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
const NEXT = `SELECT ${TRAIL_COLUMNS.join(", ")} FROM audit WHERE position > $1 ORDER BY position LIMIT ${BATCH_ROWS}`;
