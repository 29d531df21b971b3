import type { Clock } from "../domain/clock.ts";
import type { EventDetail } from "../domain/event.ts";
import { fieldsOf, type Intervention, type InterventionFields } from "../domain/intervention.ts";
import { markerOf, withMarker, withoutMarker, type MarkerField } from "../domain/marker.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { carriesMarker } from "../domain/match-candidate.ts";
import type { OutboxAttempt, OutboxEntry } from "../domain/outbox.ts";
import { nextPhase, type OutboxEvent } from "../domain/outbox-phase.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { EventLog } from "../store/event-log.ts";
import { GroupCommit } from "../store/group-commit.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import { ComparedRecords } from "../store/compared-records.ts";
import { InterventionStore, type StoredIntervention } from "../store/interventions.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { OutboxStore } from "../store/outbox.ts";

export interface SyncStoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly marker: MarkerField;
  readonly siteRef: string;
  /** The centre's address: what a try has shown about another one does not count. */
  readonly baseUrl?: string;
}

/** What stands written down about the way of each record; every step of the sync is one transaction of it. */
export class SyncStore {
  readonly outbox: OutboxStore;
  readonly interventions: InterventionStore;
  readonly objectives: ObjectiveStore;
  readonly facts: UpstreamCapabilities;
  readonly compared: ComparedRecords;
  readonly #events: EventLog;
  readonly #commit: GroupCommit;
  readonly #options: SyncStoreOptions;
  /** How the two clocks stood to each other when the moments in the outbox were last right. */
  #wallMinusMonotonicMs: number;

  constructor(options: SyncStoreOptions) {
    this.#options = options;
    this.#wallMinusMonotonicMs = options.clock.wallMs() - options.clock.monotonicMs();
    this.outbox = new OutboxStore(options.database);
    this.interventions = new InterventionStore(options.database);
    this.objectives = new ObjectiveStore(options.database);
    this.facts = new UpstreamCapabilities(options.database);
    this.compared = new ComparedRecords(options.database);
    this.#events = new EventLog(options.database);
    this.#commit = new GroupCommit(options.database, options.clock);
  }

  /**
   * The same in a commit shared with what other records have to record in this turn: on an SD card a flush of the disk
   * costs ten milliseconds, in which nothing else happens. @returns once it is on the disk
   */
  share<T>(work: () => T): Promise<T> {
    return this.#commit.write(() => this.write(work));
  }

  /** One transaction. Nothing is decided in it by a clock that was set: every moment has moved along before. */
  write<T>(work: () => T): T {
    const { database, clock } = this.#options;
    const byMs = this.#steppedByMs();
    const done = transaction(database, () => {
      if (byMs !== 0) {
        this.outbox.shiftDeadlines(byMs);
        this.outbox.clampDeadlines(clock.wallMs());
      }
      return work();
    });
    this.#wallMinusMonotonicMs += byMs;
    this.#commit.onRollback(() => (this.#wallMinusMonotonicMs -= byMs));
    return done;
  }

