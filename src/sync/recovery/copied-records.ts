import type { Difference } from "../../domain/difference.ts";
import type { SyncContext } from "../context.ts";

/**
 * Whether a dispatcher has copied a record with its reference. A centre with idempotency keys creates no second one for a
 * request that was never in doubt.
 */
export function isCopied({ store }: Pick<SyncContext, "store">, difference: Difference): boolean {
  const { kind, interventionId } = difference;
  if (kind !== "twice-there" || interventionId === null || !store.facts.honoursKeys) return false;
  const entry = store.outbox.find(interventionId);
  return entry?.phase === "linked" && !entry.possiblyDuplicated;
}

/** Reports a copy; the site deletes neither of the two. */
export function reportCopy({ store }: Pick<SyncContext, "store">, difference: Difference): void {
  const { interventionId, upstreamIds } = difference;
  if (interventionId === null) return;
  const { upstreamId } = store.entry(interventionId);
  const copies = upstreamIds.filter((id) => id !== upstreamId).join(", ");
  store.write(() =>
    store.recordConflict(interventionId, "copied", {
      reason: `the dispatch centre has a copy of this record (${copies} besides ${upstreamId}) that this site did not create; if it is not needed, delete it there`,
    }),
  );
}
