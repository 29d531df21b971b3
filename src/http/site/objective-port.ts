import type { ObjectiveSource, ObjectiveType } from "../../domain/objective.ts";

/** The copy of the centre's objectives. */
export interface ObjectivePort {
  view(): ObjectivesView;
  /**
   * Reads the centre's lists now, and tells what became of each.
   * @param options isLossAccepted: takes a list also when most of what it had is missing
   * @throws AppError `conflict` for a daemon that stands alone
   */
  pull(options: { readonly isLossAccepted: boolean }): Promise<ObjectivesView>;
}

export interface ObjectivesView {
  /** Address of the centre; null for a daemon that stands alone. */
  readonly centre: string | null;
  /** One for each kind, in the interface's order. */
  readonly lists: readonly ObjectiveListView[];
  /** What is being read now; null while nothing is. */
  readonly reading: { readonly type: ObjectiveType; readonly read: number } | null;
  /** Objectives about which this site and the centre do not say the same; at most 200 of each kind. */
  readonly differences: readonly ObjectiveDifferenceView[];
}

export interface ObjectiveListView {
  readonly type: ObjectiveType;
  /** How many objectives the copy has; null where the list was never read to its end. */
  readonly objectives: number | null;
  /** When the copy was last found to be the centre's list, ISO 8601 UTC; null for never. */
  readonly readAt: string | null;
  /** What became of the last try since the start; null before the first. */
  readonly lastAttempt: "taken" | "refused" | "failed" | null;
  /** Why that was not taken, in words; null when it was. */
  readonly reason: string | null;
}

export interface ObjectiveDifferenceView {
  readonly type: ObjectiveType;
  readonly id: number;
  /** Where this site's own description comes from. */
  readonly source: ObjectiveSource;
  readonly localName: string;
  /** Its name at the centre, the last that was known; null where the centre has never listed it. */
  readonly upstreamName: string | null;
  /** Since when the centre no longer lists it, ISO 8601 UTC; null while it does, or never did. */
  readonly missingSince: string | null;
}
