export type Json = { readonly [key: string]: unknown };

/** A reference to one of the document's schemas. */
export function schema(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function query(name: string, description: string, of: Json): Json {
  return { name, in: "query", description, schema: of };
}

export function header(name: string, description: string): Json {
  return { name, in: "header", description, schema: { type: "string" } };
}

/** A body that is one of the document's schemas. */
export function jsonBody(name: string): Json {
  return { required: true, content: { "application/json": { schema: schema(name) } } };
}

/** A JSON answer. */
export function jsonResponse(description: string, of: Json): Json {
  return { description, content: { "application/json": { schema: of } } };
}

/** A list with its total. */
export function listResponse(name: string): Json {
  const total = { description: "How many fit the filters in all", schema: { type: "integer" } };
  return {
    ...jsonResponse("The asked slice", { type: "array", items: schema(name) }),
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
  429: "Too many wrong attempts; Retry-After says how long to wait",
  500: "Internal error; try again",
  503: "Not possible at the moment, as on a full disk; Retry-After says how long to wait",
};

/** The answers to what goes wrong, all in the same shape. */
export function failures(...statuses: number[]): Json {
  return Object.fromEntries(
    statuses.map((status) => [String(status), jsonResponse(FAILURES[status] ?? "", schema("ErrorBody"))]),
  );
}
