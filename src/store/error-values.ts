import Sqlite from "better-sqlite3";
import { AppError, messageOf, type AppErrorCode } from "../domain/errors.ts";
import { sqliteError } from "./database.ts";

/**
 * An error as plain data. Its class is lost between threads, but callers distinguish operational errors and those of
 * SQLite from defects.
 */
export interface ErrorValue {
  readonly kind: "app" | "sqlite" | "other";
  /** Of an AppError or of SQLite; the name of any other error. */
  readonly code: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Of an error of the operating system, such as `ENOSPC`. */
  readonly system?: string;
  readonly hint?: string;
  readonly retryAfterS?: number | undefined;
  readonly reason?: string | undefined;
  readonly cause?: ErrorValue;
}

/** The plain data of any thrown value, for another thread. */
export function errorValue(error: unknown): ErrorValue {
  if (!(error instanceof Error))
    return { kind: "other", code: "Error", message: String(error), stack: undefined };
  const { stack } = error;
  const message = messageOf(error);
  const cause = error.cause === undefined ? {} : { cause: errorValue(error.cause) };
  if (error instanceof AppError) {
    const { code, hint, retryAfterS, reason } = error;
    return { kind: "app", code, message, stack, hint, retryAfterS, reason, ...cause };
  }
  return error instanceof Sqlite.SqliteError
    ? { kind: "sqlite", code: error.code, message, stack, ...cause }
    : { kind: "other", code: error.name, message, stack, ...systemCode(error), ...cause };
}

function systemCode(error: Error): { system?: string } {
  return "code" in error && typeof error.code === "string" ? { system: error.code } : {};
}

/** The error of `errorValue`, with the class and the stack that it had. */
export function errorOf({
  kind,
  code,
  message,
  stack,
  system,
  hint = "",
  retryAfterS,
  reason,
  cause,
}: ErrorValue): Error {
  const inner = cause === undefined ? undefined : errorOf(cause);
  const error = bare();
  if (stack !== undefined) error.stack = stack;
  return error;

  function bare(): Error {
    if (kind === "sqlite") return sqliteError(message, code);
    if (kind === "app") {
      const more = {
        ...(retryAfterS === undefined ? {} : { retryAfterS }),
        ...(reason === undefined ? {} : { reason }),
      };
      return new AppError(code as AppErrorCode, message, { hint, cause: inner, ...more });
    }
    const other = new Error(message, inner === undefined ? undefined : { cause: inner });
    other.name = code;
    return system === undefined ? other : Object.assign(other, { code: system });
  }
}
