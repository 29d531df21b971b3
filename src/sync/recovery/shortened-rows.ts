import { INTERVENTION_FIELDS } from "../../domain/intervention.ts";
import { markersIn } from "../../domain/marker.ts";
import { isMarkedAs, isUnlikeSent, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { OutboxEntry } from "../../domain/outbox.ts";
import type { SyncContext } from "../context.ts";
import type { ReadOutcome } from "../reply-classification.ts";
import type { SyncStore } from "../sync-store.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { isMatchCandidate } from "./pageless-list.ts";
import type { SearchOutcome } from "./record-search.ts";

/*
 * A list may show less of a record than a read of it: without its texts, with their beginnings, without dates or invoices. What
 * must be known of a row is then read by its id.
 */

/** Records read one by one for one that is searched for: as many as a busy centre creates at one objective while a response is late. */
const RECORDS_READ_MAX = 32;
/** The same for all that are searched for in one list. */
const ALL_READ_MAX = 320;

/**
 * Completes the rows of a complete search that may be one of the records searched for, and those of their linked records if there
 * are any: without the reference ours cannot be found, and without the other fields a dispatcher's work is not seen.
 * @param entries what is searched for; rows that are unlike it, or belong to another record here, are not read
 * @returns undetermined if the link was lost
 */
export async function withTexts(
  { store }: Pick<SyncContext, "store">,
  centre: UpstreamClient,
  found: SearchOutcome,
  entries: readonly OutboxEntry[],
): Promise<SearchOutcome> {
  if (found.kind === "undetermined") return found;
  const byId = new Map(found.rows.map((row) => [row.id, row]));
  const list = {
    byId,
    unmarked: found.rows.filter((row) => markersIn(row).length === 0),
    shortenedMarked: found.rows.filter((row) => isShortened(row) && markersIn(row).length > 0),
  };
  const doubtful = new Set(entries.flatMap((entry) => doubtfulOf(store, entry, list)));
  for (const id of [...doubtful].slice(0, ALL_READ_MAX)) {
    const outcome = await centre.record(id);
    if (!hasAnswered(outcome)) return { kind: "undetermined", outcome, seen: [...byId.values()] };
    if (isMatchCandidate(outcome.value) && outcome.value.id === id) byId.set(id, outcome.value);
  }
  return { ...found, rows: [...byId.values()] };
}

/** Whether the read of a record was answered, also with a denial: an account may list more records than it may read. */
export function hasAnswered({ link, code, mayBeRecordSpecific }: ReadOutcome): boolean {
  return link === "ok" || (mayBeRecordSpecific === true && /^4\d\d$/.test(code));
}

interface ListedRows {
  readonly byId: ReadonlyMap<number, MatchCandidate>;
  readonly unmarked: readonly MatchCandidate[];
  readonly shortenedMarked: readonly MatchCandidate[];
}

/** Ids of the rows that may be another record of an entry, with that of its linked one; none if the list shows that there are none. */
function doubtfulOf(
  store: SyncStore,
  entry: OutboxEntry,
  { byId, unmarked, shortenedMarked }: ListedRows,
): readonly number[] {
  const [marker, sent] = [store.markerSent(entry), store.sentOf(entry)];
  const isMarked = store.isMarked && store.facts.lostReference === null;
  const linked = entry.upstreamId === null ? undefined : byId.get(entry.upstreamId);
  // Another record of the same request would show the reference as well.
  const areTextsShown = linked !== undefined && isMarkedAs(linked, marker);
  const mayBeOurs = (row: MatchCandidate): boolean =>
    (isMarked || isShortened(row)) &&
    !isUnlikeSent(row, sent) &&
    store.outbox.findByUpstreamId(row.id) === undefined;
  const copies = shortenedMarked.filter((row) => row !== linked && isMarkedAs(row, marker));
  const others = isMarked && areTextsShown ? [] : unmarked.filter(mayBeOurs).slice(0, RECORDS_READ_MAX);
  const ids = [...copies, ...others].map(({ id }) => id);
  const needsLinked = linked !== undefined && ids.length > 0 && (isShortened(linked) || !areTextsShown);
  return needsLinked ? [...ids, linked.id] : ids;
}

/** Whether a row lacks a field that the contract has. */
function isShortened(row: MatchCandidate): boolean {
  return [...INTERVENTION_FIELDS, "invoicePdf"].some((field) => row[field] === undefined);
}
