/** State of the link to the dispatch centre. */
export interface LinkStatus {
  /** `none`: standalone. `unknown`: nothing has been sent since the start. */
  readonly state: "none" | "unknown" | "up" | "down";
  /** Why it is down; null otherwise. */
  readonly reason: string | null;
  /** Next attempt, ISO 8601 UTC; null if it is not down or due now. */
  readonly nextAttemptAt: string | null;
  /** Last successful response, to ten seconds, ISO 8601 UTC; null if there was none since the start. */
  readonly answeredAt: string | null;
}

/** Without a dispatch centre. */
export const STANDALONE: LinkStatus = { state: "none", reason: null, nextAttemptAt: null, answeredAt: null };
