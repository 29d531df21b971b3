import type { TimelineEntry } from "../site/timeline-view.ts";
import { request } from "./api.ts";

/** Maximum number of entries; the daemon keeps at least as many. */
export const ENTRIES_MAX = 10_000;
const PAGE_SIZE = 1_000;

/** Loads the event log page by page, newest entry first. @throws ApiError */
export async function loadEventLog(): Promise<TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  let path: string | undefined = `/site/journal?limit=${PAGE_SIZE}`;
  while (path !== undefined && entries.length < ENTRIES_MAX) {
    const page: { body: TimelineEntry[]; headers: Headers } = await request<TimelineEntry[]>(path);
    entries.push(...page.body);
    path = nextPage(page.headers);
  }
  return entries.slice(0, ENTRIES_MAX);
}

/** The next page from the Link header (RFC 8288); undefined at the end. */
export function nextPage(headers: Pick<Headers, "get">): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1];
}
