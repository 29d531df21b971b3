import { STATUS_CODES } from "node:http";
import { AppError, type AppErrorCode } from "../domain/errors.ts";
import type { ErrorBody } from "../generated/types.ts";

/** HTTP status of each operating error; what is not listed is our own defect and answered 500. */
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

/** The status and body that answer an error. Anything but an operating error says nothing of its inside. */
export function errorResponse(error: unknown): ErrorBody {
  const status = error instanceof AppError ? STATUS_OF_CODE[error.code] : statusOfParser(error);
  if (status === undefined || !(error instanceof Error))
    return errorBody(500, "the request could not be carried out; try again");
  if (error instanceof AppError)
    return errorBody(status, error.hint ? `${error.message}. ${error.hint}` : error.message);
  return errorBody(status, MESSAGE_OF_PARSER[status] ?? "the request cannot be read");
}

export function errorBody(statusCode: number, message: string): ErrorBody {
  return { error: STATUS_CODES[statusCode] ?? "Error", message, statusCode };
}

/** Express and its body parser mark what is the client's fault with a 4xx status of their own. */
function statusOfParser(error: unknown): number | undefined {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

const MESSAGE_OF_PARSER: Readonly<Record<number, string>> = {
  400: "the body is not valid JSON or the address is not well formed",
  413: "the body is larger than 100 kB",
  415: "the body's encoding or character set is not supported; send UTF-8 JSON",
};
