import type { Clock } from "../../domain/clock.ts";
import type { Log } from "../../domain/log.ts";
import { DISPATCH_CENTRE } from "../../domain/event.ts";
import type { ObjectiveType } from "../../domain/objective.ts";
import type { ListDiff } from "../../domain/objective-list-diff.ts";
import type { Database } from "../../store/database.ts";
import { EventLog } from "../../store/event-log.ts";
import { transaction } from "../../store/transaction.ts";
import { UpstreamObjectiveStore } from "../../store/upstream-objectives.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import { ListLength } from "./list-length.ts";
import type { PageReader } from "./page-reader.ts";

/** The result of reading one objective list. */
type ListReadResult =
  /** The complete list: each description as JSON, by id. */
  | { readonly kind: "complete"; readonly rows: ReadonlyMap<number, string> }
  /** The list is incomplete, so missing objectives prove nothing. */
  | { readonly kind: "unfinished"; readonly outcome: ReadOutcome };

/** Code of a read that was interrupted by the caller. */
export const INTERRUPTED = "INTERRUPTED";

/** Rows requested per page; the dispatch centre may return fewer. */
const PAGE_ROWS = 200;
/** Maximum pages, enough for a dispatch centre that returns seven rows per page. */
const PAGES_MAX = 2_000;
/** Maximum objectives of a list: they are sorted and searched in memory, which takes 0.1 s on a Raspberry Pi. */
const ROWS_MAX = 10_000;
/** Maximum characters of a list, because descriptions can be long. */
const CHARACTERS_MAX = 16 * 1024 * 1024;
/** Rows read twice: objectives deleted during the read shift the rest up. */
const OVERLAP_ROWS = 2;
/** Pages without new rows that end the read: the server ignores paging or counts `_end` differently. */
const STALE_PAGES_MAX = 3;

/**
 * Reads one complete list. The API guarantees no order, page size or total.
 * @param mayContinue called before each page; false ends the read
 * @param onPage called after each page with the number of objectives read so far
 */
export async function readList(
  pages: Pick<PageReader, "read">,
  type: ObjectiveType,
  mayContinue: () => Promise<boolean>,
  onPage: (rows: number, outcome: ReadOutcome) => void,
): Promise<ListReadResult> {
  const rows = new Map<number, string>();
  let characters = 0;
  let start = 0;
  let stale = 0;
  let received = 0;
  const length = new ListLength();
  for (let page = 0; page < PAGES_MAX; page += 1) {
    if (!(await mayContinue())) return unfinished(INTERRUPTED, "the link is down");
    const read = await pages.read(`/${type}?_start=${start}&_end=${start + PAGE_ROWS}`);
    const { outcome } = read;
    if (read.kind === "failed") return { kind: "unfinished", outcome };
    if (read.kind === "whole") {
      onPage(read.rows.size, outcome);
      return { kind: "complete", rows: read.rows };
    }
    const { items, entries } = read;
    const before = rows.size;
    for (const [id, text] of entries) {
      characters += text.length - (rows.get(id)?.length ?? 0);
      rows.set(id, text);
    }
    // The last page repeats the overlap rows. An end without them means that the list broke off.
    const isEndExpected = page === 0 || stale > 0 || received <= OVERLAP_ROWS;
    if (items === 0 && !isEndExpected) return unfinished("TORN", "it broke off before its end");
    received = items;
    if (items > 0 && entries.length === 0) return unfinished("NO-IDS", "its rows have no numeric id");
    if (rows.size > ROWS_MAX || characters > CHARACTERS_MAX)
      return unfinished(
        "TOO-MANY",
        `it has more than ${ROWS_MAX} objectives or ${CHARACTERS_MAX} characters`,
      );
    onPage(rows.size, outcome);
    length.take(
      start,
      entries.map(([id]) => id),
      items,
      outcome.total,
    );
    stale = rows.size === before ? stale + 1 : 0;
    if (items === 0 || stale === STALE_PAGES_MAX || items > PAGE_ROWS + 1) {
      if (length.isAbove(rows.size)) return unfinished("CUT", "its total is higher than its rows");
      return length.mayBeCut ? readOtherEnd(pages, type, rows) : { kind: "complete", rows };
    }
    start += stale > 0 ? items : Math.max(1, items - OVERLAP_ROWS);
  }
  return unfinished("TOO-MANY", `it has more than ${PAGES_MAX} pages`);
}

