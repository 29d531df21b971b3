import type { ObjectiveType } from "../../domain/objective.ts";

/** The outcome of reading one objective list. */
export interface ListOutcome {
  readonly type: ObjectiveType;
  /** `refused`: read completely but implausible. `failed`: not read completely. */
  readonly result: "taken" | "refused" | "failed";
  /** Number of objectives read. */
  readonly read: number;
  /** Why the list was not taken; null if it was. */
  readonly reason: string | null;
}

/** Options of reading the lists. */
export interface PullOptions {
  /** Accepts a list even if most of its objectives are missing. */
  readonly isLossAccepted: boolean;
  /** Whether ETags may be used; otherwise every page is read. */
  readonly mayTrustTags?: boolean;
}

/** The list being read. */
export interface PullProgress {
  readonly type: ObjectiveType;
  readonly read: number;
}