  /** Keeps every wait as long as it was meant, if the wall clock was set. */
  followClock(): void {
    if (this.#steppedByMs() !== 0) this.write(() => {});
  }

  /** How far the wall clock was set since, in milliseconds; 0 when it was not. */
  #steppedByMs(): number {
    const { clock } = this.#options;
    const byMs = Math.round(clock.wallMs() - clock.monotonicMs() - this.#wallMinusMonotonicMs);
    return Math.abs(byMs) < MIN_CLOCK_STEP_MS ? 0 : byMs;
  }

  /** The entry as it is now: while a request was on the wire a person may have changed the record. */
  entry(interventionId: number): OutboxEntry {
    const entry = this.outbox.find(interventionId);
    if (!entry) throw new Error(`the outbox entry of intervention ${interventionId} is gone`);
    return entry;
  }

  /** The record of an entry, or its tombstone. */
  record(interventionId: number): StoredIntervention {
    const stored = this.interventions.findStored(interventionId);
    if (!stored) throw new Error(`outbox entry without intervention ${interventionId}`);
    return stored;
  }

  /** Moves an entry on and writes it back. */
  apply(entry: OutboxEntry, event: OutboxEvent, changes: Partial<OutboxEntry>): OutboxEntry {
    const linked = (changes.upstreamId === undefined ? entry.upstreamId : changes.upstreamId) !== null;
    const moved = { ...entry, ...changes, phase: nextPhase(entry.phase, event, linked) };
    this.outbox.save(moved);
    return moved;
  }

  /** What only a person can settle, or may want to know of, stands in the event log. */
  recordConflict(interventionId: number, detail: EventDetail): void {
    const subject = `intervention ${interventionId}`;
    const event = { event: "sync-conflict", who: "sync", from: "dispatch centre", subject, detail } as const;
    this.#events.add(event, this.#options.clock.wallMs());
  }

  /** Writes down what the dispatcher has changed. */
  recordChange(interventionId: number, detail: EventDetail): void {
    const subject = `intervention ${interventionId}`;
    const event = {
      event: "intervention-changed",
      who: "dispatcher",
      from: "dispatch centre",
      subject,
      detail,
    } as const;
    this.#events.add(event, this.#options.clock.wallMs());
  }

  /** Writes down that a record was read back from the centre. */
  recordReadBack(record: Intervention): void {
    const subject = `intervention ${record.id}`;
    const event = { event: "intervention-created", who: "sync", from: "dispatch centre", subject } as const;
    this.#events.add({ ...event, detail: { after: record } }, this.#options.clock.wallMs());
  }

  /** The text that carries the marker: the description where a try has shown that notes lose it. */
  get marker(): MarkerField {
    const { marker, baseUrl } = this.#options;
    const traits = this.facts.traits;
    const isMoved = traits?.baseUrl === baseUrl && traits?.marker === "description";
    return marker === "notes" && isMoved ? "description" : marker;
  }

  get isMarked(): boolean {
    return this.#options.marker !== "off";
  }

  markerOf(uid: string): string {
    return markerOf(this.#options.siteRef, uid);
  }

  /** The fields as they go to the centre. */
  outgoing(fields: InterventionFields, uid: string): InterventionFields {
    return withMarker(fields, this.marker, this.markerOf(uid));
  }

  /** The fields among these that change their text by the marker. */
  marked(
    fields: Partial<InterventionFields>,
    whole: InterventionFields,
    uid: string,
  ): Partial<InterventionFields> {
    const { marker } = this;
    if (marker === "off" || !(marker in fields)) return fields;
    return { ...fields, [marker]: this.outgoing(whole, uid)[marker] };
  }

  /** Adds the marker's field to what is sent, where the centre's record has lost it. */
  withMissingMarker(
    fields: Partial<InterventionFields>,
    whole: InterventionFields,
  ): Partial<InterventionFields> {
    const { marker } = this;
    return marker === "off" ? fields : { ...fields, [marker]: whole[marker] };
  }

  /** A record of the centre as people here see it: without our marker. */
  unmarked<T extends UpstreamRecord>(record: T, uid: string): T {
    const marker = this.markerOf(uid);
    const texts = Object.fromEntries(
      (["notes", "description"] as const)
        .filter((field) => typeof record[field] === "string")
        .map((field) => [field, withoutMarker(record[field] as string, marker)]),
    );
    return { ...record, ...texts };
  }

  /** The bytes of a first attempt: the record as it is now. */
  newAttempt(entry: OutboxEntry, { record, uid, rev }: StoredIntervention): OutboxAttempt {
    const atMs = this.#options.clock.wallMs();
    if (entry.attempt?.rev === rev) return { ...entry.attempt, atMs };
    // Other content needs another key, and so does a record that is made anew after the centre has lost it.
    const isAnew = !entry.attempt && entry.sends > 0;
    const key = isAnew ? `${uid}.${rev}.${atMs}` : entry.attempt ? `${uid}.${rev}` : uid;
    return { key, body: JSON.stringify(this.outgoing(fieldsOf(record), uid)), rev, atMs };
  }

  /** What was sent, as the record it should have become. */
  sentOf({ attempt }: OutboxEntry): UpstreamRecord {
    return attempt ? (JSON.parse(attempt.body) as UpstreamRecord) : {};
  }

  /** What to hold the centre's next answer against: where it loses our reference, a record found bare never had it. */
  baseOf({ interventionId }: OutboxEntry, base: string, found: UpstreamRecord): string {
    const { uid } = this.record(interventionId);
    if (this.facts.lostReference === null || carriesMarker(found, this.markerOf(uid))) return base;
    return JSON.stringify(this.unmarked(JSON.parse(base) as UpstreamRecord, uid));
  }

  /** The fields that both sides agreed on last. */
  agreedOf(entry: OutboxEntry, uid: string): InterventionFields {
    const text = entry.agreed ?? entry.base ?? "{}";
    return fieldsOf(this.unmarked(JSON.parse(text) as UpstreamRecord, uid) as unknown as Intervention);
  }
}

/** Less is no step of the wall clock but the two readings being apart; the shortest wait that matters is 15 seconds. */
const MIN_CLOCK_STEP_MS = 1_000;
