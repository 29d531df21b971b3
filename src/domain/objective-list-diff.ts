/** Changes between the stored and a newly read objective list. */
export type ListDiff =
  | {
      readonly kind: "taken";
      /** Ids that were not listed before. */
      readonly added: readonly number[];
      /** Ids with a changed description. */
      readonly changed: readonly number[];
      /** Ids that are no longer listed. */
      readonly missing: readonly number[];
    }
  /** The list is rejected as implausible: the stored one stays. */
  | { readonly kind: "refused"; readonly reason: string };

/** A list that has lost more than this share of its objectives is rejected as implausible. */
const MAX_LOSS_RATIO = 0.5;

/**
 * Compares a complete list with the stored one.
 * @param kept all stored objectives by id: description as JSON, and since when it is missing
 * @param read the list by id: description as JSON
 * @param isLossAccepted whether an operator has confirmed the loss
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
      reason: `${missing.length} of ${listed.size} objectives are missing`,
    };
  const added = [...read.keys()].filter((id) => !listed.has(id));
  const changed = [...read].filter(([id, data]) => (listed.get(id)?.data ?? data) !== data).map(([id]) => id);
  return { kind: "taken", added, changed, missing };
}
