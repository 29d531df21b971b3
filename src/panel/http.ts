import type { ErrorBody } from "../generated/types.ts";

interface ErrorDetails {
  readonly code?: string | undefined;
  readonly retryAfterS?: number | undefined;
}

/** An error response with its message, or status 0 for no response. */
export class ApiError extends Error {
  readonly status: number;
  /** The reason as a word of the daemon; undefined for no response, or one that is not the daemon's. */
  readonly code: string | undefined;
  /** Retry-After in seconds; undefined without the header. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, message: string, { code, retryAfterS }: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterS = retryAfterS;
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Raw body, instead of `body`. */
  readonly bytes?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ApiResponse<T> {
  readonly body: T;
  readonly headers: Headers;
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
 * @throws ApiError for every response other than 2xx, and with status 0 for no response
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
  let response: Response;
  try {
    response = await fetch(`.${path}`, {
      method: options.method ?? "GET",
      headers,
      cache: "no-store",
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch {
    throw new ApiError(0, "");
  }
  if (!response.ok) throw await toApiError(response);
  return response;
}

async function toApiError(response: Response): Promise<ApiError> {
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
  });
}
