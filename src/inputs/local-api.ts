import { ApiClient, type Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { isUnfinished } from "../domain/incident.ts";
import { AppError } from "../domain/errors.ts";
import type { Intervention, InterventionCreate, InterventionUpdate } from "../domain/intervention.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";

/** A request over loopback takes milliseconds; this only ends one that hangs. */
const LOOPBACK_TIMEOUT_MS = 10_000;
/** Below the minute for which the server keeps a connection (`http/server`), so that the client always closes it. */
export const LOOPBACK_IDLE_MS = 20_000;
/** Maximum number of cached records: the open incidents of a large site. */
const CACHED_MAX = 512;

/** Result of a request to the local API. */
export type LocalApiResult =
  | RecordVersion
  /** The record does not exist or was deleted. */
  | { readonly type: "missing"; readonly reason: string }
  /** The record was changed between reading and writing. */
  | { readonly type: "changed" }
  /** The key was used before with another body. */
  | { readonly type: "known"; readonly reason: string }
  /** The request is rejected and will be rejected again. */
  | { readonly type: "refused"; readonly reason: string }
  /** To be retried; `isBusy` when the next request would probably fail in the same way. */
  | { readonly type: "again"; readonly reason: string; readonly isBusy: boolean };

/** A record as returned by the API, with its version. */
export interface RecordVersion {
  readonly type: "record";
  readonly record: Intervention;
  readonly etag: string;
}

/** Returns a token of the device account. Rejects with `unavailable` while the local API restarts. */
export type DeviceToken = () => Promise<string> | string;

/** The local API, as trips use it: every write of the daemon passes it like any other request. */
export class LocalApi {
  readonly #client: ApiClient;
  readonly #newToken: DeviceToken;
  #token: string | undefined;
  /** Rejects once this is closed. */
  readonly #closed: Promise<never>;
  #rejectClosed: (error: AppError) => void = () => {};
  /** Unfinished records as this process last wrote them; a change of an outdated version is rejected by its ETag. */
  readonly #written = new Map<number, RecordVersion>();

  /** @param newToken returns a token of the device account */
  constructor(baseUrl: string, newToken: DeviceToken, connectionsMax: number) {
    this.#newToken = newToken;
    this.#closed = new Promise((_resolve, reject) => {
      this.#rejectClosed = reject;
    });
    this.#closed.catch(() => {});
    this.#client = new ApiClient({
      baseUrl,
      timeoutMs: LOOPBACK_TIMEOUT_MS,
      keepIdleMs: LOOPBACK_IDLE_MS,
      connectionsMax,
    });
  }

  async create(key: string, body: InterventionCreate): Promise<LocalApiResult> {
    return this.#cached(await this.#request("POST", "/interventii", body, { "Idempotency-Key": `"${key}"` }));
  }

  find(id: number): Promise<LocalApiResult> {
    return this.#request("GET", `/interventii/${id}`);
  }

  /** Removes and returns the cached record, which saves a read; its next write adds the next version. */
  takeCached(id: number): RecordVersion | undefined {
    const version = this.#written.get(id);
    this.#written.delete(id);
    return version;
  }

  /**
   * @param etag of the version that the changes are based on
   * @param tripKey the trip that joins the record with this change
   */
  async change(
    id: number,
    changes: InterventionUpdate,
    etag: string,
    tripKey?: string,
  ): Promise<LocalApiResult> {
    const headers = {
      ...(etag === "" ? {} : { "If-Match": etag }),
      ...(tripKey === undefined ? {} : { "Trip-Key": tripKey }),
    };
    return this.#cached(await this.#request("PUT", `/interventii/${id}`, changes, headers));
  }

  /** Ends the requests, also one that waits for a token: the web server may hang. */
  close(): void {
    this.#client.close();
    this.#rejectClosed(new AppError("unavailable", "the daemon is stopping"));
  }

  /** A user may reopen a finished record unnoticed, so that only unfinished ones are cached. */
  #cached(result: LocalApiResult): LocalApiResult {
    if (result.type !== "record") return result;
    const { id } = result.record;
    this.#written.delete(id);
    if (result.etag !== "" && isUnfinished(result.record)) this.#written.set(id, result);
    if (this.#written.size > CACHED_MAX) this.#written.delete(this.#written.keys().next().value ?? 0);
    return result;
  }

  async #request(
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: InterventionCreate | InterventionUpdate,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LocalApiResult> {
    const send = (token: string): Promise<Reply> =>
      this.#client.request({
        method,
        path,
        token,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    try {
      this.#token ??= await this.#tokenUnlessClosed();
      const reply = await send(this.#token);
      if (reply.kind !== "answered" || reply.status !== 401) return resultOf(method, reply);
      this.#token = await this.#tokenUnlessClosed();
      return resultOf(method, await send(this.#token));
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
      return { type: "again", reason: error.message, isBusy: true };
    }
  }

  #tokenUnlessClosed(): Promise<string> {
    return Promise.race([this.#newToken(), this.#closed]);
  }
}

/** Statuses below 500 that are temporary. */
const TEMPORARY_STATUSES: readonly number[] = [401, 403, 408, 409, 425, 429];

function resultOf(method: string, reply: Reply): LocalApiResult {
  if (reply.kind !== "answered")
    return { type: "again", reason: `${reply.code}: ${reply.error}`, isBusy: true };
  const { status, headers } = reply;
  const body = parseJson(reply.body);
  // Only this application responds here, so a record with an id is complete.
  if (status === (method === "POST" ? 201 : 200) && validateUpstreamIntervention(body))
    return { type: "record", record: body as Intervention, etag: headers.etag ?? "" };
  const message = (body as { message?: unknown } | undefined)?.message;
  const reason = `${status} ${typeof message === "string" ? message : "no reason given"}`;
  if (status === 412) return { type: "changed" };
  if (status === 422) return { type: "known", reason };
  if (status === 404 && method !== "POST") return { type: "missing", reason };
  const isRejected = status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status);
  if (isRejected) return { type: "refused", reason };
  return { type: "again", reason, isBusy: status === 429 || status === 503 };
}
