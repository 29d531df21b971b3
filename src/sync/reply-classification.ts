import type { Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { TOO_LARGE } from "../client/response-body.ts";
import { CODES_OF_BUSY_CENTRE } from "../domain/outbox.ts";
import type { OutboxEvent } from "../domain/outbox-phase.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";
import {
  isContractError,
  isJson,
  isNotAPage,
  leadsToARecord,
  reasonIn,
  reasonOf,
  type Answered,
} from "./reply-body.ts";
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
  // Once: the value of a large body takes as much memory as its text.
  const value = parseJson(reply.body);
  const details = detailsOf(reply, value, wallMs);
  if (status === 401) return { ...details, event: "not-applied", link: "signed-out" };
  if (status === 403) return { ...details, event: "not-applied", link: "forbidden" };
  if (status === 404 || status === GONE) return missing(method, reply, { value, details });
  if (status === 409 || status === PRECONDITION_FAILED)
    return { ...details, event: "not-applied", link: "ok" };
  if (status === 425 || status === 429) return { ...details, event: "not-applied", link: "busy" };
  if (REJECTIONS.has(status)) return { ...details, event: "refused", link: "ok" };
  if (status === 501) return { ...details, event: "not-applied", link: "not-the-interface" };
  // A gateway or an overloaded server: the request may have been applied.
  if (status === 408 || status >= 500)
    return { ...details, event: "ambiguous", link: status === 500 ? "ok" : "busy" };
  return success(method, reply, { value, details });
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
  if (reply.kind === "answered" && reply.status === 200) return bodyRead(reply, wallMs);
  // The centre has answered, so the link is up; only this body cannot be used.
  if (reply.kind === "lost" && reply.code === TOO_LARGE)
    return { link: "ok", code: TOO_LARGE, reason: reply.error };
  const outcome = classify("PUT", reply, wallMs);
  const { link, code, reason, retryAfterMs, readDecides, mayBeRecordSpecific = false } = outcome;
  return {
    code,
    reason,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    link,
    ...errorCodeOf(reply),
    mayBeRecordSpecific,
    ...(readDecides === true ? { readDecides } : {}),
  };
}

/** A read with status 200. Its body may be large: it is parsed once, and its text is not kept. */
function bodyRead(reply: Answered, wallMs: number): ReadOutcome {
  const value = parseJson(reply.body);
  const details = detailsOf(reply, value, wallMs);
  if (value !== null && typeof value === "object")
    return { ...details, link: "ok", value, ...totalOf(reply, value), ...tagIn(reply) };
  // An API error such as 404 shows that the link is up; a 200 without JSON does not.
  const readDecides = details.retryAfterMs === undefined && (isJson(reply) || isNotAPage(reply));
  return {
    ...details,
    link: "not-the-interface",
    ...errorCodeOf(reply),
    mayBeRecordSpecific: true,
    ...(readDecides ? { readDecides } : {}),
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

type Details = Pick<WriteOutcome, "code" | "reason" | "retryAfterMs">;

/** A body, parsed, and its details. */
interface Parsed {
  readonly value: unknown;
  readonly details: Details;
}

function detailsOf({ status, headers }: Answered, value: unknown, wallMs: number): Details {
  return { code: String(status), reason: reasonIn(status, value), ...retryAfterOf(headers, wallMs) };
}

function success(method: WriteMethod, reply: Answered, { value: record, details }: Parsed): WriteOutcome {
  const notTheApi: WriteOutcome = { ...details, event: "not-applied", link: "not-the-interface" };
  if (method === "DELETE")
    return reply.status === 204 || (reply.status === 200 && isJson(reply))
      ? { ...details, event: "removed", link: "ok" }
      : notTheApi;
  // A success without the record: the next read shows whether it was applied.
  const maybe: WriteOutcome = { ...notTheApi, event: "ambiguous" };
  if (reply.status !== (method === "POST" ? 201 : 200))
    return isNotAPage(reply) || (method === "POST" && leadsToARecord(reply)) ? maybe : notTheApi;
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

const GONE = 410;

function missing(method: WriteMethod, reply: Answered, { value, details }: Parsed): WriteOutcome {
  // A gateway also responds with 404 or 410, in another format.
  if (!isContractError(reply, value)) return { ...details, event: "not-applied", link: "not-the-interface" };
  // Only two reads prove that a record was deleted, never a response to a write.
  return { ...details, event: method === "DELETE" ? "not-applied" : "missing", link: "ok" };
}
