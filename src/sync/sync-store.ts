import type { Clock } from "../domain/clock.ts";
import type { ConflictKind } from "../domain/conflict.ts";
import { DISPATCH_CENTRE, type EventDetail, type NewEvent } from "../domain/event.ts";
import {
  fieldsOf,
  RECORD_FIELDS,
  type Intervention,
  type InterventionFields,
} from "../domain/intervention.ts";
import {
  markerOf,
  markersWith,
  withLineFeeds,
  withMarker,
  withoutMarkers,
  type MarkerField,
} from "../domain/marker.ts";
import type { UpstreamRecord } from "../domain/merge.ts";
import { carriesMarker } from "../domain/match-candidate.ts";
import type { OutboxAttempt, OutboxEntry } from "../domain/outbox.ts";
import { nextPhase, type OutboxEvent } from "../domain/outbox-phase.ts";
import { NO_CONTENT, replaceDamagedTexts } from "../store/damaged-texts.ts";
import type { Database } from "../store/database.ts";
import { transaction } from "../store/transaction.ts";
import { EventLog } from "../store/event-log.ts";
import { GroupCommit } from "../store/group-commit.ts";
import { UpstreamCapabilities } from "../store/upstream-capabilities.ts";
import { ComparedRecords } from "../store/compared-records.ts";
import { LongBases } from "../store/long-bases.ts";
import { InterventionStore, type StoredIntervention } from "../store/interventions.ts";
import { ObjectiveStore } from "../store/objectives.ts";
import { OutboxStore } from "../store/outbox.ts";

interface SyncStoreOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly marker: MarkerField;
  readonly siteRef: string;
  /** Address of the dispatch centre: test results of another one do not count. */
  readonly baseUrl?: string;
}

/** The stored state of the sync; each step of the sync is one transaction of it. */
export class SyncStore {
  readonly outbox: OutboxStore;
  readonly interventions: InterventionStore;
  readonly objectives: ObjectiveStore;
  readonly facts: UpstreamCapabilities;
  readonly compared: ComparedRecords;
  readonly #events: EventLog;
  readonly #commit: GroupCommit;
  readonly #options: SyncStoreOptions;
  readonly #longBases: LongBases;
  /** Difference of the two clocks when the times in the outbox were last correct. */
  #wallMinusMonotonicMs: number;

  constructor(options: SyncStoreOptions) {
    this.#options = options;
    this.#wallMinusMonotonicMs = options.clock.wallMs() - options.clock.monotonicMs();
    this.outbox = new OutboxStore(options.database);
    this.interventions = new InterventionStore(options.database);
    this.objectives = new ObjectiveStore(options.database);
    this.facts = new UpstreamCapabilities(options.database);
    this.compared = new ComparedRecords(options.database);
    this.#longBases = new LongBases(options.database);
    this.#events = new EventLog(options.database);
    this.#commit = new GroupCommit(options.database, options.clock);
  }

  /** Shortens what earlier releases have stored of the centre's records, once; in a transaction. */
  shortenBases(): void {
    this.#longBases.shorten(RECORD_FIELDS);
  }

