/** Comparison of the site's records with those at the dispatch centre. */
export interface Comparison {
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
  /** Records that should be at the centre. */
  readonly here: number;
  /** Records of this site at the centre. Equal to `here` if nothing differs. */
  readonly there: number;
  /** Number of differences. */
  readonly differing: number;
  /** The first differences by name, at most a hundred. */
  readonly differences: readonly Difference[];
}

/**
 * - `missing-there`: not in the centre's list. `anothers`: its id there belongs to another record.
 * - `twice-there`: more than one record there has its marker. `alive-there`: deleted here but still there.
 * - `unknown-here`: has this site's marker but is unknown here.
 */
export type DifferenceKind = "missing-there" | "anothers" | "twice-there" | "alive-there" | "unknown-here";

export interface Difference {
  readonly kind: DifferenceKind;
  /** Null for a record that is unknown here. */
  readonly interventionId: number | null;
  /** Ids at the centre, in ascending order. */
  readonly upstreamIds: readonly number[];
  readonly name: string;
}