/** Reads the list of a server that ignores `_start` from its other end: rows that are new there show that it sends only a part. */
async function readOtherEnd(
  pages: Pick<PageReader, "read">,
  type: ObjectiveType,
  rows: ReadonlyMap<number, string>,
): Promise<ListReadResult> {
  const read = await pages.read(`/${type}?_sort=id&_order=DESC`);
  if (read.kind === "failed" && read.outcome.link === "unreachable")
    return { kind: "unfinished", outcome: read.outcome };
  // A server that does not sort sends the same rows, or rejects the request.
  if (read.kind === "page" && read.entries.some(([id]) => !rows.has(id)))
    return unfinished("CUT", "the dispatch centre returns the same page for every request");
  return { kind: "complete", rows };
}

function unfinished(code: string, reason: string): ListReadResult {
  return { kind: "unfinished", outcome: { link: "ok", code, reason } };
}

/** The list being read. */
export interface PullProgress {
  readonly type: ObjectiveType;
  readonly read: number;
}

export interface MirrorWriterOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Address of the dispatch centre the lists come from. */
  readonly baseUrl: string;
  /** Called for a damaged page of the database. */
  readonly onDamage?: (error: unknown) => void;
}

/** Rows per transaction: a first list of thousands must not delay a trip. */
const BATCH_ROWS = 250;
/** Unlisted objectives that nothing refers to are kept this long, so that users can see what happened to them. */
const MISSING_RETENTION_MS = 30 * 86_400_000;
/** Maximum number of differing names in one event. */
const NAMES_MAX = 20;

/**
 * Stores a list that was read completely; unchanged rows are skipped, to reduce wear of the disk.
 * @param rows each description as JSON, by id
 */
export async function writeList(
  { database, clock, log, baseUrl }: MirrorWriterOptions,
  type: ObjectiveType,
  rows: ReadonlyMap<number, string>,
  { added, changed, missing }: Extract<ListDiff, { kind: "taken" }>,
): Promise<void> {
  const lists = new UpstreamObjectiveStore(database);
  // In batches, so that a trip can be stored in between.
  const inBatches = async (ids: readonly number[], write: (id: number) => void): Promise<void> => {
    for (let from = 0; from < ids.length; from += BATCH_ROWS) {
      transaction(database, () => ids.slice(from, from + BATCH_ROWS).forEach(write));
      await new Promise<void>((resolve) => {
        clock.afterEventLoopTurn(resolve);
      });
    }
  };
  await inBatches([...added, ...changed], (id) => lists.put(type, id, rows.get(id) ?? ""));
  const nowMs = clock.wallMs();
  await inBatches(missing, (id) => lists.markMissing(type, id, nowMs));
  const counts = { added: added.length, changed: changed.length, missing: missing.length };
  // Marks the mirror as complete. A write that was interrupted before this is repaired by the next pull.
  transaction(database, () => {
    const completedAtMs = clock.wallMs();
    lists.recordRead(type, { centre: baseUrl, completedAtMs, objectives: rows.size });
    lists.purgeMissing(type, completedAtMs - MISSING_RETENTION_MS);
    if (added.length + changed.length + missing.length === 0) return;
    const otherwise = lists
      .differences(type, NAMES_MAX)
      .filter(({ there }) => there !== null)
      .map(({ id, here, there }) => ({ id, here, there }));
    const detail = otherwise.length === 0 ? counts : { ...counts, otherwise };
    const event = { event: "objectives-changed", who: "sync", from: DISPATCH_CENTRE } as const;
    new EventLog(database).add({ ...event, subject: type, detail }, completedAtMs);
  });
  log.info("objectives-pulled", { type, objectives: rows.size, ...counts });
}
