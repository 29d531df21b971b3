import { STATUS_CODES } from "node:http";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import type { ErrorBody } from "../generated/types.ts";

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

/** The response body of an error; internal errors do not disclose details. */
export function errorResponse(error: unknown): ErrorBody {
  const status = error instanceof AppError ? STATUS_OF_CODE[error.code] : statusOfParser(error);
  if (status === undefined || !(error instanceof Error)) return errorBody(500, "internal error; try again");
  if (error instanceof AppError)
    return errorBody(status, error.hint ? `${error.message}. ${error.hint}` : error.message);
  return errorBody(status, MESSAGE_OF_PARSER[status] ?? "invalid request");
}

export function errorBody(statusCode: number, message: string): ErrorBody {
  return { error: STATUS_CODES[statusCode] ?? "Error", message, statusCode };
}

/** Express and its body parser set a 4xx status on client errors. */
function statusOfParser(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

const MESSAGE_OF_PARSER: Readonly<Record<number, string>> = {
  400: "invalid JSON body or malformed URL",
  413: "the body is larger than 100 kB",
  415: "the body's encoding or character set is not supported; send UTF-8 JSON",
};
