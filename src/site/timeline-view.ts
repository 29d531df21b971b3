import type { LoggedEvent } from "../domain/event.ts";
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
}
