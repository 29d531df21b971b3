import type { Clock } from "../domain/clock.ts";
import { requiresNewIncident, type Incident, type IncidentZone } from "../domain/incident.ts";
import type { InterventionCreate } from "../domain/intervention.ts";
import { isOrWillBeRecorded, unrecordedReason, type NewTrip, type Trip } from "../domain/trip.ts";
import { BrokerCountStore } from "./broker-counts.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";
import { EntryDelayStore } from "./entry-delays.ts";
import { FaultStore } from "./faults.ts";
import { GroupCommit } from "./group-commit.ts";
import { IncidentStore } from "./incidents.ts";
import { LinkSampleStore } from "./link-samples.ts";
import { LossStore } from "./unavailable-sources.ts";
import { OffDiskChanges } from "./off-disk-changes.ts";
import { OpeningStore } from "./opening-store.ts";
import { OverrideStore } from "./overrides.ts";
import type { JournalChange, ZoneExchange } from "./journal-change.ts";
import { RestoreStore } from "./restores.ts";
import { SwingerStore } from "./swingers.ts";
import { DeduplicationStore } from "./deduplication-store.ts";
import { TripStore } from "./trips.ts";
import { UnrecordedTrips } from "./unrecorded-trips.ts";
import { ZoneStateStore, type StoredZoneState } from "./zone-states.ts";

/** The journal database with its tables and the writes that must never be torn. */
export class Journal {
  readonly trips: TripStore;
  readonly restores: RestoreStore;
  readonly entryDelays: EntryDelayStore;
  readonly unrecorded: UnrecordedTrips;
  readonly incidents: IncidentStore;
  readonly zoneStates: ZoneStateStore;
  readonly faults: FaultStore;
  readonly swingers: SwingerStore;
  readonly orders: OverrideStore;
  readonly takenMessages: DeduplicationStore;
  readonly openings: OpeningStore;
  readonly losses: LossStore;
  readonly brokerCounts: BrokerCountStore;
  readonly linkSamples: LinkSampleStore;
  readonly offDisk: OffDiskChanges;
  readonly #database: Database;
  readonly #commits: GroupCommit;

  /** @param offDisk where changes are kept that the disk does not take; nowhere when left out */
  constructor(
    database: Database,
    clock: Pick<Clock, "afterEventLoopTurn">,
    offDisk: OffDiskChanges = new OffDiskChanges(undefined),
  ) {
    this.#database = database;
    this.offDisk = offDisk;
    this.#commits = new GroupCommit(database, clock);
    this.trips = new TripStore(database);
    this.restores = new RestoreStore(database);
    this.entryDelays = new EntryDelayStore(database);
    this.unrecorded = new UnrecordedTrips(database);
    this.incidents = new IncidentStore(database);
    this.zoneStates = new ZoneStateStore(database);
    this.faults = new FaultStore(database);
    this.swingers = new SwingerStore(database);
    this.orders = new OverrideStore(database);
    this.losses = new LossStore(database);
    this.openings = new OpeningStore(database);
    this.takenMessages = new DeduplicationStore(database);
    this.brokerCounts = new BrokerCountStore(database);
    this.linkSamples = new LinkSampleStore(database);
  }

  /**
   * Does what `work` does with the journal in one commit with what others do at this moment.
   * @returns what `work` returned, once it is on the disk; rejects with what it or the commit threw
   */
  groupCommit<T>(work: () => T): Promise<T> {
    return this.#commits.write(work);
  }

  /** Runs `action` once what has been committed is on the disk: now, or at the end of `together`. */
  afterCommit(action: () => void): void {
    this.#commits.afterCommit(action);
  }

  /** Runs `undo` if what was committed in `together` does not reach the disk after all; the last one first. */
  onRollback(undo: (error: unknown) => void): void {
    this.#commits.onRollback(undo);
  }

  /**
   * Commits what a zone settled on together with the trips and faults that it caused and the messages that were taken
   * until then. When this returns, or in `together` when that ends, they are on the disk: the point from which nothing
   * may lose them.
   */
  commit(change: JournalChange): void {
    // What came first is written first, or a zone would go back to an earlier state. Not as a part of another commit: the
    // file in memory goes when this is on the disk.
    if (this.offDisk.count > 0 && !this.#database.inTransaction) this.storeOffDisk();
    this.#commit(change);
  }

  /**
   * Writes what the disk did not take when it came. A change of which a trip is there has been written before.
   * @returns how many changes were kept off the disk
   * @throws when the disk still does not take it; then nothing is written
   */
  storeOffDisk(): number {
    const changes = this.offDisk.list();
    if (changes.length === 0) return 0;
    transaction(this.#database, () => {
      for (const change of changes)
        if (!change.trips.some(({ key }) => this.trips.find(key))) this.#commit(change);
    });
    this.offDisk.clear();
    return changes.length;
  }

  /** How a zone was left, also where the disk has not taken it. */
  stateOf(zoneId: string): StoredZoneState | undefined {
    const newest = this.offDisk.list().findLast((change) => change.zoneId === zoneId && change.state);
    return newest?.state ?? this.zoneStates.find(zoneId);
  }

