import type { ApiClient, ApiRequest, Reply } from "../client/api-client.ts";
import { TOO_LARGE } from "../client/response-body.ts";
import type { TokenCache } from "../client/token-cache.ts";
import type { Clock } from "../domain/clock.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { type OutboxEntry, URGENT_PRIORITY_ORDER } from "../domain/outbox.ts";
import {
  classify,
  classifyRead,
  type LinkFault,
  type ReadOutcome,
  type WriteOutcome,
  type WriteMethod,
} from "./reply-classification.ts";
import { ListLimits } from "./list-limits.ts";
import { keptOf } from "./upstream-records.ts";
import { itemsOf, recordIn } from "./wrapped-body.ts";

interface UpstreamClientOptions {
  readonly client: Pick<ApiClient, "request">;
  /** Connections for alarms only; without them alarms share `client`. */
  readonly urgentClient?: Pick<ApiClient, "request">;
  readonly tokens: TokenCache;
  readonly clock: Clock;
  /** What is read of lists; by default without a note of what has ended the thread. */
  readonly limits?: ListLimits;
}

/** Rows requested per page; the dispatch centre may return fewer. */
const PAGE_ROWS = 100;
/** Rows requested from a centre that rejects a larger page instead of shortening it. */
const SMALL_PAGE_ROWS = 20;
/** Codes with which a centre rejects the size of a page. */
const PAGE_REJECTIONS: ReadonlySet<string> = new Set(["400", "413", "416", "422"]);

/** What the lists of the dispatch centre have shown since the start. */
interface ListHabits {
  /** Maximum rows in one response: shorter lists are complete. */
  rowsMax: number;
  /** Whether the last complete list was in the order of its ids: only such a list may be read in part. */
  isOrdered: boolean;
  /** Whether each new record has had a higher id than those before it. */
  areIdsOrdered: boolean;
  /** Rows to request per page. */
  pageRows: number;
}

/** Client of the dispatch centre: sends requests and classifies the responses. */
export class UpstreamClient {
  /** The same client with the connections for alarms, which never queue behind other requests. */
  readonly urgent: UpstreamClient;
  readonly #options: UpstreamClientOptions;
  /** Shared with `urgent`. */
  readonly habits: ListHabits;
  /** Shared with `urgent`. */
  readonly limits: ListLimits;
  /** Whether this is the one with the connections for alarms. */
  readonly isUrgent: boolean;

  constructor(
    { urgentClient, limits = new ListLimits(), ...options }: UpstreamClientOptions,
    habits: ListHabits = { rowsMax: 0, isOrdered: true, areIdsOrdered: true, pageRows: PAGE_ROWS },
    isUrgent = false,
  ) {
    this.#options = options;
    this.isUrgent = isUrgent;
    this.habits = habits;
    this.limits = limits;
    this.urgent = urgentClient
      ? new UpstreamClient({ ...options, client: urgentClient, limits }, habits, true)
      : this;
  }

  /** The client for an entry's requests: urgent entries have their own connections. */
  of({ priorityOrder }: Pick<OutboxEntry, "priorityOrder">): UpstreamClient {
    return priorityOrder === URGENT_PRIORITY_ORDER ? this.urgent : this;
  }

  /** Creates a record. @param key idempotency key @param body the record as JSON */
  create(key: string, body: string): Promise<WriteOutcome> {
    // A structured-field string (RFC 9651, 3.3.3).
    const headers = { "Idempotency-Key": `"${key.replaceAll(/["\\]/g, "\\$&")}"` };
    return this.#write({ method: "POST", path: "/interventii", body, headers });
  }

  /** Changes a record. @param version entity tag that it must still have; undefined for any */
  update(id: number | null, fields: object, version?: string): Promise<WriteOutcome> {
    const headers = version === undefined ? {} : { "If-Match": version };
    return this.#write({ method: "PUT", path: `/interventii/${id}`, body: JSON.stringify(fields), headers });
  }

  remove(id: number | null): Promise<WriteOutcome> {
    return this.#write({ method: "DELETE", path: `/interventii/${id}` });
  }

  /**
   * Reads one record. The contract does not show the body: it may be wrapped, as a list may be.
   * @param reference by which a Santinela centre tells that the record exists and may no longer be used by this account
   */
  async record(id: number | null, reference?: string): Promise<ReadOutcome> {
    const headers = reference === undefined ? {} : { "Record-Reference": reference };
    const outcome = await this.read(`/interventii/${id}`, headers);
    const value = recordIn(outcome.value, id) ?? outcome.value;
    return { ...outcome, ...(isRecord(value) ? { value: keptOf(value) } : {}) };
  }

