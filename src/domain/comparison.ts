import type { Difference, DifferenceKind } from "./difference.ts";
import { markersIn, ownKeyIn } from "./marker.ts";
import { identityOf, type KnownRecord, type MatchCandidate } from "./match-candidate.ts";

/** Of a record that is unknown here; the contract allows as many. */
const NAME_LENGTH_MAX = 200;

/** One record of this site, for the comparison with the centre's list. */
export interface ComparedRecord extends KnownRecord {
  readonly interventionId: number;
  readonly name: string;
  readonly upstreamId: number | null;
  /**
   * - `there`: must be at the centre, with nothing in flight. `not-there`: was deleted on both sides.
   * - `moving`: cannot be compared yet.
   */
  readonly wanted: "there" | "not-there" | "moving";
}

/**
 * Compares this site's records with a complete list of the centre's.
 * @param siteRef identifies this site's markers
 * @param isFinished whether an unknown record there may have been removed here by retention
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
    if (kind) differences.push(newDifference(kind, record.interventionId, record.name, copies));
  }
  for (const copies of byMarker.values()) {
    const unknown = copies.filter((row) => !isFinished(row));
    there += unknown.length;
    if (unknown.length > 0)
      differences.push(
        newDifference("unknown-here", null, String(unknown[0]?.["name"]).slice(0, NAME_LENGTH_MAX), unknown),
      );
  }
  return { here: records.filter(({ wanted }) => wanted === "there").length, there, differences };
}

/** Copies of a record at the centre: those with its marker, and the linked one if its identity is certain without one. */
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

function newDifference(
  kind: DifferenceKind,
  interventionId: number | null,
  name: string,
  copies: readonly MatchCandidate[],
): Difference {
  return { kind, interventionId, upstreamIds: copies.map(({ id }) => id).sort((a, b) => a - b), name };
}

/** Whether two differences concern the same record in the same way. */
export function isSameDifference(one: Difference, other: Difference): boolean {
  return one.kind === other.kind && one.interventionId === other.interventionId && one.name === other.name;
}
