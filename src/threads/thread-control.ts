import type { ThreadUse } from "../ops/thread-use.ts";

/** The component `thread` of every thread: its start, its end and its sign of life. */
export interface ThreadControl<Started> {
  /** Starts everything. Called once, before the other components. */
  start(): Promise<Started>;
  /** Ends everything in order. Called once. */
  stop(): Promise<void>;
  /** @returns what it uses, and its longest delay since the last ping */
  ping(): ThreadUse;
}
