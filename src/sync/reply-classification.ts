import type { Reply } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import type { OutboxEvent } from "../domain/outbox-phase.ts";
import { plainLine } from "../domain/single-line.ts";
import { validateUpstreamIntervention } from "../generated/validators.js";

/** What an answer of the centre means for the record and for the link. */
export interface WriteOutcome {
  readonly event: Extract<
    OutboxEvent,
    "applied" | "removed" | "not-applied" | "ambiguous" | "refused" | "missing"
  >;
  readonly link: LinkFault;
  /** A fault that the record's own content may have caused: a gateway that dislikes one body answers the next one. */
  readonly mayBeRecordSpecific?: boolean;
  /** HTTP status or error code. */
  readonly code: string;
  /** The answer in words. */
  readonly reason: string;
  /** The centre's representation of the record, as JSON, with its id there; only when applied. */
  readonly record?: { readonly id: number; readonly json: string };
  /** Whether a 201 repeats the Idempotency-Key: then the centre knows keys again. */
  readonly echoesKey?: boolean;
  /** How long the centre asks to be left alone. */
  readonly retryAfterMs?: number;
}

export type LinkFault = "ok" | "unreachable" | "busy" | "signed-out" | "forbidden" | "not-the-interface";
export type WriteMethod = "POST" | "PUT" | "DELETE";

/**
 * Classifies the answer to a write. The line that matters runs between what certainly was not carried out and what may
 * have been: the first may be sent anew, the second only again.
 * @param wallMs to read a Retry-After date against
 */
export function classify(method: WriteMethod, reply: Reply, wallMs: number): WriteOutcome {
  const outcome = outcomeOf(method, reply, wallMs);
  return isDoubtful(outcome, reply) ? { ...outcome, mayBeRecordSpecific: true } : outcome;
}

/** No connection, an account that is not taken, a server that asks for time: those are no matter of one record. */
function isDoubtful({ link, retryAfterMs }: WriteOutcome, reply: Reply): boolean {
  if (link === "ok" || retryAfterMs !== undefined || reply.kind === "not-sent") return false;
  return reply.kind === "lost" || ![401, 425, 429].includes(reply.status);
}

function outcomeOf(method: WriteMethod, reply: Reply, wallMs: number): WriteOutcome {
  if (reply.kind !== "answered") {
    const event = reply.kind === "not-sent" ? "not-applied" : "ambiguous";
    return { event, link: "unreachable", code: reply.code, reason: reply.error };
  }
  const { status } = reply;
  const said = { code: String(status), reason: reasonOf(reply), ...retryAfterOf(reply, wallMs) };
  if (status === 401) return { ...said, event: "not-applied", link: "signed-out" };
  if (status === 403) return { ...said, event: "not-applied", link: "forbidden" };
  if (status === 404) return missing(method, reply, said);
  if (status === 409) return { ...said, event: "not-applied", link: "ok" };
  if (status === 425 || status === 429) return { ...said, event: "not-applied", link: "busy" };
  if (REFUSALS.has(status)) return { ...said, event: "refused", link: "ok" };
  if (status === 501) return { ...said, event: "not-applied", link: "not-the-interface" };
  // A gateway or a tired server: nobody knows how far the request came.
  if (status === 408 || status >= 500)
    return { ...said, event: "ambiguous", link: status === 500 ? "ok" : "busy" };
  return success(method, reply, said);
}

/** What an answer to a read means. */
export interface ReadOutcome extends Pick<
  WriteOutcome,
  "link" | "code" | "reason" | "retryAfterMs" | "mayBeRecordSpecific"
> {
  /** The parsed body of a 200; undefined when there is none to believe. */
  readonly value?: unknown;
  /** How many records the centre says a list has; undefined where it does not. */
  readonly total?: number;
  /** The centre's name for this version of the answer (ETag), where it has a usable one. */
  readonly tag?: string;
  /** The centre says that the version which was named in the request is still the current one. */
  readonly isUnchanged?: boolean;
}

/**
 * Classifies the answer to a GET.
 * @param wallMs to read a Retry-After date against
 * @param isConditional whether the request named a version, so that 304 is an answer to it
 */
