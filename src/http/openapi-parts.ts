import type { Role } from "../domain/principal.ts";
import { PAGE_SIZE_MAX } from "./lists.ts";

/* The parts that the operations of the OpenAPI document are made of. */

export type Json = { readonly [key: string]: unknown };

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

/** An operation of the API. */
export interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly path: string;
  /** The least role that may call it; `none` without a token. */
  readonly role: Role | "none";
  readonly id: string;
  readonly summary: string;
  /** Parameters in the query and in headers. */
  readonly query?: readonly Json[];
  /** Schema of the request body. */
  readonly body?: Json;
  /** Content type of the request body if it is not JSON. */
  readonly bodyType?: string;
  /** Schema of the response, or its content type if it is not JSON; none for a response without a body. */
  readonly answer?: Json | string;
  /** Status of a success if it is not 200, with its meaning. */
  readonly success?: readonly [status: number, meaning: string];
  /** Headers of the response. */
  readonly headers?: Json;
  /** Further responses that are no errors. */
  readonly others?: Json;
  /** Errors beside those of every operation: 401 and 403 with a token, 400 for a body or query, 500. */
  readonly errors?: readonly number[];
}

/**
 * An operation of the API.
 * @param call its method and path, such as `GET /site/zones`
 */
export function operation(
  call: `${Uppercase<Operation["method"]>} /${string}`,
  role: Operation["role"],
  id: string,
  parts: Omit<Operation, "method" | "path" | "role" | "id">,
): Operation {
  const [method = "", path = ""] = call.split(" ");
  return { method: method.toLowerCase() as Operation["method"], path, role, id, ...parts };
}

/**
 * The operations by path and method.
 * @param inPath returns the schema of a parameter in the path
 * @param common what all of them have
 */
export function pathsOf(
  operations: readonly Operation[],
  inPath: (name: string) => Json,
  common: Json = {},
): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of operations) {
    const names = [...one.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const inPaths = names.map((name) => ({ name, in: "path", required: true, schema: inPath(name) }));
    const parameters = [...inPaths, ...(one.query ?? [])];
    (paths[one.path] ??= {})[one.method] = { ...described(one), parameters, ...common };
  }
  return paths;
}

function described(one: Operation): Json {
  const { role, id, summary, body, bodyType = "application/json", errors = [] } = one;
  const hasInput = body !== undefined || one.query !== undefined || bodyType !== "application/json";
  const statuses = [
    ...(hasInput ? [400] : []),
    ...(role === "none" ? [] : [401, 403]),
    ...(body ? [413, 415] : []),
    ...errors,
    500,
  ];
  return {
    operationId: id,
    summary,
    ...(role === "none" ? { security: [] } : {}),
    ...(body ? { requestBody: { required: true, content: { [bodyType]: { schema: body } } } } : {}),
    responses: { ...successOf(one), ...one.others, ...failures(...new Set(statuses)) },
  };
}

function successOf({ answer, success: [status, description] = [200, "Done"], headers }: Operation): Json {
  if (answer === undefined) return { [status]: { description } };
  if (typeof answer === "string") return { [status]: { description, content: { [answer]: {} } } };
  return { [status]: { ...jsonResponse(description, answer), ...(headers ? { headers } : {}) } };
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

/** Of a test that must not run twice because its response was lost. */
export const TEST_KEY = header(
  "Idempotency-Key",
  "For ten minutes, and until the daemon restarts, a repeated request with the same key and body does nothing: it returns the first response",
);

/** JSON response. */
export function jsonResponse(description: string, of: Json): Json {
  return { description, content: { "application/json": { schema: of } } };
}

/** The response with a slice of a list, and its total. @param headers further ones */
export function sliceOf(name: string, headers: Json = {}): Pick<Operation, "answer" | "success" | "headers"> {
  const total = { description: "Total number of matching records", schema: { type: "integer" } };
  const ignored = textHeader("Query parameters of the request that are unknown, separated by commas");
  return {
    answer: listOf(name),
    success: [200, "The requested slice"],
    headers: {
      "X-Total-Count": total,
      Link: textHeader("Address of the next page (RFC 8288), if there is one"),
      "X-Ignored-Parameters": ignored,
      ...headers,
    },
  };
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
  429: "Too many failed attempts, slow lists of one account at once, or writes of one site; retry after Retry-After",
  500: "Internal error; try again",
  503: "Temporarily unavailable, for example with a full disk; retry after Retry-After",
};

/** Error responses; all have the same schema. */
function failures(...statuses: number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [String(status), jsonResponse(FAILURES[status] ?? "", schema("ErrorBody"))]),
  );
}

/** Duration in the body of a request. */
export const MINUTES: Json = { type: "number", description: "Default and limit depend on the operation" };
