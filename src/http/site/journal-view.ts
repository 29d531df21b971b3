import type { LoggedEvent } from "../../domain/event.ts";
import type { SyncRecordStatus } from "./sync-port.ts";

/** One line of the site's story: what happened, by whom and from where, to what. */
export type TimelineEntry = Pick<LoggedEvent, "at" | "who" | "from" | "subject" | "detail"> & {
  /** One of the event log's names, or `trip`, `standing`, `restore`, `fault`, `fault-over`, `signal`. */
  readonly event: string;
};

/** What was written down about one intervention, and how far it is on its way to the centre. */
export interface HistoryView {
  /** Its trips and what was done to it, the newest first; at most 200 of each. */
  readonly entries: readonly TimelineEntry[];
  /** Its place in the outbox, and whether nothing is left to do there; null when it has none. */
  readonly sync: SyncRecordStatus | null;
}
