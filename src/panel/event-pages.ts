import { useEffect, useRef, useState } from "preact/hooks";
import type { TimelineEntry } from "../site/timeline-view.ts";
import { beginLoading, request, useQuery, type QueryState } from "./api.ts";
import { useErrorMessage } from "./error-message.tsx";
import { ENTRIES_MAX, nextPage } from "./event-export.ts";
import type { ApiResponse } from "./http.ts";
import { journalVersion } from "./live-updates.ts";

const PAGE_SIZE = 100;
/** A filter reads more at a time: it may match few of the entries. */
const SEARCHED_SIZE = 1_000;
/** Matches that a filter looks for before it waits for the user. */
const MATCHES = 50;
/** Entries that stay when new ones are added: a panel may be open for weeks. */
const KEPT_MAX = 1_000;
/** With a filter: more than it reads by itself, or it would read them again after each new entry. */
const SEARCHED_KEPT_MAX = 2 * ENTRIES_MAX;
/** A page that is scrolled further down stays where its user reads. */
const SCROLLED_PX = 200;

type Page = ApiResponse<TimelineEntry[]>;

interface Loaded {
  readonly entries: readonly TimelineEntry[];
  /** Path of the next page; undefined at the end. */
  readonly next: string | undefined;
}

export interface EventPages extends Pick<QueryState<Page>, "error" | "reload"> {
  /** Undefined before the first page. */
  readonly loaded: Loaded | undefined;
  /** The loaded entries that match. */
  readonly shown: readonly TimelineEntry[];
  /** New entries that are not shown yet. */
  readonly waiting: number;
  readonly showNew: () => void;
  readonly loadOlder: () => void;
  /** Why the last older page was not read; empty if it was. */
  readonly problem: string;
}

/**
 * The event log as far as it has been read: new entries are added at the top and what was read stays. While a filter
 * matches few entries, older ones are read by themselves.
 * @param matches undefined without a filter
 */
export function useEventPages(matches: ((entry: TimelineEntry) => boolean) | undefined): EventPages {
  const newest = useQuery<TimelineEntry[]>(`/site/journal?limit=${PAGE_SIZE}`, journalVersion.value);
  const [loaded, setLoaded] = useState<Loaded | undefined>();
  const [held, setHeld] = useState<Page | undefined>();
  const [problem, run] = useErrorMessage();
  const isReading = useRef(false);
  const endLoading = useRef(() => {});
  // What waits for a password is never answered after a sign-out.
  useEffect(() => () => endLoading.current(), []);
  const first = newest.response;
  const keptMax = matches === undefined ? KEPT_MAX : SEARCHED_KEPT_MAX;
  useEffect(() => {
    if (!first) return;
    const isHeld = loaded !== undefined && scrollY > SCROLLED_PX && newCount(loaded, first) > 0;
    setHeld(isHeld ? first : undefined);
    if (!isHeld) setLoaded(withNewest(loaded, first, keptMax));
  }, [first]);

  const isFiltered = matches !== undefined;
  const wasFiltered = useRef(isFiltered);
  useEffect(() => {
    // What a filter has read stays until it is cleared: then the log begins with its newest page again.
    if (wasFiltered.current && !isFiltered && first) {
      setHeld(undefined);
      setLoaded(withNewest(undefined, first, keptMax));
    }
    wasFiltered.current = isFiltered;
  }, [isFiltered]);

  const next = loaded?.next;
  const read = async (size: number): Promise<void> => {
    if (next === undefined || isReading.current) return;
    isReading.current = true;
    endLoading.current = beginLoading();
    await run(async () => {
      const page = await request<TimelineEntry[]>(next.replace(/limit=\d+/, `limit=${size}`));
      const after = nextPage(page.headers);
      // New entries may have replaced those that the page continues; a filter then reads on behind them.
      setLoaded((last) =>
        last?.next === next ? { entries: [...last.entries, ...page.body], next: after } : last && { ...last },
      );
    });
    isReading.current = false;
    endLoading.current();
  };
  const entries = loaded?.entries ?? [];
  const shown = matches === undefined ? entries : entries.filter(matches);
  const found = matches === undefined || !loaded ? MATCHES : shown.length;
  useEffect(() => {
    // A failed reading changes nothing, so that it is not repeated by itself.
    if (found < MATCHES && entries.length < ENTRIES_MAX) void read(SEARCHED_SIZE);
  }, [loaded, found < MATCHES]);

  const showNew = (): void => {
    if (held) setLoaded(withNewest(loaded, held, keptMax));
    setHeld(undefined);
    scrollTo(0, 0);
  };
  return {
    error: newest.error,
    reload: newest.reload,
    loaded,
    shown,
    waiting: loaded && held ? newCount(loaded, held) : 0,
    showNew,
    loadOlder: () => void read(PAGE_SIZE),
    problem,
  };
}

/** What stays the same of an entry: the record of a trip and what became of it follow later. */
function keyOf({ at, event, who, from }: TimelineEntry): string {
  return [at, event, who, from].join("\n");
}

/** How many entries of the newest page are newer than what was read. */
function newCount({ entries: [head] }: Loaded, { body }: Page): number {
  if (!head) return body.length;
  const key = keyOf(head);
  const at = body.findIndex((entry) => keyOf(entry) === key);
  return at < 0 ? body.length : at;
}

/**
 * The newest page in front of the older ones; alone if there are entries between them that were not read, or more than `keptMax`
 * older ones.
 */
function withNewest(last: Loaded | undefined, { body, headers }: Page, keptMax: number): Loaded {
  const page = { entries: body, next: nextPage(headers) };
  const end = body[body.length - 1];
  if (!last || !end || last.entries.length > keptMax) return page;
  const keys = last.entries.map(keyOf);
  const at = keys.lastIndexOf(keyOf(end));
  return at < 0 ? page : { entries: [...body, ...last.entries.slice(at + 1)], next: last.next };
}
