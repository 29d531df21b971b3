import type { Request } from "express";

/** Entity tags in a list, weak or strong (RFC 9110, 8.8.3). */
const TAGS = /(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g;

/**
 * The ETag of a version; weak, because compressed and plain responses share it.
 * @param version printable characters without quotation marks and spaces
 */
export function tagOf(version: string): string {
  return `W/"${version}"`;
}

/** Whether the client already has the version, for a 304 response (If-None-Match, RFC 9110, 13.1.2). */
export function isKnown({ headers }: Request, version: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  return known.trim() === "*" || [...known.matchAll(TAGS)].some(([, tag]) => tag === version);
}
