import type { Request } from "express";

/** Tags in a list, weak or strong (RFC 9110, 8.8.3). */
const TAGS = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * The tag of a version: a weak one, which the same rows have packed and unpacked.
 * @param version printable characters without quotation marks and blanks
 */
export function tagOf(version: string): string {
  return `W/"${version}"`;
}

/** Whether the client has that version already, so that 304 is the answer (If-None-Match, RFC 9110, 13.1.2). */
export function isKnown({ headers }: Request, version: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  return known.trim() === "*" || [...known.matchAll(TAGS)].some(([, tag]) => tag === version);
}
