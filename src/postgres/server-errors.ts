import pg from "pg";
import { AppError } from "../domain/errors.ts";
import { explainedTlsError } from "./tls-errors.ts";

/** Seconds until a repeated request is useful: shorter than a failover, so that it is noticed soon after. */
const RETRY_AFTER_S = 2;

/**
 * SQLSTATE classes of a server that is not the primary, is starting, stopping, full or held up: connection exceptions,
 * insufficient resources, operator intervention, errors of its disk, read-only transactions, a password that was just changed,
 * the time limits of a lock, an idle transaction and a query, missing rights, and statements that a pooler has forgotten or given to another client.
 */
const UNAVAILABLE = /^(08|26000|42P05|53|55P03|57P|57014|58|25006|25P03|28|3D000|42501|XX)/;
/** SQLSTATE of a write at a standby. */
export const READ_ONLY = "25006";
/** Whether the server refuses writes, in SQL. */
export const IS_READ_ONLY = "current_setting('transaction_read_only')::boolean";
/** SQLSTATE class of a transaction that another one has ended, as in a deadlock: the same request succeeds when repeated. */
const ROLLED_BACK = /^40/;

/** What pg-pool reports when all connections are in use for too long; of one that cannot be opened it reports something else. */
const POOL_FULL = "timeout exceeded when trying to connect";

/** Why a server that can only be read is not used. */
export const STANDBY = "the server is a standby";
/** Why no further write is sent. */
export const HELD_UP =
  "the server has not confirmed earlier writes: they wait for its synchronous standby, or for its disk";
/** Nothing was sent. */
const NOT_SENT: ReadonlySet<string> = new Set([POOL_FULL, STANDBY, HELD_UP]);

/** Whether a query only found no free connection: if the server is gone, the queries on these report it. */
export function isPoolFull(error: AppError): boolean {
  return error.cause instanceof Error && error.cause.message === POOL_FULL;
}

/** The SQLSTATE of an error of the server; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** An error of the connection or of a server that cannot write is `unavailable`; the cause is logged, not sent. */
export function operatingError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const state = sqlStateOf(error);
  if (state !== undefined && ROLLED_BACK.test(state))
    return new AppError("unavailable", "another request was faster; try again", {
      retryAfterS: 1,
      cause: error,
    });
  if (state !== undefined && !UNAVAILABLE.test(state)) return error;
  if (error.message === POOL_FULL)
    return new AppError("unavailable", "the database is busy; try again", {
      retryAfterS: RETRY_AFTER_S,
      cause: error,
    });
  return notAvailable(explainedTlsError(error));
}

/** The error of a database that cannot be used now. @param cause logged, not sent */
export function notAvailable(cause: unknown): AppError {
  return new AppError("unavailable", "the database is not available; try again", {
    retryAfterS: RETRY_AFTER_S,
    cause,
  });
}

/** Whether the database could not be reached or used; a change that others were faster with says nothing about it. */
export function isUnavailable(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.code !== "unavailable" || error.cause === undefined) return false;
  return !isRolledBack(error);
}

/** Whether the server has ended a transaction in favour of another one: the same succeeds when repeated. */
export function isRolledBack(error: unknown): boolean {
  return error instanceof AppError && ROLLED_BACK.test(sqlStateOf(error.cause) ?? "");
}

/** SQLSTATE of the statements of a connection that a pooler mixes with those of others: it has some that are not its own. */
const MIXED_STATEMENTS = /^(26000|42P05)$/;

/** Whether the connection has failed: the server has sent no error of its own. */
export function isUnanswered(error: unknown): error is AppError {
  if (!isUnavailable(error) || !(error.cause instanceof Error)) return false;
  return sqlStateOf(error.cause) === undefined && !NOT_SENT.has(error.cause.message);
}

/** Whether the connection should no longer be used: it has failed, is mixed up, or leads to a server that refuses writes. */
export function isUnusable(error: AppError): boolean {
  if (!isUnavailable(error)) return false;
  const state = sqlStateOf(error.cause) ?? "";
  return isUnanswered(error) || MIXED_STATEMENTS.test(state) || state === READ_ONLY;
}
