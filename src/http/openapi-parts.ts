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
];

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
  return jsonResponse("The requested slice", slice, { "X-Total-Count": total, ...headers });
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
  404: "The intervention, objective or site does not exist",
  409: "Not possible in the present state",
  412: "The record has changed since it was read",
  413: "The body is larger than 100 kB",
  415: "The body is not JSON in UTF-8",
  422: "The Idempotency-Key was used with another body",
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
