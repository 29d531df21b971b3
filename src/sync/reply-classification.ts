import type { Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { CODES_OF_BUSY_CENTRE } from "../domain/outbox.ts";
import type { OutboxEvent } from "../domain/outbox-phase.ts";
import { plainLine } from "../domain/single-line.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";
import { retryAfterOf } from "./retry-after.ts";
import { keptOf } from "./upstream-records.ts";

/** What a response to a write means for the record and for the link. */
export interface WriteOutcome {
  readonly event: Extract<
    OutboxEvent,
    "applied" | "removed" | "not-applied" | "ambiguous" | "refused" | "missing"
  >;
  readonly link: LinkFault;
  /** Whether the record's own content may have caused the fault: a gateway that rejects one body accepts the next. */
  readonly mayBeRecordSpecific?: boolean;
  /** Whether each record may be refused on its own, so that a read decides whatever the number of such responses. */
  readonly readDecides?: boolean;
  /** HTTP status or error code. */
  readonly code: string;
  /** The response as text. */
  readonly reason: string;
  /** What is kept of the record in the response, as JSON, and its id; only if applied. */
  readonly record?: { readonly id: number; readonly json: string };
  /** Whether the 201 echoes the Idempotency-Key, so the server supports keys. */
  readonly echoesKey?: boolean;
  /** Milliseconds until the next request (Retry-After). */
  readonly retryAfterMs?: number;
}

export type LinkFault = "ok" | "unreachable" | "busy" | "signed-out" | "forbidden" | "not-the-interface";
export type WriteMethod = "POST" | "PUT" | "DELETE";

/**
 * Classifies the response to a write: certainly not applied, or possibly applied. The first may be sent as a new
 * request, the second only as a repeat of the same one.
 * @param wallMs wall clock, to evaluate a Retry-After date
 */
export function classify(method: WriteMethod, reply: Reply, wallMs: number): WriteOutcome {
  const outcome = outcomeOf(method, reply, wallMs);
  if (!mayBeRecordSpecific(outcome, reply)) return outcome;
  // An account that may create nothing has no use for the link; one that may not delete, or not change some, has.
  const isDenial = method !== "POST" && DENIALS.has(outcome.code);
  const readDecides = isDenial || isPostponed(outcome) || isUnusable(outcome, reply);
  return { ...outcome, mayBeRecordSpecific: true, ...(readDecides ? { readDecides } : {}) };
}

/** Connection, sign-in and rate limit faults are not caused by one record. */
function mayBeRecordSpecific(outcome: WriteOutcome, reply: Reply): boolean {
  if (outcome.link === "ok" || reply.kind === "not-sent") return false;
  if (outcome.retryAfterMs !== undefined) return isPostponed(outcome);
  return reply.kind === "lost" || ![401, 425, 429].includes(reply.status);
}

/** Whether the server takes this request later: one with a full disk stores alarms only, and one limit may be for POST alone. */
function isPostponed({ code, retryAfterMs }: WriteOutcome): boolean {
  return retryAfterMs !== undefined && CODES_OF_BUSY_CENTRE.has(code);
}

/** Whether a record may have been created and the response does not have it, as at a centre that answers every POST in this way. */
function isUnusable({ event }: WriteOutcome, reply: Reply): boolean {
  return event === "ambiguous" && reply.kind === "answered" && reply.status < 400;
}

function outcomeOf(method: WriteMethod, reply: Reply, wallMs: number): WriteOutcome {
  if (reply.kind !== "answered") {
    const event = reply.kind === "not-sent" ? "not-applied" : "ambiguous";
    return { event, link: "unreachable", code: reply.code, reason: reply.error };
  }
  const { status } = reply;
  const details = { code: String(status), reason: reasonOf(reply), ...retryAfterOf(reply.headers, wallMs) };
  if (status === 401) return { ...details, event: "not-applied", link: "signed-out" };
  if (status === 403) return { ...details, event: "not-applied", link: "forbidden" };
  if (status === 404 || status === GONE) return missing(method, reply, details);
  if (status === 409 || status === PRECONDITION_FAILED)
    return { ...details, event: "not-applied", link: "ok" };
  if (status === 425 || status === 429) return { ...details, event: "not-applied", link: "busy" };
  if (REJECTIONS.has(status)) return { ...details, event: "refused", link: "ok" };
  if (status === 501) return { ...details, event: "not-applied", link: "not-the-interface" };
  // A gateway or an overloaded server: the request may have been applied.
  if (status === 408 || status >= 500)
    return { ...details, event: "ambiguous", link: status === 500 ? "ok" : "busy" };
  return success(method, reply, details);
}

/** What a response to a read means. */
export interface ReadOutcome extends Pick<
  WriteOutcome,
  "link" | "code" | "reason" | "retryAfterMs" | "mayBeRecordSpecific" | "readDecides"
> {
  /** The parsed body of a 200; undefined if it is not JSON. */
  readonly value?: unknown;
  /** Total number of records in the list; undefined if not sent. */
  readonly total?: number;
  /** ETag of the response; undefined if missing or unusable. */
  readonly tag?: string;
  /** The error as a word (X-Error-Code); undefined if not sent. */
  readonly errorCode?: string;
  /** Whether the version named in the request is still current (304). */
  readonly isUnchanged?: boolean;
}

/**
 * Classifies the response to a GET.
 * @param wallMs wall clock, to evaluate a Retry-After date
 * @param isConditional whether the request named a version, so that 304 is valid
 */
export function classifyRead(reply: Reply, wallMs: number, isConditional = false): ReadOutcome {
  if (isConditional && reply.kind === "answered" && reply.status === 304)
    return { link: "ok", code: "304", reason: reasonOf(reply), isUnchanged: true, ...tagIn(reply) };
  const value = reply.kind === "answered" && reply.status === 200 ? parseJson(reply.body) : undefined;
  const {
    link,
    code,
    reason,
    retryAfterMs,
    readDecides,
    mayBeRecordSpecific = false,
  } = classify("PUT", reply, wallMs);
  const details = { code, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (value !== null && typeof value === "object")
    return { ...details, link: "ok", value, ...totalOf(reply, value), ...tagIn(reply) };
  // An API error such as 404 shows that the link is up; a 200 without JSON does not.
  const isForeignBody = reply.kind === "answered" && reply.status === 200;
  return {
    ...details,
    link: isForeignBody ? "not-the-interface" : link,
    ...errorCodeOf(reply),
    mayBeRecordSpecific: mayBeRecordSpecific || isForeignBody,
    ...(readDecides === true ? { readDecides } : {}),
  };
}

/** From the usual header, or from a field beside the items of a wrapped list. */
function totalOf(reply: Reply, value: object): { total?: number } {
  const header = reply.kind === "answered" ? reply.headers["x-total-count"] : undefined;
  const details = header === undefined ? (value as { total?: unknown }).total : Number(header);
  return Number.isSafeInteger(details) ? { total: details as number } : {};
}

/** Longer tags are ignored: one is stored for each page. */
const TAG = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/;

function tagIn(reply: Reply): { tag?: string } {
  const tag = reply.kind === "answered" ? reply.headers.etag : undefined;
  return tag !== undefined && TAG.test(tag) ? { tag } : {};
}

function errorCodeOf(reply: Reply): { errorCode?: string } {
  const code = reply.kind === "answered" ? reply.headers["x-error-code"] : undefined;
  return typeof code === "string" ? { errorCode: code } : {};
}

/** Codes of a request that the server does not permit or does not know, or of a record that it no longer has. */
const DENIALS: ReadonlySet<string> = new Set(["403", "404", "405", "410", "501"]);
/** The record has another version than the request named. */
export const PRECONDITION_FAILED = 412;
const REJECTIONS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

type Answered = Extract<Reply, { kind: "answered" }>;
type Details = Pick<WriteOutcome, "code" | "reason" | "retryAfterMs">;

function success(method: WriteMethod, reply: Answered, details: Details): WriteOutcome {
  const notTheApi: WriteOutcome = { ...details, event: "not-applied", link: "not-the-interface" };
  if (method === "DELETE")
    return reply.status === 204 || (reply.status === 200 && isJson(reply))
      ? { ...details, event: "removed", link: "ok" }
      : notTheApi;
  // A success without the record: the next read shows whether it was applied.
  const maybe: WriteOutcome = { ...notTheApi, event: "ambiguous" };
  if (reply.status !== (method === "POST" ? 201 : 200))
    return isNotAPage(reply) || (method === "POST" && leadsToARecord(reply)) ? maybe : notTheApi;
  const record = parseJson(reply.body);
  if (validateUpstreamIntervention(record))
    return {
      ...details,
      event: "applied",
      link: "ok",
      record: { id: record.id, json: JSON.stringify(keptOf({ ...record })) },
      echoesKey: reply.headers["idempotency-key"] !== undefined,
    };
  if (isJson(reply)) return { ...details, event: "ambiguous", link: "unreachable" };
  // Sign-in pages come with 200. A 201 may have created a record, even if its body was damaged.
  return method === "POST" || isNotAPage(reply) ? maybe : notTheApi;
}

/** A success without an HTML page, such as the sign-in page of a public network. */
function isNotAPage({ status, headers }: Answered): boolean {
  const isPage = /^(?:text\/html|application\/xhtml)\b/i.test(headers["content-type"] ?? "");
  return status >= 200 && status < 300 && !isPage;
}

/** A redirect to one record: it was created. A redirect to a sign-in page leads elsewhere. */
function leadsToARecord({ status, headers }: Answered): boolean {
  return status >= 300 && status < 400 && /\/interventii\/[^/?#]+$/.test(headers["location"] ?? "");
}

const GONE = 410;

function missing(method: WriteMethod, reply: Answered, details: Details): WriteOutcome {
  // A gateway also responds with 404 or 410, in another format.
  if (!isContractError(reply)) return { ...details, event: "not-applied", link: "not-the-interface" };
  // Only two reads prove that a record was deleted, never a response to a write.
  return { ...details, event: method === "DELETE" ? "not-applied" : "missing", link: "ok" };
}

/** Whether an error body has the format of the contract: error, message and statusCode. */
function isContractError(reply: Answered): boolean {
  if (!isJson(reply)) return false;
  const body = parseJson(reply.body) as
    | Partial<Record<"error" | "message" | "statusCode", unknown>>
    | null
    | undefined;
  const { error, message, statusCode } = body ?? {};
  return (
    typeof error === "string" &&
    (typeof message === "string" || Array.isArray(message)) &&
    statusCode === reply.status
  );
}

function isJson({ headers }: Answered): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/** The message of the error body; some servers send a list of them. */
export function reasonOf({ status, body }: Pick<Answered, "status" | "body">): string {
  const message = (parseJson(body) as { message?: unknown } | null | undefined)?.message;
  const text = [message]
    .flat()
    .filter((part) => typeof part === "string")
    .join("; ");
  // Shown to users, also in terminals, and the sender is unknown: control characters are removed.
  return `answered ${status}${text ? `: ${plainLine(text.slice(0, 300))}` : ""}`;
}
