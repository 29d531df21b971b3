import type { TraitFinding } from "../../domain/centre-trait.ts";
import type { Difference } from "../../domain/difference.ts";
import type { ShownPhase } from "../../domain/shown-phase.ts";
import type { OutboxSummary } from "../../domain/outbox.ts";

/** State of the sync and actions on it. */
export interface SyncPort {
  view(): SyncView;
  /** Link states and waiting times of the last `hours`. */
  history(hours: number): LinkHistoryView;
  /** Retries everything now. @returns the remaining records */
  now(): Promise<SyncView>;
  /**
   * Tests the dispatch centre with records that are removed again.
   * @throws AppError `conflict` for a standalone daemon
   */
  tryCentre(): Promise<CentreTrialView>;
  /**
   * Runs an action on one record that needs attention.
   * @throws AppError `not-found`; `conflict` if the action does not apply or the dispatch centre cannot be read now
   */
  act(interventionId: number, action: SyncAction): Promise<SyncView>;
}

/** `none`: standalone. `unknown`: nothing has been sent since the start. */
export interface LinkView {
  readonly state: "none" | "unknown" | "up" | "down";
  /** Why it is down; null otherwise. */
  readonly reason: string | null;
  /** Next attempt, ISO 8601 UTC; null if it is not down or due now. */
  readonly nextAttemptAt: string | null;
  /** Last successful response, to ten seconds, ISO 8601 UTC; null if there was none since the start. */
  readonly answeredAt: string | null;
}

/** Result of a test of the dispatch centre, in the order of the checks. */
export interface CentreTrialView {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly findings: readonly TraitFinding[];
}

/** Comparison of this site's records with the dispatch centre. */
export interface ComparisonView {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Records that should be at the dispatch centre, and records of this site that are there. */
  readonly here: number;
  readonly there: number;
  readonly differing: number;
  /** The first hundred differences. */
  readonly differences: readonly DifferenceView[];
}

export type DifferenceView = Difference & {
  /** Description of the difference. */
  readonly text: string;
};

/** 288 intervals of equal length, oldest first. */
export interface LinkHistoryView {
  /** ISO 8601 UTC. */
  readonly since: string;
  readonly until: string;
  readonly intervals: readonly LinkStretchView[];
}

export interface LinkStretchView {
  /** Share of the interval with the link up or down, 0 to 1; the rest is unknown. */
  readonly up: number;
  readonly down: number;
  /** Maximum age of an unsent record, seconds; null without samples. */
  readonly oldestUnsentS: number | null;
}

export interface SyncView {
  readonly link: LinkView;
  readonly summary: OutboxSummary;
  /** Last comparison with the dispatch centre; null before the first. */
  readonly comparison: ComparisonView | null;
  /** Records that are not synced, in sending order; at most 200. */
  readonly records: readonly SyncRecordView[];
}

/** `retry`: send now, also if deleted at the centre. `drop`: never send. `reassert`: overwrite with the local values. */
export type SyncAction = "retry" | "drop" | "reassert";

export interface SyncRecordView {
  readonly interventionId: number;
  readonly name: string;
  readonly phase: ShownPhase;
  /** The phase as text, with the next step. */
  readonly text: string;
  readonly upstreamId: number | null;
  readonly attempts: number;
  /** ISO 8601 UTC; null if it is due now or needs attention. */
  readonly nextAttemptAt: string | null;
  /** The last response as text; null if there was none. */
  readonly lastResponse: string | null;
}

/** Sync state of one record. */
export type SyncRecordStatus = SyncRecordView & { readonly isSynced: boolean };
