import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Incident, IncidentZone } from "../domain/incident.ts";
import { requiresNewIncident } from "../domain/incident-window.ts";
import type { InterventionCreate } from "../domain/intervention.ts";
import { isOrWillBeRecorded, unrecordedReason, type NewTrip, type Trip } from "../domain/trip.ts";
import { ActiveTopicStore } from "./active-topics.ts";
import { AlarmPanelStore } from "./alarm-panels.ts";
import { Store, type Database } from "./database.ts";
import { FaultStore, LossStore, SilenceStore } from "./faults.ts";
import { GroupCommit } from "./group-commit.ts";
import { IncidentStore } from "./incidents.ts";
import { OffDiskChanges, type JournalChange, type ZoneExchange } from "./journal-changes.ts";
import { LinkSampleStore } from "./link-samples.ts";
import { BatteryLevelStore, BrokerCountStore, DeduplicationStore, OpeningStore } from "./messages.ts";
import { OverrideStore } from "./overrides.ts";
import { EntryDelayStore, RestoreStore, UnrecordedTrips } from "./pending-trips.ts";
import { noteFailure, transaction } from "./transaction.ts";
import { TripStore } from "./trips.ts";
import { WalkTestStore } from "./walk-tests.ts";
import { LivenessStore, SwingerStore, ZoneStateStore, type StoredZoneState } from "./zone-states.ts";

/** The trip journal: its tables, and the writes that must be atomic. */
export class Journal extends Store {
  readonly trips = new TripStore(this.database);
  readonly unrecorded = new UnrecordedTrips(this.database);
  readonly restores = new RestoreStore(this.database);
  readonly entryDelays = new EntryDelayStore(this.database);
  readonly incidents = new IncidentStore(this.database);
  readonly zoneStates = new ZoneStateStore(this.database);
  readonly faults = new FaultStore(this.database);
  readonly swingers = new SwingerStore(this.database);
  readonly zoneOverrides = new OverrideStore(this.database);
  readonly walkTests = new WalkTestStore(this.database);
  readonly processedMessages: DeduplicationStore;
  readonly openings = new OpeningStore(this.database);
  readonly losses = new LossStore(this.database);
  readonly silences = new SilenceStore(this.database);
  readonly activeTopics = new ActiveTopicStore(this.database);
  readonly batteryLevels = new BatteryLevelStore(this.database);
  readonly brokerCounts = new BrokerCountStore(this.database);
  readonly alarmPanels = new AlarmPanelStore(this.database);
  readonly linkSamples = new LinkSampleStore(this.database);
  readonly liveness = new LivenessStore(this.database);
  readonly offDisk: OffDiskChanges;
  readonly #commits: GroupCommit;

  /** @param offDisk stores changes that the disk rejects; nothing by default */
  constructor(
    database: Database,
    clock: Pick<Clock, "afterEventLoopTurn">,
    offDisk: OffDiskChanges = new OffDiskChanges(undefined),
  ) {
    super(database);
    this.offDisk = offDisk;
    this.#commits = new GroupCommit(database, clock);
    this.processedMessages = new DeduplicationStore(database, this.#commits);
  }

  /** Runs `work` in a group commit. @returns its result once it is on disk; rejects with its error or that of the commit */
  groupCommit<T>(work: () => T): Promise<T> {
    return this.#commits.write(work);
  }

  /** Runs `action` once the writes are on disk: now, or at the end of `groupCommit`. */
  afterCommit(action: () => void): void {
    this.#commits.afterCommit(action);
  }

  /** Runs `undo` if the writes in `groupCommit` do not reach the disk; see `TransactionalMap`. */
  onRollback(undo: (error: unknown) => void): void {
    this.#commits.onRollback(undo);
  }

  /** Reports the error of a read, as a write that fails does itself: it may show that the file is damaged. */
  noteError(error: unknown): void {
    noteFailure(this.database, error);
  }

  /**
   * Commits a zone's state with its trips and faults, and the messages processed so far. When this returns, or when
   * the surrounding `groupCommit` ends, they are on disk and must not be lost.
   */
  commit(change: JournalChange): void {
    // Earlier changes first, or a zone would return to an earlier state. Not inside another commit: see `clear`.
    if (this.offDisk.count > 0 && !this.database.inTransaction) this.storeOffDisk();
    transaction(this.database, () => this.#write(change));
    this.processedMessages.written();
  }

  /**
   * Writes the changes that the disk rejected before, and returns their number; those whose trip exists were already written.
   * @throws if the disk still rejects them; then nothing is written
   */
  storeOffDisk(): number {
    const changes = [...this.offDisk.list()];
    if (changes.length === 0) return 0;
    transaction(this.database, () => {
      for (const change of changes)
        if (!change.trips.some(({ key }) => this.trips.find(key))) this.#write(change);
    });
    this.processedMessages.written();
    this.offDisk.clear();
    return changes.length;
  }

  /** The last state of a zone, including changes that are not on disk yet. */
  stateOf(zoneId: string): StoredZoneState | undefined {
    const newest = this.offDisk.list().findLast((change) => change.zoneId === zoneId && change.state);
    return newest?.state ?? this.zoneStates.find(zoneId);
  }

  /** Writes a change in the caller's transaction; `processedMessages.written` is to be called after it. */
  #write({ zoneId, state, trips, delays = [], swinging, opened, closed }: JournalChange): void {
    if (state) this.zoneStates.save(zoneId, state);
    const delayed = new Set(delays.map(({ key }) => key));
    for (const trip of trips) this.#insert(trip, delayed.has(trip.key));
    this.zoneOverrides.keepTested(trips, state?.sensor ?? null);
    for (const delay of delays) this.entryDelays.add(delay);
    if (swinging) this.swingers.save(zoneId, swinging);
    if (opened) this.faults.open(opened);
    if (closed) this.faults.close(closed.owner, closed.fault);
    this.processedMessages.write();
  }

  /**
   * Changes that the disk rejected come first, or a later one would miss their trips and zone states.
   * @throws while the disk still rejects them, and inside another commit (see `clear`): the caller tries again
   */
  earlierFirst(): void {
    if (this.offDisk.count === 0) return;
    if (this.database.inTransaction)
      throw new AppError("unavailable", "changes that the disk rejected are not stored yet");
    this.storeOffDisk();
  }

  /** Commits the changes of a new configuration, all or none. @throws as `earlierFirst` */
  exchange({ forgotten, states, ended, moved, found, removed, gates }: ZoneExchange): void {
    this.earlierFirst();
    transaction(this.database, () => {
      for (const zoneId of forgotten) {
        this.zoneStates.forget(zoneId);
        this.swingers.forget(zoneId);
      }
      for (const [zoneId, state] of states) this.zoneStates.save(zoneId, state);
      for (const { of, fault, row } of ended) {
        if (row) this.trips.insert(row, this.#openedBy(row));
        this.faults.close(of, fault);
      }
      for (const fault of moved) this.faults.open(fault);
      for (const of of found) this.losses.remove(of);
      for (const zoneId of removed) this.zoneOverrides.forgetZone(zoneId);
      this.zoneOverrides.keepGateStates(gates);
    });
  }

  /**
   * Stores which incident a trip opens or joins before anything is sent, so that a retry does the same.
   * @param body the request of a trip that opens one, if it differs from the stored body
   */
  decided(trip: Trip, incident: string, body?: InterventionCreate): Promise<void> {
    return this.groupCommit(() => this.trips.decide(trip.key, incident, body));
  }

  /** A trip has opened its own intervention. */
  opened(trip: Trip, incident: Incident): Promise<void> {
    return this.#commitTogether(() => {
      this.trips.resolve(trip.key, "posted", incident.interventionId);
      // A trip posted again after its record was lost belongs to the same incident.
      const isFirst = this.incidents.find(incident.key) === undefined;
      this.incidents.save(incident);
      if (isFirst && trip.type === "trip" && !trip.signal.isTest) this.swingers.countIncident(trip.zoneId);
    });
  }

