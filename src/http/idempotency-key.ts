import type { IncomingMessage } from "node:http";
import { AppError } from "../domain/errors.ts";

const KEY_LENGTH_MAX = 255;

/**
 * Reads the Idempotency-Key of a request (draft-ietf-httpapi-idempotency-key-header): a structured-field string in
 * quotes, or a bare word of visible characters.
 * @returns undefined if the request has none
 * @throws AppError `invalid` for an empty, too long or malformed key
 */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | undefined {
  const header = headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = unquoted(Array.isArray(header) ? header.join(",") : header);
  if (key === undefined || key === "" || key.length > KEY_LENGTH_MAX)
    throw new AppError(
      "invalid",
      `Idempotency-Key must be a quoted string of 1 to ${KEY_LENGTH_MAX} visible characters`,
    );
  return key;
}

function unquoted(header: string): string | undefined {
  const quoted = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(header)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, "$1");
  return /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$/.test(header) ? header : undefined;
}