  /** Reads a page of the records from an offset, highest id first. */
  async page(start: number): Promise<ReadOutcome> {
    const { habits } = this;
    const outcome = await this.newest(start, start + habits.pageRows);
    if (habits.pageRows === SMALL_PAGE_ROWS || !PAGE_REJECTIONS.has(outcome.code)) return outcome;
    const small = await this.newest(start, start + SMALL_PAGE_ROWS);
    if (small.link === "ok") habits.pageRows = SMALL_PAGE_ROWS;
    return small;
  }

  /** Reads some of the records, highest id first; an end of undefined requests the list without pages. */
  newest(start: number, end?: number): Promise<ReadOutcome> {
    const page = end === undefined ? "" : `&_start=${start}&_end=${end}`;
    return this.#list(`/interventii?_sort=id&_order=DESC${page}`);
  }

  /** Reads the records without pages, lowest id first. */
  oldest(): Promise<ReadOutcome> {
    return this.#list("/interventii?_sort=id&_order=ASC");
  }

  /** Reads the records with these values, without pages. */
  filtered(filters: Readonly<Record<string, string>>): Promise<ReadOutcome> {
    return this.#list(`/interventii?${new URLSearchParams(filters).toString()}`);
  }

  /**
   * Sends one read.
   * @param path path with its query, starting with a slash
   * @param headers additional headers; with `If-None-Match` the response may be 304
   */
  async read(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ReadOutcome> {
    const { reply, isSignIn } = await this.#request({ method: "GET", path, headers });
    const wallMs = this.#options.clock.wallMs();
    return isSignIn ? signInOutcome(reply, wallMs) : classifyRead(reply, wallMs, "If-None-Match" in headers);
  }

  /**
   * Sends the report of this site.
   * @param body the report as JSON
   * @returns the response, and whether it is that of a failed sign-in
   */
  report(body: string): Promise<{ reply: Reply; isSignIn: boolean }> {
    return this.#request({ method: "POST", path: "/site-reports", body, isRepeatable: true });
  }

  async #list(path: string): Promise<ReadOutcome> {
    const outcome = await this.read(path);
    if (outcome.code === TOO_LARGE) this.limits.noteTooLarge(this.limits.bytesMax);
    const value = itemsOf(outcome.value)?.map((item) => (isRecord(item) ? keptOf(item) : item));
    return value ? { ...outcome, value } : outcome;
  }

  async #write(request: ApiRequest & { method: WriteMethod }): Promise<WriteOutcome> {
    const { reply, isSignIn } = await this.#request(request);
    const wallMs = this.#options.clock.wallMs();
    return isSignIn ? signInOutcome(reply, wallMs) : classify(request.method, reply, wallMs);
  }

  /** Sends a request, signs in if necessary, and repeats it once if the token was rejected. */
  async #request(request: ApiRequest): Promise<{ reply: Reply; isSignIn: boolean }> {
    const { client, tokens } = this.#options;
    for (let isRepeat = false; ; isRepeat = true) {
      const signedIn = await tokens.token();
      if (!signedIn.ok) return { reply: signedIn.reply, isSignIn: true };
      const reply = await client.request({ ...request, token: signedIn.token });
      if (isRepeat || !isTokenRejected(reply, signedIn.isOld)) {
        if (reply.kind === "answered" && reply.status < 400) tokens.accepted(signedIn.token);
        return { reply, isSignIn: false };
      }
      tokens.invalidate(signedIn.token);
    }
  }
}

/** For a token from an earlier run 403 may mean the same as 401. */
function isTokenRejected(reply: Reply, isOld: boolean): boolean {
  return reply.kind === "answered" && (reply.status === 401 || (isOld && reply.status === 403));
}

/** Classifies a failed sign-in: the record's own request was not sent. */
function signInOutcome(reply: Reply, wallMs: number): WriteOutcome {
  const { mayBeRecordSpecific: _noRecord, ...outcome } = classify("POST", reply, wallMs);
  const link = signInFault(reply, outcome);
  return { ...outcome, event: "not-applied", link, reason: `sign-in: ${outcome.reason}` };
}

function signInFault(reply: Reply, { event, link }: WriteOutcome): LinkFault {
  if (reply.kind !== "answered") return link;
  if ([400, 401, 403, 422].includes(reply.status)) return "signed-out";
  // An internal error passes, says the contract.
  if (reply.status === 500) return "busy";
  const isUnexpected = reply.status < 400 || event === "missing" || link === "ok";
  return isUnexpected ? "not-the-interface" : link;
}

function isRecord(value: unknown): value is UpstreamRecord {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