export function classifyRead(reply: Reply, wallMs: number, isConditional = false): ReadOutcome {
  if (isConditional && reply.kind === "answered" && reply.status === 304)
    return { link: "ok", code: "304", reason: reasonOf(reply), isUnchanged: true, ...tagIn(reply) };
  const value = reply.kind === "answered" && reply.status === 200 ? parseJson(reply.body) : undefined;
  const { link, code, reason, retryAfterMs, mayBeRecordSpecific = false } = classify("PUT", reply, wallMs);
  const said = { code, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  if (value !== null && typeof value === "object")
    return { ...said, link: "ok", value, ...totalOf(reply, value), ...tagIn(reply) };
  // A plain 404 in the interface's own words says that the link is well; so does every other answer but a 200.
  const isPage = reply.kind === "answered" && reply.status === 200;
  return {
    ...said,
    link: isPage ? "not-the-interface" : link,
    mayBeRecordSpecific: mayBeRecordSpecific || isPage,
  };
}

/** In the header that lists commonly carry, or beside the items of a wrapped one. */
function totalOf(reply: Reply, value: object): { total?: number } {
  const header = reply.kind === "answered" ? reply.headers["x-total-count"] : undefined;
  const said = header === undefined ? (value as { total?: unknown }).total : Number(header);
  return Number.isSafeInteger(said) ? { total: said as number } : {};
}

/** Longer ones are not kept: each page of a list has one. */
const TAG = /^(?:W\/)?"[\x21\x23-\x7e]{1,200}"$/;

function tagIn(reply: Reply): { tag?: string } {
  const tag = reply.kind === "answered" ? reply.headers.etag : undefined;
  return tag !== undefined && TAG.test(tag) ? { tag } : {};
}

/** The items of a list: a bare array, or one wrapped as some servers do; undefined when it is no list. */
export function itemsOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (value === null || typeof value !== "object") return undefined;
  const { data, items, results } = value as Record<"data" | "items" | "results", unknown>;
  return [data, items, results].find((part) => Array.isArray(part));
}

const REFUSALS: ReadonlySet<number> = new Set([400, 413, 415, 422]);

type Answered = Extract<Reply, { kind: "answered" }>;
type Said = Pick<WriteOutcome, "code" | "reason" | "retryAfterMs">;

function success(method: WriteMethod, reply: Answered, said: Said): WriteOutcome {
  const notTheInterface: WriteOutcome = { ...said, event: "not-applied", link: "not-the-interface" };
  if (method === "DELETE")
    return reply.status === 204 || (reply.status === 200 && isJson(reply))
      ? { ...said, event: "removed", link: "ok" }
      : notTheInterface;
  if (reply.status !== (method === "POST" ? 201 : 200))
    return method === "POST" && isSuccess(reply) && !isPage(reply)
      ? { ...notTheInterface, event: "ambiguous" }
      : notTheInterface;
  const record = parseJson(reply.body);
  if (validateUpstreamIntervention(record))
    return {
      ...said,
      event: "applied",
      link: "ok",
      record: { id: record.id, json: reply.body },
      echoesKey: reply.headers["idempotency-key"] !== undefined,
    };
  if (isJson(reply)) return { ...said, event: "ambiguous", link: "unreachable" };
  // Sign-in pages come with 200. Whoever says 201 may have created something, whatever became of its body on the way.
  return method === "POST" ? { ...notTheInterface, event: "ambiguous" } : notTheInterface;
}

function isSuccess({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}

/** A page for people, such as the sign-in page of somebody's network. */
function isPage({ headers }: Answered): boolean {
  return /^(?:text\/html|application\/xhtml)\b/i.test(headers["content-type"] ?? "");
}

function missing(method: WriteMethod, reply: Answered, said: Said): WriteOutcome {
  // A gateway says 404 as well, in words of its own.
  if (!isInterfaceError(reply)) return { ...said, event: "not-applied", link: "not-the-interface" };
  // That a record is gone is believed of two looks at it, and of no answer to a write.
  return { ...said, event: method === "DELETE" ? "not-applied" : "missing", link: "ok" };
}

/** Whether an error has the shape that the interface gives to its errors: error, message and statusCode. */
function isInterfaceError(reply: Answered): boolean {
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

/** The message of the interface's error body; some servers make a list of it. */
function reasonOf({ status, body }: Answered): string {
  const message = (parseJson(body) as { message?: unknown } | null | undefined)?.message;
  const text = [message]
    .flat()
    .filter((part) => typeof part === "string")
    .join("; ");
  // It is shown to people, in terminals as well, and whoever answers may be anybody.
  return `answered ${status}${text ? `: ${plainLine(text.slice(0, 300))}` : ""}`;
}

const RETRY_AFTER_CAP_MS = 3_600_000;

/** Seconds or a date (RFC 9110 10.2.3), at most an hour. */
function retryAfterOf({ headers }: Answered, wallMs: number): { retryAfterMs?: number } {
  const text = headers["retry-after"];
  if (text === undefined) return {};
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - wallMs;
  return Number.isNaN(waitMs) ? {} : { retryAfterMs: Math.min(Math.max(0, waitMs), RETRY_AFTER_CAP_MS) };
}