  /**
   * A trip has joined an intervention, whose text now names it.
   * @param changed the zones of the incident that have changed
   */
  joined(trip: Trip, incident: Incident, changed: readonly IncidentZone[]): Promise<void> {
    return this.#commitTogether(() => {
      this.trips.join(trip.key, incident);
      this.incidents.save(incident, changed);
    });
  }

  /** A restore was added to the text of an intervention. */
  restoreNoted(restore: Trip, incident: Incident, changed: readonly IncidentZone[]): Promise<void> {
    return this.#commitTogether(() => {
      this.restores.markNoted(restore.key, incident.interventionId);
      this.incidents.save(incident, changed);
    });
  }

  zonesNoted(incident: Incident, changed: readonly IncidentZone[]): Promise<void> {
    return this.#commitTogether(() => this.incidents.save(incident, changed));
  }

  /** Commits contacts that were already open at the start, all or none. @throws as `earlierFirst` */
  commitOpenContacts(trips: readonly NewTrip[]): void {
    this.earlierFirst();
    transaction(this.database, () => {
      for (const trip of trips) this.trips.insert(trip);
    });
  }

  /**
   * Ends the entry delay of a trip.
   * @param reason why the trip is cancelled; undefined to dispatch it
   * @param also called in the same transaction
   * @throws as `earlierFirst`
   */
  endDelay(key: string, reason: string | undefined, also: () => void): void {
    this.earlierFirst();
    transaction(this.database, () => {
      if (reason === undefined) this.entryDelays.release(key);
      else this.entryDelays.cancel(key, reason);
      also();
    });
  }

  #insert(trip: NewTrip, isDelayed: boolean): void {
    if (trip.type === "restore") this.#insertRestore(trip);
    else this.trips.insert(trip, isDelayed ? null : this.#openedBy(trip));
  }

  /** Only the restore of a trip that is or will be in a record is added to it; a rejected trip may be retried later. */
  #insertRestore(restore: NewTrip): void {
    const opening = this.restores.openingBefore(restore.zoneId);
    const isPending = opening !== undefined && (isOrWillBeRecorded(opening) || opening.state === "refused");
    this.trips.insert(isPending ? restore : { ...restore, reason: unrecordedReason(opening) });
    if (isPending) this.restores.addPending(restore.key);
  }

  /** Decided with the trip if there is nothing to join, which saves an fsync for most trips. */
  #openedBy(trip: NewTrip): string | null {
    if (trip.state !== "waiting" || this.trips.isWaiting(trip.subject)) return null;
    return requiresNewIncident(trip, this.incidents.newest(trip.subject)) ? trip.key : null;
  }

  /** A restore stays in the journal only, as `RestoreStore.markRecorded`; shares its commit with the messages that arrive. */
  restoreKept({ key }: Trip, reason: string, interventionId: number | null): Promise<void> {
    return this.#commitTogether(() => this.restores.markRecorded(key, reason, interventionId));
  }

  #commitTogether(work: () => void): Promise<void> {
    return this.groupCommit(() => transaction(this.database, work));
  }
}
