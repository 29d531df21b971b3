import type { Trip } from "../../domain/trip.ts";
import type { HistoryView, TimelineEntry } from "./journal-view.ts";

/** Trips and the timeline of the site. */
export interface TimelinePort {
  /** Trips, newest first. */
  trips(limit: number): readonly Trip[];
  /**
   * Event log and trips merged by time, newest first.
   * @param after end of the previous page; undefined for the first one
   */
  page(limit: number, after: TimelineCursor | undefined): JournalPage;
  /** Position of the newest entries. */
  place(): TimelineCursor;
  /** History of an intervention; empty if it does not exist. */
  history(interventionId: number): HistoryView;
}

/** Position in the two tables: only entries with smaller numbers follow. */
export interface TimelineCursor {
  readonly event: number;
  readonly trip: number;
}

export interface JournalPage {
  readonly entries: readonly TimelineEntry[];
  /** Start of the next page; null after the oldest entry. */
  readonly next: TimelineCursor | null;
}
