import { STATUS_CODES, type ServerResponse } from "node:http";
import type { ErrorRequestHandler } from "express";
import { AppError, diskError, messageOf, type AppErrorCode } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { ErrorBody } from "../generated/types.ts";
import { isBusy } from "../store/database.ts";
import { isDamage } from "../store/integrity.ts";
import type { RetryPause } from "./retry-pause.ts";
import { isDiskFull, isUnwritable } from "../store/transaction.ts";

/** HTTP status of each error code; others are internal errors with status 500. */
const STATUS_OF_CODE: Readonly<Partial<Record<AppErrorCode, number>>> = {
  invalid: 400,
  "bad-data": 400,
  unauthenticated: 401,
  forbidden: 403,
  "not-found": 404,
  "method-not-allowed": 405,
  conflict: 409,
  "precondition-failed": 412,
  "too-large": 413,
  "unsupported-media-type": 415,
  "key-reused": 422,
  configuration: 422,
  "too-many-requests": 429,
  unavailable: 503,
};

/** Header with the reason of an error as a word; the body has exactly the fields of the contract. */
const ERROR_CODE_HEADER = "X-Error-Code";

/** The reason of an error for clients with texts of their own; undefined if the status says as much. */
function reasonOf(error: unknown): string | undefined {
  return error instanceof AppError && STATUS_OF_CODE[error.code] !== undefined
    ? (error.reason ?? error.code)
    : undefined;
}

/** The response body of an error; internal errors do not disclose details. */
export function errorResponse(error: unknown): ErrorBody {
  const status = error instanceof AppError ? STATUS_OF_CODE[error.code] : statusOfExpress(error);
  if (status === undefined || !(error instanceof Error)) return errorBody(500, "internal error; try again");
  if (error instanceof AppError)
    return errorBody(status, error.hint ? `${error.message}. ${error.hint}` : error.message);
  return errorBody(status, status === 400 ? "malformed URL" : "invalid request");
}

export function errorBody(statusCode: number, message: string): ErrorBody {
  return { error: STATUS_CODES[statusCode] ?? "Error", message, statusCode };
}

/** Express sets a 4xx status on errors of clients, such as a path that cannot be decoded. */
function statusOfExpress(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

/** The methods of any resource, for `Allow`. */
export const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/** Headers of a response that is sent before the application. */
export const EARLY_HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** Sends an error without Express. */
export function sendError(
  response: ServerResponse,
  statusCode: number,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  const body = JSON.stringify(errorBody(statusCode, message));
  response.writeHead(statusCode, {
    ...EARLY_HEADERS,
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

/** Converts storage errors to 503: nothing was stored, and the client may repeat the request. */
function operatingError(cause: unknown): unknown {
  if (cause instanceof AppError && cause.code !== "storage") return cause;
  if (isBusy(cause))
    return new AppError("unavailable", "the database is busy; try again", { retryAfterS: 1, cause });
  if (!isUnwritable(cause)) return cause;
  const message = isDiskFull(cause)
    ? "the disk of this device is full"
    : "the disk of this device is not writable";
  const hint = "Nothing was stored. Free space on the disk or check it, then repeat the request.";
  return diskError(message, hint, cause);
}

/**
 * Responds with the error shape of the contract, and logs internal errors.
 * @param pause of clients whose requests the database or the disk prevents
 * @param onDamage called for a damaged page of a database
 */
export function answerError(
  log: Log,
  pause: RetryPause,
  onDamage: (error: unknown) => void,
): ErrorRequestHandler {
  return (cause: unknown, request, response, next) => {
    if (isDamage(cause)) onDamage(cause);
    const error = operatingError(cause);
    const body = errorResponse(error);
    const { method, path } = request;
    const what = { requestId: response.get("X-Request-Id"), method, path };
    // Not a defect: thousands of sites repeat their requests while a database is away.
    if (error instanceof AppError && error.code === "unavailable")
      log.warn("request-unavailable", { ...what, reason: messageOf(error.cause ?? error) });
    else if (body.statusCode >= 500) log.error("request-failed", { ...what, error });
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof AppError && error.retryAfterS !== undefined) {
      const { code, retryAfterS } = error;
      // With a cause the database or the disk is the reason, which concerns all clients.
      const concernsAll = code === "unavailable" && error.cause !== undefined;
      response.set("Retry-After", String(concernsAll ? pause.next(retryAfterS) : retryAfterS));
    }
    const reason = reasonOf(error);
    if (reason !== undefined) response.set(ERROR_CODE_HEADER, reason);
    response.status(body.statusCode).json(body);
  };
}
