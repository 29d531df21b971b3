import type { ObjectiveType } from "../domain/objective.ts";

/** What became of one list. */
export interface ListOutcome {
  readonly type: ObjectiveType;
  /** `refused`: read to its end and not plausible. `failed`: not read to its end. */
  readonly result: "taken" | "refused" | "failed";
  /** How many objectives were read. */
  readonly read: number;
  /** Why it was not taken, in words; null when it was. */
  readonly reason: string | null;
}

/** How the lists are read. */
export interface PullOptions {
  /** Takes a list also when most of what it had is missing. */
  readonly isLossAccepted: boolean;
  /** Whether the centre may say that a list is as it was; else it is read whole. */
  readonly mayTrustTags?: boolean;
}

/** What is being read now. */
export interface PullProgress {
  readonly type: ObjectiveType;
  readonly read: number;
}
