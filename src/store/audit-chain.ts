import { createHash } from "node:crypto";
import { isoTime } from "../domain/clock.ts";
import type { EventName, NewEvent } from "../domain/event.ts";

/* The rules of the audit trail, whatever the database: what is audited, how entries are chained, and how a chain is verified. */

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

/** Events about access, deletion and zones out of service. Routine events of records and sensors are not audited. */
const AUDITED: readonly EventName[] = [
  "signed-in",
  "sign-in-failed",
  "sign-in-blocked",
  "forbidden",
  "intervention-deleted",
  "account-added",
  "account-password-set",
  "account-role-changed",
  "account-disabled",
  "account-enabled",
  "signing-key-rotated",
  "signing-key-forgotten",
  "database-recovered",
  "database-restored",
  "backup-downloaded",
  "restart-ordered",
  "reload-applied",
  "reload-rejected",
  "configuration-changed",
  "configuration-reverted",
  "configuration-unproven",
  "zones-edited",
  "log-detailed",
  "machine-confirmed",
  "plan-changed",
  "zone-bypassed",
  "zone-restored",
  "walk-test-started",
  "walk-test-ended",
  "site-removed",
  "enrolment-created",
  "enrolment-revoked",
  "site-enrolled",
  "sign-ins-left-out",
];
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
  return AUDITED.includes(event);
}

/** The names of all audited events. */
export function auditedEvents(): readonly EventName[] {
  return AUDITED;
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
  return { ...next, hash: hashOf(last.hash, next) };
}

/** Half a character, which a stranger may send as an address, is stored as U+FFFD: the hash must be of that. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\u{fffd}");
}

/** The result of verifying the chain. */
export interface TrailReport {
  readonly entries: number;
  /** Wall clock of the first and the last entry, milliseconds since 1970; null without entries. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Entries removed by retention, and the time of the last one. */
  readonly removed: number;
  readonly removedUntilMs: number | null;
  /** Hash of the last entry: stored elsewhere, it later shows whether the end was cut off. */
  readonly head: string;
  /** The first entry that does not match the chain; null if all do. */
  readonly broken: { readonly position: number; readonly why: string } | null;
}

/** Verifies a chain, entry by entry. */
export class TrailCheck {
  readonly #cut: TrailCut;
  #last: Pick<TrailCut, "position" | "hash">;
  #entries = 0;
  #fromMs: number | null = null;
  #toMs: number | null = null;
  #broken: TrailReport["broken"] = null;

  /** @param cut where the chain begins */
  constructor(cut: TrailCut) {
    this.#cut = cut;
    this.#last = cut;
  }

  /** Adds the next entry by position. */
  add(row: AuditRow): void {
    this.#entries += 1;
    this.#fromMs ??= row.at;
    this.#toMs = row.at;
    const { position, hash } = this.#last;
    const why =
      row.position !== position + 1
        ? `the entry ${position + 1} before it is missing`
        : row.hash !== hashOf(hash, row)
          ? "its content, or the entry before it, is not what it was when it was written"
          : undefined;
    if (why !== undefined) this.#broken ??= { position: row.position, why };
    this.#last = row;
  }

  /** The result after the last entry. */
  report(): TrailReport {
    const { position: removed, at: removedUntilMs } = this.#cut;
    const [fromMs, toMs, head] = [this.#fromMs, this.#toMs, this.#last.hash];
    return { entries: this.#entries, fromMs, toMs, removed, removedUntilMs, head, broken: this.#broken };
  }
}

function hashOf(before: string, row: Omit<AuditRow, "hash">): string {
  const { position, seq, at, event, who, origin, subject, detail } = row;
  const words = JSON.stringify([before, position, seq, at, event, who, origin, subject, detail]);
  return createHash("sha256").update(words).digest("hex");
}
