export type Json = { readonly [key: string]: unknown };

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
export function jsonResponse(description: string, of: Json): Json {
  return { description, content: { "application/json": { schema: of } } };
}

/** List response with its total. */
export function listResponse(name: string): Json {
  const total = { description: "Total number of matching records", schema: { type: "integer" } };
  return {
    ...jsonResponse("The requested slice", { type: "array", items: schema(name) }),
    headers: { "X-Total-Count": total },
  };
}

const FAILURES: Readonly<Record<number, string>> = {
  400: "Missing fields or invalid format",
  401: "Token missing, invalid or expired; wrong credentials",
  403: "Operator or administrator rights are needed",
  404: "The intervention or objective does not exist",
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
