import type { ErrorBody } from "../generated/types.ts";
import { later, noteDaemonTime, nowMs } from "./clock.ts";
import { takeEarlyRequest } from "./early-request.ts";

interface ErrorDetails {
  readonly code?: string | undefined;
  readonly retryAfterS?: number | undefined;
  readonly isLate?: boolean | undefined;
  readonly token?: string | undefined;
}

/** An error response with its message, or status 0 for no response. */
export class ApiError extends Error {
  readonly status: number;
  /** The reason as a word of the daemon, or `unanswered`; undefined for no response, or one that is not the daemon's. */
  readonly code: string | undefined;
  /** Retry-After in seconds; undefined without the header. */
  readonly retryAfterS: number | undefined;
  /** Whether the page has ended a long list after its time: asked again, it would take as long. */
  readonly isLate: boolean;
  /** The token of the rejected request; undefined without one. */
  readonly token: string | undefined;

  constructor(
    status: number,
    message: string,
    { code, retryAfterS, isLate = false, token }: ErrorDetails = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
    this.isLate = isLate;
    this.token = token;
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Raw body, instead of `body`. */
  readonly bytes?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  /** Ends the request; without it, one that only reads ends after its time (`timeoutOf`), another one with `endUnanswered`. */
  readonly signal?: AbortSignal;
  /** Ends a request that only reads before its time, because its response is no longer wanted. */
  readonly unwanted?: AbortSignal;
}

export interface ApiResponse<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** Code of the error that ends what a user began before signing out; it is not shown. */
export const SIGNED_OUT_CODE = "signed-out";

/** Code of an error that a form raises, with its text for the user. */
export const FORM_ERROR_CODE = "own";

/** A screen waits this long for its content, in milliseconds: a busy Raspberry Pi answers in two seconds, a slow link adds some. */
export const REQUEST_TIMEOUT_MS = 15_000;

/** A list that needs all records waits 20 seconds for others, and is then read for 30 at most. */
const LIST_TIMEOUT_MS = 55_000;
/** A list with a search, a filter or an order, and not only a part of it. */
const LONG_LIST = /\/(interventii|obiective\/\w+)\?(.*&)?(?!_(start|end)=)/;

/** How long the page waits for what it reads at a path. */
function timeoutOf(path: string): number {
  return LONG_LIST.test(path) ? LIST_TIMEOUT_MS : REQUEST_TIMEOUT_MS;
}

/** The responses whose body may still end with the time of their request. */
const limits = new WeakMap<Response, AbortSignal>();

/** Why the body of a response could not be read. */
export function brokenBody(response: Response): ApiError {
  return new ApiError(0, "", { isLate: limits.get(response)?.reason === LIST_TIMEOUT_MS });
}

/** The pending requests that change something, with when they were sent, by the browser's clock. */
const writes = new Map<AbortController, number>();

/**
 * Ends the requests that change something and have had no response for `REQUEST_TIMEOUT_MS`, without files: called when the daemon
 * is reached again, because the connection on which they wait may be gone. Only the state can tell whether they were done.
 */
export function endUnanswered(): void {
  for (const [controller, sentMs] of writes) if (nowMs() - sentMs > REQUEST_TIMEOUT_MS) controller.abort();
}

/** Path prefix of the API on this installation. */
const BASE_PATH = globalThis.document?.documentElement.dataset["basePath"] ?? "";

/** The full path of an API path such as `/interventii`. */
export function apiPath(path: string): string {
  return BASE_PATH + path;
}

/**
 * Sends one request.
 * @param path relative to the panel, such as `/site/status`
 * @param token undefined for requests without authentication
 * @throws ApiError for every response other than 2xx, and with status 0 for no response, or none in time
 */
export async function send(
  path: string,
  token: string | undefined,
  options: RequestOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...options.headers };
  if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.bytes) headers["Content-Type"] = "application/octet-stream";
  const body = options.bytes ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  let response: Response | undefined;
  const write = new AbortController();
  let limit: AbortSignal | undefined;
  if (options.method && !options.signal && !options.bytes) writes.set(write, nowMs());
  try {
    const begun = takeEarlyRequest(path, token);
    const stop = (): void => begun?.end();
    for (const one of [options.signal, options.unwanted]) one?.addEventListener("abort", stop);
    if (begun && !options.signal) later(REQUEST_TIMEOUT_MS, stop);
    response = await begun?.response;
    if (!response) {
      if (!options.method && !options.signal) limit = timeoutSignal(options.unwanted, timeoutOf(path));
      response = await fetch(`.${path}`, {
        method: options.method ?? "GET",
        headers,
        cache: "no-store",
        ...(body === undefined ? {} : { body }),
        signal: options.signal ?? limit ?? write.signal,
      });
    }
    // A response that was requested early may have waited for the scripts.
    noteDaemonTime(response.headers.get("Date"), begun && REQUEST_TIMEOUT_MS);
  } catch {
    throw new ApiError(0, "", {
      code: write.signal.aborted ? "unanswered" : undefined,
      isLate: limit?.reason === LIST_TIMEOUT_MS,
    });
  } finally {
    writes.delete(write);
  }
  if (limit) limits.set(response, limit);
  if (!response.ok) throw await toApiError(response, token);
  return response;
}

/** Ends a request after its time, with that as the reason. @param unwanted ends it before that */
export function timeoutSignal(unwanted?: AbortSignal, ms = REQUEST_TIMEOUT_MS): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  later(ms, () => controller.abort(ms));
  unwanted?.addEventListener("abort", end);
  if (unwanted?.aborted) end();
  return controller.signal;
}

async function toApiError(response: Response, token: string | undefined): Promise<ApiError> {
  const retryAfterS = Number(response.headers.get("Retry-After") ?? Number.NaN);
  let message = response.statusText;
  try {
    ({ message } = (await response.json()) as ErrorBody);
  } catch {
    // A proxy responded, not the daemon: keep the status text.
  }
  return new ApiError(response.status, message, {
    code: response.headers.get("X-Error-Code") ?? undefined,
    retryAfterS: Number.isFinite(retryAfterS) ? retryAfterS : undefined,
    token,
  });
}
