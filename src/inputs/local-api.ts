import type { ApiClient, Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import type { Intervention, InterventionCreate, InterventionUpdate } from "../domain/intervention.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";

export interface LocalApiOptions {
  /** Speaks to our own API over the loopback. */
  readonly client: ApiClient;
  /** A token of the device account. */
  readonly token: () => string;
}

/** What the local API made of a request. */
export type LocalApiResult =
  | { readonly type: "record"; readonly record: Intervention; readonly etag: string }
  /** There is no such record (any more). */
  | { readonly type: "missing"; readonly reason: string }
  /** Somebody changed the record between reading and writing. */
  | { readonly type: "changed" }
  /** The key was used with another body before. */
  | { readonly type: "known"; readonly reason: string }
  /** It will never take this. */
  | { readonly type: "refused"; readonly reason: string }
  /** Worth another try; `isBusy` when the next request would be told the same. */
  | { readonly type: "again"; readonly reason: string; readonly isBusy: boolean };

/** Our own API, as trips use it: every write of the daemon passes it like everybody else's. */
export class LocalApi {
  readonly #options: LocalApiOptions;
  #token: string | undefined;

  constructor(options: LocalApiOptions) {
    this.#options = options;
  }

  create(key: string, body: InterventionCreate): Promise<LocalApiResult> {
    return this.#ask("POST", "/interventii", body, { "Idempotency-Key": `"${key}"` });
  }

  find(id: number): Promise<LocalApiResult> {
    return this.#ask("GET", `/interventii/${id}`);
  }

  /**
   * @param etag of the version that the changes were made for
   * @param tripKey the trip that joins the record with them
   */
  change(id: number, changes: InterventionUpdate, etag: string, tripKey?: string): Promise<LocalApiResult> {
    return this.#ask("PUT", `/interventii/${id}`, changes, {
      ...(etag === "" ? {} : { "If-Match": etag }),
      ...(tripKey === undefined ? {} : { "Trip-Key": tripKey }),
    });
  }

  async #ask(
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
    if (reply.kind !== "answered" || reply.status !== 401) return answerOf(method, reply);
    this.#token = this.#options.token();
    return answerOf(method, await send(this.#token));
  }
}

/** Statuses below 500 that say nothing about the request itself. */
const PASSING: readonly number[] = [401, 403, 408, 409, 425, 429];

function answerOf(method: string, reply: Reply): LocalApiResult {
  if (reply.kind !== "answered")
    return { type: "again", reason: `${reply.code}: ${reply.error}`, isBusy: true };
  const { status, headers } = reply;
  const body = parseJson(reply.body);
  // Only our own application answers here, so a record with an id is a whole one.
  if (status === (method === "POST" ? 201 : 200) && validateUpstreamIntervention(body))
    return { type: "record", record: body as Intervention, etag: headers.etag ?? "" };
  const message = (body as { message?: unknown } | undefined)?.message;
  const reason = `${status} ${typeof message === "string" ? message : "without a reason"}`;
  if (status === 412) return { type: "changed" };
  if (status === 422) return { type: "known", reason };
  if (status === 404 && method !== "POST") return { type: "missing", reason };
  const willNeverDo = status >= 400 && status < 500 && !PASSING.includes(status);
  if (willNeverDo) return { type: "refused", reason };
  return { type: "again", reason, isBusy: status === 429 || status === 503 };
}