  #commit({ zoneId, state, trips, delays = [], swinging, opened, closed }: JournalChange): void {
    const written = transaction(this.#database, () => {
      if (state) this.zoneStates.save(zoneId, state);
      const delayed = new Set(delays.map(({ key }) => key));
      for (const trip of trips) this.#insert(trip, delayed.has(trip.key));
      for (const delay of delays) this.entryDelays.add(delay);
      if (swinging) this.swingers.save(zoneId, swinging);
      if (opened) this.faults.open(opened);
      if (closed) this.faults.close(closed.owner, closed.fault);
      return this.takenMessages.write();
    });
    this.#commits.onRollback(written());
  }

  /** Commits what another configuration does to the zones, all of it or nothing. */
  exchange({ forgotten, states, ended, moved, found, removed }: ZoneExchange): void {
    transaction(this.#database, () => {
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
      for (const zoneId of removed) this.orders.deleteBypass(zoneId);
    });
  }

  /**
   * Records which incident a trip opens or joins before anything is sent, so that a repetition does the same.
   * @param body what a trip that opens one sends, where that is not the body it was recorded with
   */
  decided(trip: Trip, incident: string, body?: InterventionCreate): Promise<void> {
    return this.groupCommit(() => this.trips.decide(trip.key, incident, body));
  }

  /** A trip has become an intervention of its own. */
  opened(trip: Trip, incident: Incident): Promise<void> {
    return this.#together(() => {
      this.trips.resolve(trip.key, "posted", incident.interventionId);
      // Posted again after its record was lost, it is the same incident.
      const isFirst = this.incidents.find(incident.key) === undefined;
      this.incidents.save(incident);
      if (isFirst && trip.type === "trip") this.swingers.countIncident(trip.zoneId);
    });
  }

  /** A trip has joined an intervention, whose text names it. @param changed the zones of the incident that have changed */
  joined(trip: Trip, incident: Incident, changed: readonly IncidentZone[]): Promise<void> {
    return this.#together(() => {
      this.trips.resolve(trip.key, "merged", incident.interventionId);
      this.incidents.save(incident, changed);
    });
  }

  /** A closing is in the text of an intervention. */
  restoreNoted(restore: Trip, incident: Incident, changed: readonly IncidentZone[]): Promise<void> {
    return this.#together(() => {
      this.restores.markNoted(restore.key, incident.interventionId);
      this.incidents.save(incident, changed);
    });
  }

  /** The lines of an incident's zones have changed. */
  zonesNoted(incident: Incident, changed: readonly IncidentZone[]): Promise<void> {
    return this.#together(() => this.incidents.save(incident, changed));
  }

  /** Commits contacts that were found standing open: all of them, or none. */
  commitStanding(trips: readonly NewTrip[]): void {
    transaction(this.#database, () => {
      for (const trip of trips) this.trips.insert(trip);
    });
  }

  /** Ends the entry delays of trips. @param reason why the trips are cancelled; undefined to dispatch them */
  endDelays(keys: readonly string[], reason?: string): void {
    transaction(this.#database, () => {
      for (const key of keys)
        if (reason === undefined) this.entryDelays.release(key);
        else this.entryDelays.cancel(key, reason);
    });
  }

  #insert(trip: NewTrip, isDelayed: boolean): void {
    if (trip.type === "restore") this.#insertRestore(trip);
    else this.trips.insert(trip, isDelayed ? null : this.#openedBy(trip));
  }

  /** Only the closing of what is, or becomes, part of a record is noted there. */
  #insertRestore(restore: NewTrip): void {
    const opening = this.restores.openingBefore(restore.zoneId);
    // A refused opening may be taken later.
    const isPending = opening !== undefined && (isOrWillBeRecorded(opening) || opening.state === "refused");
    this.trips.insert(isPending ? restore : { ...restore, reason: unrecordedReason(opening) });
    if (isPending) this.restores.addPending(restore.key);
  }

  /** Decided with the trip itself where there is nothing to join: that spares a flush on the way of most trips. */
  #openedBy(trip: NewTrip): string | null {
    const { incidents, trips } = this;
    const opensOwn =
      trip.state === "waiting" &&
      requiresNewIncident(trip, incidents.latestMoment(trip.subject)) &&
      !trips.isWaiting(trip.subject);
    return opensOwn ? trip.key : null;
  }

  /** Several writes of which all or none count. */
  #together(work: () => void): Promise<void> {
    return this.groupCommit(() => transaction(this.#database, work));
  }

  /** When the daemon last said that it runs, wall clock, milliseconds since 1970; undefined before the first time. */
  lastAlive(): number | undefined {
    return this.#database.prepare("SELECT wall FROM alive").pluck().get() as number | undefined;
  }

  markAlive(wallMs: number): void {
    this.#database.prepare("INSERT OR REPLACE INTO alive(only, wall) VALUES(1, ?)").run(wallMs);
  }
}
