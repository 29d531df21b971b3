import type { TraitFinding } from "../../domain/centre-trait.ts";
import type { Difference } from "../../domain/difference.ts";
import type { ShownPhase } from "../../domain/shown-phase.ts";
import type { OutboxSummary } from "../../domain/outbox-summary.ts";

/** The way to the centre, and what waits on it. */
export interface SyncPort {
  view(): SyncView;
  /** How the link has stood in the last so many hours, and how long records have waited. */
  history(hours: number): LinkHistoryView;
  /** Makes everything due, works through it once, and tells what is left. */
  now(): Promise<SyncView>;
  /**
   * Tries the centre with test records, and removes them.
   * @throws AppError `conflict` for a daemon without a centre
   */
  tryCentre(): Promise<CentreTrialView>;
  /**
   * What a person does about one record that does not reach the centre by itself.
   * @throws AppError `not-found`; `conflict` where it makes no sense, or the centre cannot be read now
   */
  act(interventionId: number, action: SyncAction): Promise<SyncView>;
}

/** `none`: there is no centre. `unknown`: nothing has been sent since the start. */
export interface LinkView {
  readonly state: "none" | "unknown" | "up" | "down";
  /** Why it is down, in words; null otherwise. */
  readonly reason: string | null;
  /** When it is tried again, ISO 8601 UTC; null when it is not down, or due now. */
  readonly nextAttemptAt: string | null;
  /** When the centre has answered well for the last time, to ten seconds, ISO 8601 UTC; null when not since the start. */
  readonly answeredAt: string | null;
}

/** What a try of the centre has shown, in the order in which it was found out. */
export interface CentreTrialView {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly findings: readonly TraitFinding[];
}

/** This site's records held against the centre's list. */
export interface ComparisonView {
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Records that should be at the centre, and records there that are this site's. */
  readonly here: number;
  readonly there: number;
  readonly differing: number;
  /** The first hundred that differ. */
  readonly differences: readonly DifferenceView[];
}

export type DifferenceView = Difference & {
  /** What differs, in words. */
  readonly text: string;
};

/** 288 stretches of equal length, the oldest first. */
export interface LinkHistoryView {
  /** ISO 8601 UTC. */
  readonly since: string;
  readonly until: string;
  readonly intervals: readonly LinkStretchView[];
}

export interface LinkStretchView {
  /** For which part of it the link was up or down, 0 to 1; what is missing to 1 nobody knows. */
  readonly up: number;
  readonly down: number;
  /** The highest age of a record that had not left, seconds; null when nobody looked. */
  readonly oldestUnsentS: number | null;
}

export interface SyncView {
  readonly link: LinkView;
  readonly summary: OutboxSummary;
  /** The last comparison with the centre's list; null before the first. */
  readonly comparison: ComparisonView | null;
  /** Records that are not at rest, in the order in which they leave; at most 200. */
  readonly records: readonly SyncRecordView[];
}

/** `retry`: now, and anew where the centre has deleted it. `drop`: never. `reassert`: what is here wins there. */
export type SyncAction = "retry" | "drop" | "reassert";

export interface SyncRecordView {
  readonly interventionId: number;
  readonly name: string;
  readonly phase: ShownPhase;
  /** The phase in words, with what happens next. */
  readonly text: string;
  readonly upstreamId: number | null;
  readonly attempts: number;
  /** ISO 8601 UTC; null when it is due now or waits for a person. */
  readonly nextAttemptAt: string | null;
  /** The last answer in words; null when there was none. */
  readonly lastResponse: string | null;
}

/** One record's place, and whether nothing is left to do there. */
export type SyncRecordStatus = SyncRecordView & { readonly isSynced: boolean };
