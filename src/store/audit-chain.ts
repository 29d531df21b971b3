import { createHash } from "node:crypto";
import { isoTime } from "../domain/clock.ts";
import type { EventName, NewEvent } from "../domain/event.ts";

/* The rules of the audit trail, whatever the database: what is audited, and how entries are chained. */

/** A row of the event log. */
export interface EventRow {
  readonly seq: number;
  /** Wall clock, milliseconds since 1970. */
  readonly at: number;
  readonly event: EventName;
  readonly who: string;
  readonly origin: string;
  readonly subject: string;
  /** JSON. */
  readonly detail: string;
}

/** An entry of the audit trail. */
export interface AuditRow extends EventRow {
  readonly position: number;
  /** SHA-256 over the hash before it and this entry, in hexadecimal digits. */
  readonly hash: string;
}

/** The last entry that was removed with age; position 0 and the initial hash if none was. */
export interface TrailCut {
  readonly position: number;
  readonly hash: string;
  /** Wall clock, milliseconds since 1970; null if none was removed. */
  readonly at: number | null;
}

/**
 * Whether each event is audited: what is about access, deletion, lost data and zones or machines out of service, and each order of
 * a user. Routine events of records, sensors and outputs are not: a burglar or a loose contact could add any number of them.
 */
const AUDITED: Readonly<Record<EventName, boolean>> = {
  "signed-in": true,
  "sign-in-failed": true,
  "sign-in-blocked": true,
  forbidden: true,
  "intervention-created": false,
  "intervention-changed": false,
  "intervention-deleted": true,
  "account-added": true,
  "account-password-set": true,
  "account-role-changed": true,
  "account-disabled": true,
  "account-enabled": true,
  "signing-key-rotated": true,
  "signing-key-forgotten": true,
  "record-arrived": false,
  "sync-conflict": false,
  "objectives-changed": false,
  "database-recovered": true,
  "database-restored": true,
  "data-lost": true,
  "backup-downloaded": true,
  "restart-ordered": true,
  "reload-applied": true,
  "reload-rejected": true,
  "configuration-changed": true,
  "configuration-reverted": true,
  "configuration-unproven": true,
  "zones-edited": true,
  "power-off-ordered": true,
  "output-switched": false,
  "output-tested": true,
  "log-detailed": true,
  "machine-confirmed": true,
  "plan-changed": true,
  "zone-bypassed": true,
  "zone-restored": true,
  "test-trip": true,
  "walk-test-started": true,
  "walk-test-extended": true,
  "walk-test-ended": true,
  "blind-interval": false,
  "opening-repeated": false,
  "site-removed": true,
  "alarm-panel-reported": false,
  "enrolment-created": true,
  "enrolment-revoked": true,
  "site-enrolled": true,
  "sign-ins-left-out": true,
};

/**
 * At most one entry per account and address in ten minutes, so that a client that signs in for each request does
 * not fill the disk.
 */
const REPEATED: ReadonlySet<EventName> = new Set<EventName>([
  "signed-in",
  "sign-in-failed",
  "sign-in-blocked",
  "forbidden",
]);
export const REPEAT_WINDOW_MS = 600_000;
/**
 * Maximum entries per hour (`LIMITED_EVENTS_WINDOW_MS`) of events that need no account: for all guessed names together, because they are
 * unlimited, and for each account that exists, so that guessed names hide no attempt on it.
 */
export const LIMITED_EVENTS: ReadonlySet<EventName> = new Set<EventName>([
  "sign-in-failed",
  "sign-in-blocked",
]);
export const LIMITED_EVENTS_MAX = 100;
export const LIMITED_EVENTS_WINDOW_MS = 3_600_000;

/** The hash before the first entry. */
const INITIAL_HASH = "0".repeat(64);

/** The cut of a trail from which nothing was removed. */
export const NO_CUT: TrailCut = { position: 0, hash: INITIAL_HASH, at: null };

/** Whether an event is audited. */
export function isAudited(event: EventName): boolean {
  return AUDITED[event];
}

/** Whether repetitions of an event within `REPEAT_WINDOW_MS` are left out. */
export function isLimited(event: EventName): boolean {
  return REPEATED.has(event);
}

/**
 * Whether and why an event is left out: as a repetition, or because of the limit, and then it is counted.
 * @param repeats entries of the same event, account and address within `REPEAT_WINDOW_MS` before it
 * @param others number of entries of the same event within `LIMITED_EVENTS_WINDOW_MS` of it: those of the same account, or those of
 *   all names without one
 */
export function omissionReason(
  event: EventName,
  repeats: number,
  others: () => number,
): "repetition" | "limit" | undefined {
  if (!isLimited(event)) return undefined;
  if (repeats > 0) return "repetition";
  return LIMITED_EVENTS.has(event) && others() >= LIMITED_EVENTS_MAX ? "limit" : undefined;
}

/** Events that the limit has left out since a time. */
export interface OmittedEvents {
  readonly event: EventName;
  /** Wall clock of the first one, milliseconds since 1970. */
  readonly since: number;
  readonly entries: number;
}

/** Counts what the limit leaves out: the next entry after the hour is followed by one with the number. */
export const OMITTED_EVENTS_TABLE = `
  CREATE TABLE audit_left_out(event TEXT PRIMARY KEY, since BIGINT NOT NULL, entries BIGINT NOT NULL);
  INSERT INTO audit_left_out(event, since, entries) VALUES('sign-in-failed', 0, 0), ('sign-in-blocked', 0, 0);
`;

/** The event with the number of those left out. */
export function omittedEventsEntry({ event, since, entries }: OmittedEvents): NewEvent {
  const detail = { leftOut: entries, since: isoTime(since) };
  return { event: "sign-ins-left-out", who: "santinela", from: "itself", subject: event, detail };
}

/** The next entry after the last one, to be stored as it is returned. */
export function chained(last: Pick<TrailCut, "position" | "hash">, row: EventRow): AuditRow {
  const { who, origin, subject, detail } = row;
  const stored = {
    ...row,
    who: wellFormed(who),
    origin: wellFormed(origin),
    subject: wellFormed(subject),
    detail: wellFormed(detail),
  };
  const next = { ...stored, position: last.position + 1 };
  return { ...next, hash: entryHash(last.hash, next) };
}

/** Half a character, which a stranger may send as an address, is stored as U+FFFD: the hash must be of that. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\u{fffd}");
}

/** The hash of an entry, over the hash before it and its content. */
export function entryHash(before: string, row: Omit<AuditRow, "hash">): string {
  const { position, seq, at, event, who, origin, subject, detail } = row;
  const words = JSON.stringify([before, position, seq, at, event, who, origin, subject, detail]);
  return createHash("sha256").update(words).digest("hex");
}
