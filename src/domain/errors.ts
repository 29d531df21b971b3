/**
 * Operating errors: something outside this program is not as it should be, and someone (a client, an installer, the
 * retry of a table) handles it. Anything else that is thrown is our own defect.
 */
export class AppError extends Error {
  readonly code: AppErrorCode;
  /** What the reader can do about it, as a full sentence; empty where the message says it all. */
  readonly hint: string;

  /** After how many seconds trying again makes sense; undefined where it never does. */
  readonly retryAfterS: number | undefined;

  constructor(
    code: AppErrorCode,
    message: string,
    options: { hint?: string; cause?: unknown; retryAfterS?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.hint = options.hint ?? "";
    this.retryAfterS = options.retryAfterS;
  }
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

/** The message of anything that was thrown, for a log line or a chained error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
