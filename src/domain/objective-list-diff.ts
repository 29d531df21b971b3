/** What a complete reading of one of the centre's lists changes in what is kept of it. */
export type ListDiff =
  | {
      readonly kind: "taken";
      /** Ids that were not listed before. */
      readonly added: readonly number[];
      /** Ids that are described otherwise than before. */
      readonly changed: readonly number[];
      /** Ids that were listed and are not any more. */
      readonly missing: readonly number[];
    }
  /** The list is more likely a fault of the centre than the truth: what was known stays. */
  | { readonly kind: "refused"; readonly reason: string };

/** A list that has lost more than this part of what it had is not believed. */
const MAX_LOSS_RATIO = 0.5;

/**
 * Compares a list that was read to its end with what is kept of it.
 * @param kept everything that is kept, by id: its description as JSON, and since when it is missing
 * @param read the list, by id: each description as JSON
 * @param isLossAccepted somebody has said that the list is right, however much it has lost
 */
export function compareLists(
  kept: ReadonlyMap<number, { readonly data: string; readonly missingSinceMs: number | null }>,
  read: ReadonlyMap<number, string>,
  isLossAccepted: boolean,
): ListDiff {
  const listed = new Map([...kept].filter(([, { missingSinceMs }]) => missingSinceMs === null));
  const missing = [...listed.keys()].filter((id) => !read.has(id));
  if (!isLossAccepted && missing.length > listed.size * MAX_LOSS_RATIO)
    return {
      kind: "refused",
      reason: `it lacks ${missing.length} of the ${listed.size} objectives that it had`,
    };
  const added = [...read.keys()].filter((id) => !listed.has(id));
  const changed = [...read].filter(([id, data]) => (listed.get(id)?.data ?? data) !== data).map(([id]) => id);
  return { kind: "taken", added, changed, missing };
}
