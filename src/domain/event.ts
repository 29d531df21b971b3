/** One entry of the event log: who did what, from where, and when. Entries are append-only; the database enforces it. */
export interface LoggedEvent {
  readonly seq: number;
  /** ISO 8601 UTC, by the wall clock. */
  readonly at: string;
  readonly event: EventName;
  /** E-mail address of the account, or another actor such as `control socket`. */
  readonly who: string;
  /** Network address, or `control socket`, `command line`, `dispatch centre`. */
  readonly from: string;
  /** Subject of the action, such as `intervention 12` or `account ana@example.ro`. */
  readonly subject: string;
  readonly detail: EventDetail;
}

export type NewEvent = Omit<LoggedEvent, "seq" | "at">;

/** JSON, so that names entered by users stay on one line. */
export type EventDetail = Readonly<Record<string, unknown>>;

/** The origin of what the sync has read from the dispatch centre. */
export const DISPATCH_CENTRE = "dispatch centre";

/** Actor and origin. */
export interface Actor {
  readonly who: string;
  readonly from: string;
}

/** All event names. docs/operating.md explains each one. */
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
  "record-arrived",
  "sync-conflict",
  "objectives-changed",
  "database-recovered",
  "database-restored",
  "data-lost",
  "backup-downloaded",
  "restart-ordered",
  "reload-applied",
  "reload-rejected",
  "configuration-changed",
  "configuration-reverted",
  "configuration-unproven",
  "zones-edited",
  "power-off-ordered",
  "output-switched",
  "output-tested",
  "log-detailed",
  "machine-confirmed",
  "plan-changed",
  "zone-bypassed",
  "zone-restored",
  "test-trip",
  "walk-test-started",
  "walk-test-extended",
  "walk-test-ended",
  "blind-interval",
  "opening-repeated",
  "site-removed",
  "alarm-panel-reported",
  "enrolment-created",
  "enrolment-revoked",
  "site-enrolled",
  "sign-ins-left-out",
] as const;

export type EventName = (typeof EVENT_NAMES)[number];
