import type { Difference, DifferenceKind } from "./difference.ts";
import { markersIn, ownKeyIn } from "./marker.ts";
import { identityOf, type KnownRecord, type MatchCandidate } from "./match-candidate.ts";

/** One record of this site as it is held against the centre's list. */
export interface ComparedRecord extends KnownRecord {
  readonly interventionId: number;
  readonly name: string;
  readonly upstreamId: number | null;
  /**
   * - `there`: it should be at the centre, and nothing is on its way. `not-there`: it was deleted here, and there too.
   * - `moving`: nothing is said about it yet.
   */
  readonly wanted: "there" | "not-there" | "moving";
}

/**
 * Holds this site's records against a complete list of the centre's.
 * @param siteRef tells this site's markers from those of others
 * @param isFinished whether a record there that is not known here may have been removed here with age
 */
export function compareWithCentre(
  records: readonly ComparedRecord[],
  rows: readonly MatchCandidate[],
  { siteRef, isFinished }: { siteRef: string; isFinished: (row: MatchCandidate) => boolean },
): { readonly here: number; readonly there: number; readonly differences: readonly Difference[] } {
  const byMarker = new Map<string, MatchCandidate[]>();
  const known = new Set(records.map(({ marker }) => marker));
  const isOwn = (marker: string): boolean =>
    known.has(marker) || ownKeyIn({ notes: marker }, siteRef) !== undefined;
  for (const row of rows)
    for (const marker of new Set(markersIn(row).filter(isOwn)))
      byMarker.set(marker, [...(byMarker.get(marker) ?? []), row]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const differences: Difference[] = [];
  let there = 0;
  for (const record of records) {
    const copies = copiesOf(record, byMarker.get(record.marker) ?? [], byId);
    byMarker.delete(record.marker);
    if (record.wanted === "moving") continue;
    there += copies.length;
    const kind = differenceOf(record, copies, byId);
    if (kind) differences.push(told(kind, record.interventionId, record.name, copies));
  }
  for (const copies of byMarker.values()) {
    const unknown = copies.filter((row) => !isFinished(row));
    there += unknown.length;
    if (unknown.length > 0)
      differences.push(told("unknown-here", null, String(unknown[0]?.["name"]), unknown));
  }
  return { here: records.filter(({ wanted }) => wanted === "there").length, there, differences };
}

/** What is there of a record: what bears its reference, and what is demonstrably it without one. */
function copiesOf(
  record: ComparedRecord,
  marked: readonly MatchCandidate[],
  byId: ReadonlyMap<number, MatchCandidate>,
): MatchCandidate[] {
  const linked = record.upstreamId === null ? undefined : byId.get(record.upstreamId);
  if (!linked || marked.includes(linked) || identityOf(linked, record) !== "ours") return [...marked];
  return [...marked, linked];
}

function differenceOf(
  { wanted, upstreamId }: ComparedRecord,
  copies: readonly MatchCandidate[],
  byId: ReadonlyMap<number, MatchCandidate>,
): DifferenceKind | undefined {
  if (wanted === "not-there") return copies.length > 0 ? "alive-there" : undefined;
  if (copies.length > 1) return "twice-there";
  if (copies.length === 0) return upstreamId !== null && byId.has(upstreamId) ? "anothers" : "missing-there";
  return undefined;
}

function told(
  kind: DifferenceKind,
  interventionId: number | null,
  name: string,
  copies: readonly MatchCandidate[],
): Difference {
  return { kind, interventionId, upstreamIds: copies.map(({ id }) => id).sort((a, b) => a - b), name };
}

/** Whether two differences are the same one, seen again. */
export function isSameDifference(one: Difference, other: Difference): boolean {
  return one.kind === other.kind && one.interventionId === other.interventionId && one.name === other.name;
}
