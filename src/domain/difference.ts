/** What the site has and what its centre has of it, record by record. */
export interface Comparison {
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
  /** Records that should be at the centre. */
  readonly here: number;
  /** Records there that are this site's. Equal to `here` where nothing differs. */
  readonly there: number;
  /** How many differ. */
  readonly differing: number;
  /** The first of them by name, at most a hundred. */
  readonly differences: readonly Difference[];
}

/**
 * - `missing-there`: the centre's list does not have it. `anothers`: its id there is another record's.
 * - `twice-there`: more than one there bears its reference. `alive-there`: it is deleted here and still there.
 * - `unknown-here`: it bears this site's reference, and this site does not know it.
 */
export type DifferenceKind = "missing-there" | "anothers" | "twice-there" | "alive-there" | "unknown-here";

export interface Difference {
  readonly kind: DifferenceKind;
  /** Null for a record that is not known here. */
  readonly interventionId: number | null;
  /** Ids there, the lowest first. */
  readonly upstreamIds: readonly number[];
  readonly name: string;
}
