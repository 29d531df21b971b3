import type { TimelineEntry } from "../http/site/journal-view.ts";
import { request } from "./api.ts";

/** The newest so many: what the daemon keeps for certain. */
const ENTRIES_MAX = 10_000;
const PAGE_SIZE = 1_000;

/** The event log from the newest entry on, page by page. @throws Refusal */
export async function wholeLog(): Promise<TimelineEntry[]> {
  const entries: TimelineEntry[] = [];
  let path: string | undefined = `/site/journal?limit=${PAGE_SIZE}`;
  while (path !== undefined && entries.length < ENTRIES_MAX) {
    const page: { body: TimelineEntry[]; headers: Headers } = await request<TimelineEntry[]>(path);
    entries.push(...page.body);
    path = nextOf(page.headers);
  }
  return entries.slice(0, ENTRIES_MAX);
}

/** Where the Link header (RFC 8288) leads on; undefined at the end. */
export function nextOf(headers: Pick<Headers, "get">): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get("Link") ?? "")?.[1];
}
