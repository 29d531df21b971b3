import type { Trip } from "../../domain/trip.ts";
import type { HistoryView, TimelineEntry } from "./journal-view.ts";

/** What has happened at the site: the journal's trips, and the event log laid into them. */
export interface TimelinePort {
  /** The newest trips first. */
  trips(limit: number): readonly Trip[];
  /**
   * The event log and the trips as one story, the newest first.
   * @param after where an earlier page ended; undefined for the first one
   */
  page(limit: number, after: TimelineCursor | undefined): JournalPage;
  /** The newest entries of both tables of that story. */
  place(): TimelineCursor;
  /** What was written down about an intervention; empty for one that never was. */
  history(interventionId: number): HistoryView;
}

/** How far the two tables have been read: only entries with smaller numbers follow. */
export interface TimelineCursor {
  readonly event: number;
  readonly trip: number;
}

export interface JournalPage {
  readonly entries: readonly TimelineEntry[];
  /** Where the next page begins; null behind the oldest entry. */
  readonly next: TimelineCursor | null;
}
