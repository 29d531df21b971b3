import type { Condition } from "../../domain/condition.ts";
import type { Actor, LoggedEvent } from "../../domain/event.ts";
import type { Fault } from "../../domain/fault.ts";
import type { OutboxPhase } from "../../domain/outbox.ts";
import type { Trip } from "../../domain/trip.ts";
import type { Contact, ZoneKind, ZoneObjective } from "../../domain/zone.ts";
import type { OutboxSummary } from "../../store/outbox.ts";

/** What the /site routes ask of the rest of the daemon, which fills them in. */
export interface SitePorts {
  status(): StatusView;
  zones(): readonly ZoneView[];
  /**
   * Takes a zone out of service for a while.
   * @throws AppError `not-found` for an unknown zone, `invalid` for a missing reason or a time out of range
   */
  bypass(zoneId: string, order: BypassRequest, actor: Actor): ZoneView;
  /** Puts a zone back into service after a bypass or a shutdown. @throws AppError `not-found` */
  restore(zoneId: string, actor: Actor): ZoneView;
  /** The running or last walk test; null before the first. */
  walkTest(): WalkTestView | null;
  /** @throws AppError `invalid` for a time out of range, `conflict` while one is running */
  startWalkTest(minutes: number | undefined, actor: Actor): WalkTestView;
  endWalkTest(actor: Actor): WalkTestView | null;
  /**
   * Sends a test the whole way that a trip goes, for the objective of a zone; the first zone when undefined.
   * @throws AppError `not-found`
   */
  startSignalTest(zoneId: string | undefined, actor: Actor): SignalTestView;
  /** How far a signal test has come. @throws AppError `not-found` */
  signalTest(key: string): SignalTestView;
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
   * What a person does about one record that does not reach the centre by itself.
   * @throws AppError `not-found`; `conflict` where it makes no sense, or the centre cannot be read now
   */
  syncRecord(interventionId: number, action: SyncAction): Promise<SyncView>;
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
  /** What becomes of a trip now: `waiting` for dispatch, or why it is held back. */
  readonly fate: "waiting" | "bypassed" | "test" | "gated" | "swinger";
  readonly reason: string | null;
  /** The bypass, with its end, ISO 8601 UTC; null when there is none. */
  readonly bypass: { readonly reason: string; readonly who: string; readonly until: string } | null;
  /** What is wrong with the zone itself. */
  readonly faults: readonly { readonly fault: Fault; readonly since: string }[];
  /** Trips since the zone was last quiet, and how many of them were only counted because there were too many. */
  readonly trips: { readonly recent: number; readonly counted: number };
}

/** What a body of /site/zones/<id>/bypass holds, not looked at yet. */
export interface BypassRequest {
  readonly reason?: unknown;
  readonly minutes?: number | undefined;
}

/** A walk test: who ordered it, until when, and what has tripped. All times ISO 8601 UTC. */
export interface WalkTestView {
  readonly running: boolean;
  readonly who: string;
  readonly since: string;
  readonly until: string;
  readonly ended: string | null;
  readonly zones: readonly { readonly id: string; readonly trips: number; readonly last: string | null }[];
}

/** How far a signal test has come. */
export interface SignalTestView {
  readonly key: string;
  readonly zone: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** `waiting` in the journal, `posted` as an intervention here, `refused` by the local API, `arrived` at the centre. */
  readonly state: "waiting" | "posted" | "refused" | "arrived";
  /** Whether it has gone as far as it can: the centre, or our own records where there is none. */
  readonly isOver: boolean;
  readonly interventionId: number | null;
  readonly upstreamId: number | null;
  /** Why it stands where it stands; null where nothing is wrong. */
  readonly reason: string | null;
}

export interface SyncView {
  readonly link: LinkView;
  readonly summary: OutboxSummary;
  /** Records that are not at rest, in the order in which they leave; at most 200. */
  readonly records: readonly SyncRecordView[];
}

/** `retry`: now, and anew where the centre has deleted it. `drop`: never. `reassert`: what is here wins there. */
export type SyncAction = "retry" | "drop" | "reassert";

export interface SyncRecordView {
  readonly interventionId: number;
  readonly name: string;
  readonly phase: OutboxPhase;
  /** The phase in words, with what happens next. */
  readonly text: string;
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

/** What the settings show and hand over. */
export interface SettingsPorts {
  /** Every option in force, without any secret. */
  readonly configuration: () => readonly OptionView[];
  /**
   * Makes a copy of the database, lends it to whoever takes it away, and removes it.
   * @throws AppError `conflict` while another one is lent, `cannot-create` or `storage` when none can be made
   */
  readonly lendCopy: (take: (path: string) => Promise<void>) => Promise<void>;
}

/** One option, such as `http.port`, and where it was said: `file:line:col`, an environment variable, or `default`. */
export interface OptionView {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}

export interface SimulationView {
  readonly zone: string;
  readonly contact: Contact;
  /** Whether the zone settled on another contact. */
  readonly changed: boolean;
  /** Keys of the trips that this caused. */
  readonly trips: readonly string[];
  /** Why they are not dispatched, such as `bypassed: painter (ana@example.ro)`; null when they are. */
  readonly heldBack: string | null;
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
  /** One of the event log's names, or `trip`, `fault`, `fault-over`, `signal`. */
  readonly event: string;
};
