import type { Role } from "../domain/principal.ts";
import { PAGE_SIZE_MAX } from "./lists.ts";

/* The parts that the operations of the OpenAPI document are made of. */

export type Json = { readonly [key: string]: unknown };

export const ID = { name: "id", in: "path", required: true, schema: schema("Id") };
export const PAGING = [
  query("_start", "Offset of the first record", { type: "integer", minimum: 0, default: 0 }),
  query("_end", `Offset after the last record; at most ${PAGE_SIZE_MAX} records are returned`, {
    type: "integer",
    minimum: 0,
  }),
  query("strict", "1: respond with 400 if a query parameter of this request is unknown", {
    type: "string",
    enum: ["1"],
  }),
];

export const TEXT: Json = { type: "string" };

/** An operation of /site. */
export interface SiteOperation {
  readonly method: "get" | "post" | "put" | "delete";
  readonly path: string;
  /** The least role that may call it; `none` without a token. */
  readonly role: Role | "none";
  readonly id: string;
  readonly summary: string;
  readonly query?: readonly Json[];
  /** Schema of the request body. */
  readonly body?: Json;
  /** Content type of the request body if it is not JSON. */
  readonly bodyType?: string;
  /** Schema of the response, or its content type if it is not JSON. */
  readonly answer: Json | string;
  /** Status of a success if it is not 200, with its meaning. */
  readonly success?: readonly [status: number, meaning: string];
  /** Errors beside those of every operation: 401 and 403 with a token, 400 for a body or query, 500. */
  readonly errors?: readonly number[];
}

/**
 * An operation of /site.
 * @param call its method and path, such as `GET /site/zones`
 */
export function operation(
  call: `${Uppercase<SiteOperation["method"]>} /site${string}`,
  role: SiteOperation["role"],
  id: string,
  parts: Omit<SiteOperation, "method" | "path" | "role" | "id">,
): SiteOperation {
  const [method = "", path = ""] = call.split(" ");
  return { method: method.toLowerCase() as SiteOperation["method"], path, role, id, ...parts };
}

/** Schema of an object. @param required names of the properties that are not optional; all by default */
export function objectOf(properties: Json, required: readonly string[] = Object.keys(properties)): Json {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

/** Schema of a list of entries with a schema of the document. */
export function listOf(name: string): Json {
  return { type: "array", items: schema(name) };
}

/** Reference to a schema of the document. */
export function schema(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function query(name: string, description: string, of: Json): Json {
  return { name, in: "query", description, schema: of };
}

export function header(name: string, description: string): Json {
  return { name, in: "header", description, schema: { type: "string" } };
}

/** Request body with a schema of the document. */
export function jsonBody(name: string): Json {
  return { required: true, content: { "application/json": { schema: schema(name) } } };
}

/** JSON response. */
export function jsonResponse(description: string, of: Json, headers?: Json): Json {
  return { description, content: { "application/json": { schema: of } }, ...(headers ? { headers } : {}) };
}

/** List response with its total. */
export function listResponse(name: string, headers: Json = {}): Json {
  const total = { description: "Total number of matching records", schema: { type: "integer" } };
  const slice = { type: "array", items: schema(name) };
  const ignored = textHeader("Query parameters of the request that are unknown, separated by commas");
  const own = { "X-Total-Count": total, "X-Ignored-Parameters": ignored };
  return jsonResponse("The requested slice", slice, { ...own, ...headers });
}

/** Response header. */
export function textHeader(description: string): Json {
  return { description, schema: { type: "string" } };
}

/** Schema of a text with an example. */
export function textLike(example: string): Json {
  return { type: "string", examples: [example] };
}

const FAILURES: Readonly<Record<number, string>> = {
  400: "Missing fields or invalid format",
  401: "Token missing, invalid or expired; wrong credentials",
  403: "Operator or administrator rights are needed",
  404: "The intervention, objective, site, zone or account does not exist",
  409: "Not possible in the current state",
  412: "The record has changed since it was read",
  413: "The body is larger than 100 kB",
  415: "The body is not JSON in UTF-8",
  422: "The Idempotency-Key was used with another body, or the configuration has errors",
  429: "Too many failed attempts; retry after Retry-After",
  500: "Internal error; try again",
  503: "Temporarily unavailable, for example with a full disk; retry after Retry-After",
};

/** Error responses; all have the same schema. */
export function failures(...statuses: number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [String(status), jsonResponse(FAILURES[status] ?? "", schema("ErrorBody"))]),
  );
}

/** Duration in the body of a request. */
export const MINUTES: Json = { type: "number", description: "Default and limit depend on the operation" };