  /** Replaces what a memory card has damaged in the texts of entries; in a transaction. */
  replaceDamagedTexts(): void {
    replaceDamagedTexts(this.#options.database);
    for (const entry of this.outbox.inPhases(["posting", "unsure"], Number.MAX_SAFE_INTEGER)) {
      const { attempt, interventionId } = entry;
      if (!attempt || (attempt.rev !== 0 && attempt.body !== NO_CONTENT)) continue;
      const renewed = this.newAttempt(entry, this.record(interventionId));
      this.outbox.save({ ...entry, attempt: { ...renewed, atMs: attempt.atMs } });
    }
  }

  /**
   * Runs `write` in a commit shared with other records of this turn: an fsync on an SD card blocks for ten milliseconds.
   * @returns once it is on disk
   */
  share<T>(work: () => T): Promise<T> {
    return this.#commit.write(() => this.write(work));
  }

  /** Runs one transaction. After a clock step all stored times are adjusted first. */
  write<T>(work: () => T): T {
    const { database, clock } = this.#options;
    const stepMs = this.#clockStepMs();
    const done = transaction(database, () => {
      if (stepMs !== 0) {
        this.outbox.shiftDeadlines(stepMs);
        this.outbox.clampDeadlines(clock.wallMs());
      }
      return work();
    });
    this.#wallMinusMonotonicMs += stepMs;
    this.#commit.onRollback(() => (this.#wallMinusMonotonicMs -= stepMs));
    return done;
  }

  /** Adjusts the stored times after a clock step, so that waits keep their length. */
  followClock(): void {
    if (this.#clockStepMs() !== 0) this.write(() => {});
  }

  /** Milliseconds by which the wall clock was set since; 0 if it was not. */
  #clockStepMs(): number {
    const { clock } = this.#options;
    const stepMs = Math.round(clock.wallMs() - clock.monotonicMs() - this.#wallMinusMonotonicMs);
    return Math.abs(stepMs) < MIN_CLOCK_STEP_MS ? 0 : stepMs;
  }

  /** The current entry: a user may have changed the record during a request. */
  entry(interventionId: number): OutboxEntry {
    const entry = this.outbox.find(interventionId);
    if (!entry) throw new Error(`intervention ${interventionId} has no outbox entry`);
    return entry;
  }

  /** The record of an entry, or its tombstone. */
  record(interventionId: number): StoredIntervention {
    const stored = this.interventions.findStored(interventionId);
    if (!stored) throw new Error(`outbox entry without intervention ${interventionId}`);
    return stored;
  }

  /** Applies an event and changes to an entry, and stores it; an arrival is in the event log with the same commit. */
  apply(entry: OutboxEntry, event: OutboxEvent, changes: Partial<OutboxEntry>): OutboxEntry {
    const { upstreamId = entry.upstreamId } = changes;
    const moved = { ...entry, ...changes, phase: nextPhase(entry.phase, event, upstreamId !== null) };
    this.outbox.save(moved);
    if (entry.upstreamId === null && upstreamId !== null)
      this.recordEvent({ event: "record-arrived", who: "sync" }, entry.interventionId, { upstreamId });
    return moved;
  }

  /** Adds a conflict to the event log, for a user to resolve or to know. */
  recordConflict(interventionId: number, conflict: ConflictKind, detail: EventDetail): void {
    this.recordEvent({ event: "sync-conflict", who: "sync" }, interventionId, { conflict, ...detail });
  }

  /** Adds an event of the dispatch centre about a record to the event log. */
  recordEvent(what: Pick<NewEvent, "event" | "who">, interventionId: number, detail: EventDetail): void {
    const subject = `intervention ${interventionId}`;
    const event = { ...what, from: DISPATCH_CENTRE, subject, detail };
    this.#events.add(event, this.#options.clock.wallMs());
  }

  /** The field that carries the marker: the description if a test has shown that notes lose it. */
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

  /** The marker by which a record is searched that was sent: as it was then, if the site has got another reference since. */
  markerSent(entry: OutboxEntry): string {
    const { uid } = this.record(entry.interventionId);
    const marker = this.markerOf(uid);
    const sent = markersWith(uid, this.sentOf(entry));
    return sent.includes(marker) ? marker : (sent.at(-1) ?? marker);
  }

  /** The fields as sent to the dispatch centre, with the marker. */
  outgoing(fields: InterventionFields, uid: string): InterventionFields {
    return withMarker(fields, this.marker, this.markerOf(uid));
  }

  /** Adds the marker to the changed fields, if they include the marker's field. */
  marked(
    fields: Partial<InterventionFields>,
    whole: InterventionFields,
    uid: string,
  ): Partial<InterventionFields> {
    const { marker } = this;
    if (marker === "off" || !(marker in fields)) return fields;
    return { ...fields, [marker]: this.outgoing(whole, uid)[marker] };
  }

  /** Adds the marker's field to an update, if the centre's record has lost it. */
  withMissingMarker(
    fields: Partial<InterventionFields>,
    whole: InterventionFields,
  ): Partial<InterventionFields> {
    const { marker } = this;
    return marker === "off" ? fields : { ...fields, [marker]: whole[marker] };
  }

  /** A record of the dispatch centre without our marker, also a former one, and with the line ends of this site. */
  unmarked<T extends UpstreamRecord>(record: T, uid: string): T {
    return this.#withoutMarkers(withLineFeeds(record), uid);
  }

  #withoutMarkers<T extends UpstreamRecord>(record: T, uid: string): T {
    return withoutMarkers(record, [this.markerOf(uid), ...markersWith(uid, record)]);
  }

  /** A new attempt with the current record. */
  newAttempt(entry: OutboxEntry, { record, uid, rev }: StoredIntervention): OutboxAttempt {
    const atMs = this.#options.clock.wallMs();
    const body = JSON.stringify(this.outgoing(fieldsOf(record), uid));
    if (entry.attempt?.rev === rev)
      return { ...entry.attempt, ...(entry.attempt.body === NO_CONTENT ? { body } : {}), atMs };
    // Other content needs another key, and so does a record that is created again after the centre has lost it.
    const isRecreated = !entry.attempt && entry.sends > 0;
    const key = isRecreated ? `${uid}.${rev}.${atMs}` : entry.attempt ? `${uid}.${rev}` : uid;
    return { key, body, rev, atMs };
  }

  /** The record as sent by the attempt. */
  sentOf({ attempt }: OutboxEntry): UpstreamRecord {
    return attempt ? (JSON.parse(attempt.body) as UpstreamRecord) : {};
  }

  /** The base for the next merge. If the centre removes markers, a record found without one never had it. */
  baseOf({ interventionId }: OutboxEntry, base: string, found: UpstreamRecord): string {
    const { uid } = this.record(interventionId);
    if (this.facts.lostReference === null || carriesMarker(found, this.markerOf(uid))) return base;
    return JSON.stringify(this.unmarked(JSON.parse(base) as UpstreamRecord, uid));
  }

  /** The fields that both sides last agreed on. */
  agreedOf(entry: OutboxEntry, uid: string): InterventionFields {
    const text = entry.agreed ?? entry.base ?? "{}";
    const agreed = this.#withoutMarkers(JSON.parse(text) as UpstreamRecord, uid);
    return fieldsOf(agreed as unknown as Intervention);
  }
}

/** Smaller differences come from the two clocks not being read at once; the shortest relevant wait is 15 seconds. */
const MIN_CLOCK_STEP_MS = 1_000;
