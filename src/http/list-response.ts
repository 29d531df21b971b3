import type { Request, Response } from "express";
import { PAGE_SIZE_MAX, type PageRange } from "./list-query.ts";

/**
 * Sets the headers of a list: the total and the link to the next page (RFC 8288).
 * @param list `records`: JSON text of each record
 * @returns the body, a JSON array
 */
export function listBody(
  request: Request,
  response: Response,
  slice: PageRange,
  { records, total }: { records: readonly string[]; total: number },
): string {
  response.set("X-Total-Count", String(total));
  if (slice.end < total && records.length > 0) {
    const next = new URLSearchParams(request.originalUrl.split("?")[1] ?? "");
    next.set("_start", String(slice.end));
    next.set("_end", String(slice.end + Math.min(slice.end - slice.start, PAGE_SIZE_MAX)));
    response.set("Link", `<${request.originalUrl.split("?")[0]}?${next.toString()}>; rel="next"`);
  }
  return `[${records.join(",")}]`;
}
