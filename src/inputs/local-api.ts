import type { ApiClient, Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import type { Intervention, InterventionCreate, InterventionUpdate } from "../domain/intervention.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";

export interface LocalApiOptions {
  /** Client of the local API over loopback. */
  readonly client: ApiClient;
  /** A token of the device account. */
  readonly token: () => string;
}

/** Result of a request to the local API. */
export type LocalApiResult =
  | { readonly type: "record"; readonly record: Intervention; readonly etag: string }
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

/** The local API, as trips use it: every write of the daemon passes it like any other request. */
export class LocalApi {
  readonly #options: LocalApiOptions;
  #token: string | undefined;

  constructor(options: LocalApiOptions) {
    this.#options = options;
  }

  create(key: string, body: InterventionCreate): Promise<LocalApiResult> {
    return this.#request("POST", "/interventii", body, { "Idempotency-Key": `"${key}"` });
  }

  find(id: number): Promise<LocalApiResult> {
    return this.#request("GET", `/interventii/${id}`);
  }

  /**
   * @param etag of the version that the changes are based on
   * @param tripKey the trip that joins the record with this change
   */
  change(id: number, changes: InterventionUpdate, etag: string, tripKey?: string): Promise<LocalApiResult> {
    return this.#request("PUT", `/interventii/${id}`, changes, {
      ...(etag === "" ? {} : { "If-Match": etag }),
      ...(tripKey === undefined ? {} : { "Trip-Key": tripKey }),
    });
  }

  async #request(
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: InterventionCreate | InterventionUpdate,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<LocalApiResult> {
    const send = (token: string): Promise<Reply> =>
      this.#options.client.request({
        method,
        path,
        token,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    this.#token ??= this.#options.token();
    const reply = await send(this.#token);
    if (reply.kind !== "answered" || reply.status !== 401) return resultOf(method, reply);
    this.#token = this.#options.token();
    return resultOf(method, await send(this.#token));
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
