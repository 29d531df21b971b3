import type { ObjectiveSource, ObjectiveType } from "../domain/objective.ts";

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
