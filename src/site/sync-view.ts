import type { TraitFinding } from "../domain/centre-trait.ts";
import type { Difference } from "../domain/difference.ts";
import type { LinkStatus } from "../domain/link-status.ts";
import type { ObjectiveSource, ObjectiveType } from "../domain/objective.ts";
import type { ShownPhase } from "../domain/shown-phase.ts";
import type { OutboxSummary } from "../domain/outbox.ts";

export type LinkView = LinkStatus;

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
  /**
   * Records that are not synced, in sending order: at most 200 that are queued, 200 that wait for their objective, and 200 that
   * are rejected, deleted by the centre or unconfirmed.
   */
  readonly records: readonly SyncRecordView[];
  /** Whether `records` has all of them: only then a record that it does not have is synced. */
  readonly isComplete: boolean;
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
  /** ISO 8601 UTC, not before that of the link; null if it is due now or needs attention. */
  readonly nextAttemptAt: string | null;
  /** The last response as text; null if there was none. */
  readonly lastResponse: string | null;
}

/** Sync state of one record. */
export type SyncRecordStatus = SyncRecordView & { readonly isSynced: boolean };

/** The objective mirror. */
export interface ObjectivesView {
  /** URL of the dispatch centre; null for a standalone daemon. */
  readonly centre: string | null;
  /** One for each objective type, in the order of the contract. */
  readonly lists: readonly ObjectiveListView[];
  /** Progress of a running pull; null otherwise. */
  readonly reading: { readonly type: ObjectiveType; readonly read: number } | null;
  /** Objectives that differ between site and dispatch centre; at most 200 of each type. */
  readonly differences: readonly ObjectiveDifferenceView[];
}

export interface ObjectiveListView {
  readonly type: ObjectiveType;
  /** Number of objectives; null if the list has never been pulled completely. */
  readonly objectives: number | null;
  /** Time of the last complete pull, ISO 8601 UTC; null for never. */
  readonly readAt: string | null;
  /** Result of the last attempt since the start; null before the first. `rejected`: implausible. `failed`: not read. */
  readonly lastAttempt: "accepted" | "rejected" | "failed" | null;
  /** Reason as text; null if it was accepted. */
  readonly reason: string | null;
}

export interface ObjectiveDifferenceView {
  readonly type: ObjectiveType;
  readonly id: number;
  /** Source of the local data. */
  readonly source: ObjectiveSource;
  readonly localName: string;
  /** Last known name at the dispatch centre; null if it was never listed. */
  readonly upstreamName: string | null;
  /** Time since which it is no longer listed, ISO 8601 UTC; null if it is listed or never was. */
  readonly missingSince: string | null;
}
