import type { Reply } from "../client/api-client.ts";

const RETRY_AFTER_CAP_MS = 3_600_000;

/**
 * The wait that a response asks for, at most an hour: seconds or a date (RFC 9110 10.2.3).
 * @param wallMs wall clock, milliseconds since 1970
 */
export function retryAfterOf(
  headers: Extract<Reply, { kind: "answered" }>["headers"],
  wallMs: number,
): { retryAfterMs?: number } {
  const text = headers["retry-after"];
  if (text === undefined) return {};
  // A date is one of the server's clock, which the response shows; ours may be wrong.
  const nowMs = Date.parse(headers.date ?? "") || wallMs;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? {} : { retryAfterMs: Math.min(Math.max(0, waitMs), RETRY_AFTER_CAP_MS) };
}
