/** State of the link to the dispatch centre. */
export interface LinkStatus {
  /** `none`: standalone. `unknown`: nothing has been sent since the start. */
  readonly state: "none" | "unknown" | "up" | "down";
  /** Why it is down; null otherwise. */
  readonly reason: string | null;
  /** The same as a word, for a text that says what to do; null otherwise. */
  readonly cause: LinkCause | null;
  /** Next attempt, in `/site/status` and `/site/sync` that of an alarm that waits, ISO 8601 UTC; null if it is not down or due now. */
  readonly nextAttemptAt: string | null;
  /** The same for an alarm, which waits a minute at most. */
  readonly alarmNextAttemptAt: string | null;
  /** Last successful response, to ten seconds, ISO 8601 UTC; null if there was none since the start. */
  readonly answeredAt: string | null;
}

/** The link as users see it: it is tried next for an alarm that waits, which is sooner than for the others. */
export function shownLink(
  link: LinkStatus,
  { waitingAlarms }: { readonly waitingAlarms: number },
): LinkStatus {
  return waitingAlarms > 0 ? { ...link, nextAttemptAt: link.alarmNextAttemptAt } : link;
}

/** Without a dispatch centre. */
export const STANDALONE: LinkStatus = {
  state: "none",
  reason: null,
  cause: null,
  nextAttemptAt: null,
  alarmNextAttemptAt: null,
  answeredAt: null,
};

/**
 * Why the link is down, by what a person has to do about it. `name`: not resolved by DNS. `refused`: nothing listens there.
 * `network`: no route. `certificate`: not trusted. `certificate-name`, `certificate-time`: of another host, or not valid now.
 * `tls`: no TLS. `broken`: the connection ends before the response. `busy`: no requests are taken now. `sign-in`: the account
 * is rejected. `forbidden`: the account has no access. `other-service`: something else responds.
 */
export type LinkCause =
  | "name"
  | "refused"
  | "timeout"
  | "network"
  | "certificate"
  | "certificate-name"
  | "certificate-time"
  | "tls"
  | "broken"
  | "busy"
  | "sign-in"
  | "forbidden"
  | "other-service"
  | "other";
