import { retentionTime } from "../domain/retention-clock.ts";
import { removeOldAudit } from "./audit-trail.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
import { EXPIRED_AT } from "../store/idempotency.ts";
import { HISTORY_MAX } from "../store/sites.ts";

/** A step of the schema. */
export const RETENTION_CLOCK = `
  -- As at a site: how far retention has come, and when it last ran, wall clock in milliseconds since 1970; null before.
  CREATE TABLE retention_clock(one integer PRIMARY KEY CHECK(one = 1), at bigint, ran_at bigint);
  INSERT INTO retention_clock(one) VALUES(1);
`;
/** A number of our own for the lock that lets one process at a time remove old rows. */
const RETENTION_LOCK = 0x72657465;
/** As at a site: far longer than any client retries. */
const KEY_LIFETIME_MS = 30 * 86_400_000;
/** After this time without a wrong password a counter has no effect, whatever its delay was. */
const COUNTER_LIFETIME_MS = 86_400_000;
/** As at a site: a phone on mobile data has a new address every day. */
const ADDRESSES_MAX = 200;
const DAY_MS = 86_400_000;
/** Rows of a table removed in one transaction. */
const ROWS_MAX = 1_000;
/** Accounts and sites whose oldest rows are removed in one transaction. */
const OWNERS_MAX = 100;
/** The number of events that the trigger protects, whatever their age. */
const EVENTS_MIN = 10_000;

/**
 * Removes old responses to keys except the ids of their records, counters of wrong passwords, addresses of sign-ins, changes of sites, events and entries of the
 * audit trail, one batch of each, in a transaction of its own: new events of all processes are shown only after the oldest open
 * transaction. Of several processes that do this at the same time, one does.
 * @param nowMs wall clock, milliseconds since 1970
 * @param options `auditDays`: how long events (the newest ten thousand longer) and the audit trail are kept, by the time of
 *   retention; `uptimeMs`: time since this process last tried, by its monotonic clock
 * @returns the number of removed or reduced rows; undefined if another process is at it
 */
export async function removeOldRows(
  connections: PostgresConnections,
  nowMs: number,
  options: { readonly auditDays: number; readonly uptimeMs: number },
): Promise<number | undefined> {
  const beforeMs = await alone(connections, (queries) => expiredBefore(queries, nowMs, options));
  if (beforeMs === undefined) return undefined;
  const batches: readonly ((queries: Queries) => Promise<readonly unknown[]>)[] = [
    (queries) => queries.query(OLD_KEYS, [nowMs - KEY_LIFETIME_MS]),
    (queries) => queries.query(OLD_COUNTERS, [nowMs - COUNTER_LIFETIME_MS]),
    (queries) => queries.query(OLD_ADDRESSES),
    (queries) => queries.query(OLD_CHANGES),
    (queries) => queries.query(OLD_EVENTS, [beforeMs]),
    (queries) => removeOldAudit(queries, beforeMs, ROWS_MAX),
  ];
  let removed = 0;
  for (const batch of batches) removed += (await alone(connections, batch))?.length ?? 0;
  return removed;
}

/** Runs `work` in a transaction while no other process removes rows. @returns undefined while one does */
async function alone<T>(
  connections: PostgresConnections,
  work: (queries: Queries) => Promise<T>,
): Promise<T | undefined> {
  return connections.transaction(async (queries) => {
    const [lock] = await queries.query<{ taken: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS taken", [
      RETENTION_LOCK,
    ]);
    return lock?.taken === true ? work(queries) : undefined;
  });
}

/**
 * Before which time events and entries have expired. A clock set years ahead, which dates events too, must not remove everything:
 * the time of retention follows it only as fast as the processes run. Several processes together are credited once, because
 * each counts at most the time since the last run of any.
 */
async function expiredBefore(
  queries: Queries,
  nowMs: number,
  { auditDays, uptimeMs }: { readonly auditDays: number; readonly uptimeMs: number },
): Promise<number> {
  const keptMs = auditDays * DAY_MS;
  const [found] = await queries.query<Found>(RETENTION_STATE);
  if (!found || found.newest === null) return 0;
  const { reached, ran_at: ranAtMs, newest, oldest } = found;
  const clockMs = Math.min(nowMs, newest);
  const sinceMs = ranAtMs === null ? 0 : Math.max(0, nowMs - ranAtMs);
  const atMs = retentionTime({
    reachedMs: reached,
    clockMs,
    oldestExpiresMs: oldest === null ? Infinity : oldest + keptMs,
    uptimeMs: Math.min(uptimeMs, sinceMs),
  });
  await queries.query("UPDATE retention_clock SET at = $1, ran_at = $2", [Math.floor(atMs), nowMs]);
  return Math.min(atMs, clockMs) - keptMs;
}

interface Found {
  readonly reached: number | null;
  readonly ran_at: number | null;
  readonly newest: number | null;
  readonly oldest: number | null;
}

const RETENTION_STATE = `
  SELECT clock.at AS reached, clock.ran_at,
    (SELECT at FROM events ORDER BY seq DESC LIMIT 1) AS newest,
    least((SELECT at FROM events WHERE seq <= (SELECT max(seq) FROM events) - ${EVENTS_MIN} ORDER BY seq LIMIT 1),
      (SELECT at FROM audit ORDER BY position LIMIT 1)) AS oldest
  FROM retention_clock AS clock`;
const OLD_KEYS = `
  UPDATE idempotency_keys
  SET created_at = ${EXPIRED_AT}, body = coalesce('{"id":' || substring(body from '^\\{"id":(\\d+)') || '}', '{}')
  WHERE (account_id, key) IN
    (SELECT account_id, key FROM idempotency_keys WHERE created_at < $1 LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_COUNTERS = `
  DELETE FROM wrong_passwords WHERE place IN
    (SELECT place FROM wrong_passwords WHERE last_at < $1 LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_ADDRESSES = `
  DELETE FROM known_places WHERE (email, address) IN (
    SELECT many.email, old.address FROM (
        SELECT email FROM known_places GROUP BY email HAVING count(*) > ${ADDRESSES_MAX} ORDER BY email LIMIT ${OWNERS_MAX}
      ) AS many CROSS JOIN LATERAL (
        SELECT address FROM known_places AS own WHERE own.email = many.email
        ORDER BY last_at DESC, address OFFSET ${ADDRESSES_MAX} LIMIT ${ROWS_MAX}) AS old
    LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_CHANGES = `
  DELETE FROM site_history WHERE id IN (
    SELECT old.id FROM (
        SELECT site_id FROM site_history GROUP BY site_id HAVING count(*) > ${HISTORY_MAX} ORDER BY site_id LIMIT ${OWNERS_MAX}
      ) AS many CROSS JOIN LATERAL (
        SELECT id FROM site_history AS own WHERE own.site_id = many.site_id
        ORDER BY id DESC OFFSET ${HISTORY_MAX} LIMIT ${ROWS_MAX}) AS old
    LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_EVENTS = `
  DELETE FROM events WHERE seq IN (
    SELECT seq FROM events WHERE at < $1 AND seq <= (SELECT max(seq) FROM events) - ${EVENTS_MIN}
    ORDER BY at LIMIT ${ROWS_MAX}) RETURNING 1`;
