/**
 * The event log: who did what to this installation, from where, and when. Entries are only ever added; the database
 * refuses to change one.
 */
export interface LoggedEvent {
  readonly seq: number;
  /** ISO 8601 UTC, by the wall clock. */
  readonly at: string;
  readonly event: EventName;
  /** E-mail address of the account, or what acted where no account did, such as `control socket`. */
  readonly who: string;
  /** Network address, or `control socket`, `command line`, `dispatch centre`. */
  readonly from: string;
  /** What it was done to, such as `intervention 12` or `account ana@example.ro`. */
  readonly subject: string;
  readonly detail: EventDetail;
}

export type NewEvent = Omit<LoggedEvent, "seq" | "at">;

/** JSON, so that whatever somebody wrote into a name stays one line. */
export type EventDetail = Readonly<Record<string, unknown>>;

/** Who acts, and from where. */
export interface Actor {
  readonly who: string;
  readonly from: string;
}

/** Every kind of entry. The page docs/operating.md explains each one. */
export const EVENT_NAMES = [
  "signed-in",
  "sign-in-failed",
  "sign-in-blocked",
  "forbidden",
  "intervention-created",
  "intervention-changed",
  "intervention-deleted",
  "account-added",
  "account-password-set",
  "account-role-changed",
  "account-disabled",
  "account-enabled",
  "signing-key-rotated",
  "signing-key-forgotten",
  "sync-conflict",
  "objectives-changed",
  "database-recovered",
  "database-restored",
  "data-lost",
  "backup-downloaded",
  "restart-ordered",
  "reload-applied",
  "reload-rejected",
  "log-detailed",
  "zone-bypassed",
  "zone-restored",
  "walk-test-started",
  "walk-test-ended",
  "blind-interval",
  "opening-repeated",
] as const;

export type EventName = (typeof EVENT_NAMES)[number];
