import type { ErrorBody } from "../generated/types.ts";

/** An answer of the daemon that is not what was asked for, with the sentence it gives to people. */
export class ApiError extends Error {
  readonly status: number;
  /** Seconds after which asking again makes sense; undefined where the daemon names none. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, message: string, retryAfterS?: number) {
    super(message);
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a body. */
  readonly bytes?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ApiResponse<T> {
  readonly body: T;
  readonly headers: Headers;
}

/** Prefix of the interface's paths on this installation. */
const BASE_PATH = globalThis.document?.documentElement.dataset["basePath"] ?? "";

/** The address of one of the interface's own paths, such as `/interventii`. */
export function interfacePath(path: string): string {
  return BASE_PATH + path;
}

/**
 * Sends one request.
 * @param path from the root of the panel, such as `/site/status`
 * @param token undefined for the one request that needs none
 * @throws Refusal for every answer but 2xx; status 0 when there is no answer at all
 */
export async function send(
  path: string,
  token: string | undefined,
  order: RequestOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...order.headers };
  if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
  if (order.body !== undefined) headers["Content-Type"] = "application/json";
  if (order.bytes) headers["Content-Type"] = "application/octet-stream";
  const body = order.bytes ?? (order.body === undefined ? undefined : JSON.stringify(order.body));
  let response: Response;
  try {
    response = await fetch(`.${path}`, {
      method: order.method ?? "GET",
      headers,
      cache: "no-store",
      ...(body === undefined ? {} : { body }),
      ...(order.signal ? { signal: order.signal } : {}),
    });
  } catch {
    throw new ApiError(0, "");
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

async function refusalOf(response: Response): Promise<ApiError> {
  const retryAfterS = Number(response.headers.get("Retry-After") ?? Number.NaN);
  let message = response.statusText;
  try {
    message = ((await response.json()) as ErrorBody).message;
  } catch {
    // Something between us and the daemon has answered; its status is all there is.
  }
  return new ApiError(response.status, message, Number.isFinite(retryAfterS) ? retryAfterS : undefined);
}
