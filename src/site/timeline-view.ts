import type { LoggedEvent } from "../domain/event.ts";
import type { JourneyView } from "./journey-view.ts";
import type { SyncRecordStatus } from "./sync-view.ts";

/** One entry of the timeline: event, actor, origin and subject. */
export type TimelineEntry = Pick<LoggedEvent, "at" | "who" | "from" | "subject" | "detail"> & {
  /** One of the event log's names, or `trip`, `standing`, `restore`, `fault`, `fault-over`, `signal`. */
  readonly event: string;
};

/** History of one intervention with its sync state. */
export interface HistoryView {
  /** Its trips and events, newest first; at most 200 of each. */
  readonly entries: readonly TimelineEntry[];
  /** Its sync state; null without an outbox entry. */
  readonly sync: SyncRecordStatus | null;
  /** How far it has come, done or not; null if it does not exist, for a record of a user that is sent nowhere, and at a centre. */
  readonly journey: JourneyView | null;
  /** Ids of the zones whose openings it has. */
  readonly zones: readonly string[];
  /** The fields whose present value the dispatch centre has set, as far as the event log still has the change. */
  readonly setThere: readonly DispatcherChangeView[];
}

/** A field of a record whose value came from the dispatch centre. */
export interface DispatcherChangeView {
  readonly field: string;
  /** When this site learned of it, ISO 8601 UTC. */
  readonly at: string;
}
