import { identityOf, isUnchanged, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { UpstreamRecord } from "../../domain/merge.ts";
import type { SyncContext } from "../context.ts";

/**
 * Deletes duplicates that are still as the list has shown them: a dispatcher may have begun to work on one since, or may have deleted
 * the record that is kept.
 * @returns whether all were deleted; otherwise the next sweep decides on what is there then
 */
export async function removeDuplicates(
  context: SyncContext,
  interventionId: number,
  duplicates: readonly MatchCandidate[],
): Promise<boolean> {
  const { centre, linkFaults, log } = context;
  for (const duplicate of duplicates) {
    const seen = await centre.record(duplicate.id);
    await linkFaults.note(seen, interventionId);
    const row = seen.value as MatchCandidate | undefined;
    if (row?.id !== duplicate.id || !isUnchanged(row, duplicate)) return false;
    if (!(await isOtherKept(context, interventionId, duplicate))) return false;
    const outcome = await centre.remove(duplicate.id);
    await linkFaults.note(outcome, interventionId);
    if (outcome.event !== "removed") return false;
    log.info("duplicate-deleted", { interventionId, upstreamId: duplicate.id });
  }
  return true;
}

/** Whether the centre has the linked record, read just before the other one is deleted. None is kept of a record that was deleted here. */
async function isOtherKept(
  { centre, store, linkFaults }: SyncContext,
  interventionId: number,
  { id }: MatchCandidate,
): Promise<boolean> {
  const { deleted, upstreamId, phase } = store.entry(interventionId);
  if (deleted) return true;
  if (phase !== "linked" || upstreamId === null || upstreamId === id) return false;
  const seen = await centre.record(upstreamId);
  await linkFaults.note(seen, interventionId);
  const row = seen.value as MatchCandidate | undefined;
  const entry = store.entry(interventionId);
  if (row?.id !== upstreamId || entry.upstreamId !== upstreamId || entry.phase !== "linked") return false;
  const base = JSON.parse(entry.base ?? "{}") as UpstreamRecord;
  return identityOf(row, { marker: store.markerSent(entry), base, watermark: entry.watermark }) === "ours";
}
