import type { Condition } from "../../domain/condition.ts";
import type { LoggedEvent } from "../../domain/event.ts";
import type { OutboxPhase } from "../../domain/outbox.ts";
import type { Trip } from "../../domain/trip.ts";
import type { Contact, ZoneKind, ZoneObjective } from "../../domain/zone.ts";
import type { OutboxSummary } from "../../store/outbox.ts";

/** What the /site routes ask of the rest of the daemon, which fills them in. */
export interface SitePorts {
  status(): StatusView;
  zones(): readonly ZoneView[];
  /** The newest trips first. */
  trips(limit: number): readonly Trip[];
  /**
   * The event log and the trips as one story, the newest first.
   * @param after where an earlier page ended; undefined for the first one
   */
  journal(limit: number, after: JournalPlace | undefined): JournalPage;
  /** The newest entries of both tables of that story. */
  journalPlace(): JournalPlace;
  /** What was written down about an intervention; empty for one that never was. */
  history(interventionId: number): HistoryView;
  sync(): SyncView;
  /** Makes everything due, works through it once, and tells what is left. */
  syncNow(): Promise<SyncView>;
  /**
   * Drives a zone as its contact would.
   * @throws AppError `not-found` for an unknown zone
   */
  simulate(zoneId: string, contact: "open" | "normal"): Promise<SimulationView>;
}

export interface StatusView {
  readonly version: string;
  readonly site: { readonly name: string; readonly ref: string };
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly conditions: readonly Condition[];
  readonly trips: { readonly waiting: number; readonly refused: number };
  readonly outbox: OutboxSummary;
  readonly link: LinkView;
}

/** `none`: there is no centre. `unknown`: nothing has been sent since the start. */
export interface LinkView {
  readonly state: "none" | "unknown" | "up" | "down";
  /** Why it is down, in words; null otherwise. */
  readonly reason: string | null;
  /** When it is tried again, ISO 8601 UTC; null when it is not down, or due now. */
  readonly nextTryAt: string | null;
}

export interface ZoneView {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly source: "gpio" | "mqtt" | "simulated";
  readonly objective: ZoneObjective;
  readonly contact: Contact;
  /** When it settled on this contact, ISO 8601 UTC; null before its first sight. */
  readonly since: string | null;
}

export interface SyncView {
  readonly link: LinkView;
  readonly summary: OutboxSummary;
  /** Records that are not at rest, in the order in which they leave; at most 200. */
  readonly records: readonly SyncRecordView[];
}

export interface SyncRecordView {
  readonly interventionId: number;
  readonly phase: OutboxPhase;
  readonly upstreamId: number | null;
  readonly attempts: number;
  /** ISO 8601 UTC; null when it is due now or waits for a person. */
  readonly nextTryAt: string | null;
  /** The last answer in words; null when there was none. */
  readonly lastAnswer: string | null;
}

export interface HistoryView {
  /** Its trips and what was done to it, the newest first; at most 200 of each. */
  readonly entries: readonly JournalEntry[];
  /** Its place in the outbox, and whether nothing is left to do there; null when it has none. */
  readonly sync: (SyncRecordView & { readonly isAtRest: boolean }) | null;
}

export interface SimulationView {
  readonly zone: string;
  readonly contact: Contact;
  /** Whether the zone settled on another contact. */
  readonly changed: boolean;
  /** Keys of the trips that this caused. */
  readonly trips: readonly string[];
}

/** How far the two tables have been read: only entries with smaller numbers follow. */
export interface JournalPlace {
  readonly event: number;
  readonly trip: number;
}

export interface JournalPage {
  readonly entries: readonly JournalEntry[];
  /** Where the next page begins; null behind the oldest entry. */
  readonly next: JournalPlace | null;
}

/** One line of the story: what happened, by whom and from where, to what. */
export type JournalEntry = Pick<LoggedEvent, "at" | "who" | "from" | "subject" | "detail"> & {
  /** One of the event log's names, or `trip`. */
  readonly event: string;
};
