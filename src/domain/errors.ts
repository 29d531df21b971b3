/**
 * Operational errors: something outside this program is wrong, and a client, an installer or a retry handles it. Any other
 * error that is thrown is a defect of this program.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** The remedy, as a full sentence; empty if the message is sufficient. */
  readonly hint: string;

  /** Seconds after which a retry is useful; undefined if it never is. */
  readonly retryAfterS: number | undefined;
  /** A narrower reason than the code, for clients with texts of their own, such as the panel; undefined if there is none. */
  readonly reason: string | undefined;

  constructor(
    code: AppErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; retryAfterS?: number; reason?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint ?? "";
    this.retryAfterS = options.retryAfterS;
    this.reason = options.reason;
  }

  /** The message, with the remedy on a line of its own. */
  get text(): string {
    return this.hint === "" ? this.message : `${this.message}\n${this.hint}`;
  }
}

/** Seconds; freeing disk space takes a user at least this long. */
const DISK_RETRY_S = 30;

/** The error of a write that the disk has no space for, or does not accept. */
export function diskError(message: string, hint: string, cause?: unknown): AppError {
  return new AppError("unavailable", message, { hint, retryAfterS: DISK_RETRY_S, cause });
}

export type AppErrorCode =
  | "invalid"
  | "unauthenticated"
  | "forbidden"
  | "not-found"
  | "method-not-allowed"
  | "conflict"
  | "precondition-failed"
  | "too-large"
  | "unsupported-media-type"
  | "key-reused"
  | "too-many-requests"
  | "unavailable"
  | "configuration"
  | "usage"
  | "bad-data"
  | "no-input"
  | "daemon-unreachable"
  | "cannot-create"
  | "busy"
  | "no-permission"
  | "storage";

/** Message of any thrown value, for a log line or another error. */
export function messageOf(error: unknown): string {
  // Node.js hides the reasons of several attempts to connect in an error without a message.
  if (error instanceof AggregateError && error.message === "") return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
