import { isUnlikeSent, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { UpstreamClient } from "../upstream-client.ts";
import { isMatchCandidate } from "./pageless-list.ts";
import type { SearchOutcome } from "./record-search.ts";

/** Records read one by one: as many as a busy centre creates at one objective while a response is late. */
const RECORDS_READ_MAX = 32;

/**
 * Completes a search in a list that shows less of a record than a read of it: without its texts, which have the marker, ours
 * cannot be found.
 * @param sent what is searched for: rows that are unlike it are not read
 */
export async function withTexts(
  centre: UpstreamClient,
  found: SearchOutcome,
  sent: UpstreamRecord,
): Promise<SearchOutcome> {
  if (found.kind === "undetermined") return found;
  const whole = new Map(found.rows.map((row) => [row.id, row]));
  const shortened = found.rows.filter((row) => isShortened(row) && !isUnlikeSent(row, sent));
  for (const { id } of shortened.slice(0, RECORDS_READ_MAX)) {
    const outcome = await centre.record(id);
    if (outcome.link !== "ok") return { kind: "undetermined", outcome, seen: [...whole.values()] };
    if (isMatchCandidate(outcome.value) && outcome.value.id === id) whole.set(id, outcome.value);
  }
  return { ...found, rows: [...whole.values()] };
}

function isShortened({ notes, description }: MatchCandidate): boolean {
  return notes === undefined && description === undefined;
}
