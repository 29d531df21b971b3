import { retentionTime } from "../domain/retention-clock.ts";
import { removeOldAudit } from "./audit-trail.ts";
import type { PostgresConnections, Queries } from "./connection.ts";
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
/** Rows of a table removed at once: a longer statement would hold up others. */
const ROWS_MAX = 5_000;
/** The number of events that the trigger protects, whatever their age. */
const EVENTS_MIN = 10_000;

/**
 * Removes old responses to keys, counters of wrong passwords, addresses of sign-ins, changes of sites, events and entries of the
 * audit trail, one batch of each. Of several processes that do this at the same time, one does.
 * @param nowMs wall clock, milliseconds since 1970
 * @param options `auditDays`: how long events (the newest ten thousand longer) and the audit trail are kept, by the time of
 *   retention; `uptimeMs`: time since this process last tried, by its monotonic clock
 * @returns the number of removed rows; undefined if another process is at it
 */
export async function removeOldRows(
  connections: PostgresConnections,
  nowMs: number,
  options: { readonly auditDays: number; readonly uptimeMs: number },
): Promise<number | undefined> {
  return connections.transaction(async (queries) => {
    const [lock] = await queries.query<{ taken: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS taken", [
      RETENTION_LOCK,
    ]);
    if (lock?.taken !== true) return undefined;
    const beforeMs = await expiredBefore(queries, nowMs, options);
    const removed = [
      await queries.query(OLD_KEYS, [nowMs - KEY_LIFETIME_MS]),
      await queries.query(OLD_COUNTERS, [nowMs - COUNTER_LIFETIME_MS]),
      await queries.query(OLD_ADDRESSES),
      await queries.query(OLD_CHANGES),
      await queries.query(OLD_EVENTS, [beforeMs]),
      await removeOldAudit(queries, beforeMs, ROWS_MAX),
    ];
    return removed.flat().length;
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
  DELETE FROM idempotency_keys WHERE (account_id, key) IN
    (SELECT account_id, key FROM idempotency_keys WHERE created_at < $1 LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_COUNTERS = `
  DELETE FROM wrong_passwords WHERE place IN
    (SELECT place FROM wrong_passwords WHERE last_at < $1 LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_ADDRESSES = `
  DELETE FROM known_places WHERE (email, address) IN (
    SELECT email, address FROM (
      SELECT email, address, row_number() OVER (PARTITION BY email ORDER BY last_at DESC, address) AS place
      FROM known_places) AS ranked
    WHERE place > ${ADDRESSES_MAX} LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_CHANGES = `
  DELETE FROM site_history WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY site_id ORDER BY id DESC) AS place FROM site_history) AS ranked
    WHERE place > ${HISTORY_MAX} LIMIT ${ROWS_MAX}) RETURNING 1`;
const OLD_EVENTS = `
  DELETE FROM events WHERE seq IN (
    SELECT seq FROM events WHERE at < $1 AND seq <= (SELECT max(seq) FROM events) - ${EVENTS_MIN}
    ORDER BY at LIMIT ${ROWS_MAX}) RETURNING 1`;
