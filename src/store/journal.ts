import type { Clock } from "../domain/clock.ts";
import { mustOpen, type Incident } from "../domain/incident.ts";
import type { Swinging } from "../domain/swinger.ts";
import type { NewTrip, Trip } from "../domain/trip.ts";
import { BrokerCountStore } from "./broker-counts.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";
import { FaultStore, type OpenFault } from "./faults.ts";
import { GroupCommit } from "./group-commit.ts";
import { IncidentStore } from "./incidents.ts";
import { LinkSampleStore } from "./link-samples.ts";
import { OrderStore } from "./orders.ts";
import { SwingerStore } from "./swingers.ts";
import { TakenMessageStore } from "./taken-message-store.ts";
import { TripStore } from "./trips.ts";
import { UnrecordedTrips } from "./unrecorded-trips.ts";
import { ZoneStateStore, type StoredZoneState } from "./zone-states.ts";

/** What one signal does to the journal, all of it or nothing. */
export interface JournalChange {
  readonly zoneId: string;
  readonly state?: StoredZoneState;
  readonly trips: readonly NewTrip[];
  readonly swinging?: Swinging;
  readonly opened?: OpenFault;
  readonly closed?: Pick<OpenFault, "of" | "fault">;
}

/** The journal database with its tables and the writes that must never be torn. */
export class Journal {
  readonly trips: TripStore;
  readonly unrecorded: UnrecordedTrips;
  readonly incidents: IncidentStore;
  readonly zoneStates: ZoneStateStore;
  readonly faults: FaultStore;
  readonly swingers: SwingerStore;
  readonly orders: OrderStore;
  readonly takenMessages: TakenMessageStore;
  readonly brokerCounts: BrokerCountStore;
  readonly linkSamples: LinkSampleStore;
  readonly #database: Database;
  readonly #commits: GroupCommit;

  constructor(database: Database, clock: Pick<Clock, "afterTurn">) {
    this.#database = database;
    this.#commits = new GroupCommit(database, clock);
    this.trips = new TripStore(database);
    this.unrecorded = new UnrecordedTrips(database);
    this.incidents = new IncidentStore(database);
    this.zoneStates = new ZoneStateStore(database);
    this.faults = new FaultStore(database);
    this.swingers = new SwingerStore(database);
    this.orders = new OrderStore(database);
    this.takenMessages = new TakenMessageStore(database);
    this.brokerCounts = new BrokerCountStore(database);
    this.linkSamples = new LinkSampleStore(database);
  }

  /**
   * Does what `work` does with the journal in one commit with what others do at this moment.
   * @returns what `work` returned, once it is on the disk; rejects with what it or the commit threw
   */
  together<T>(work: () => T): Promise<T> {
    return this.#commits.write(work);
  }

  /** Runs `action` once what has been committed is on the disk: now, or at the end of `together`. */
  afterCommit(action: () => void): void {
    this.#commits.afterCommit(action);
  }

  /** Runs `undo` if what was committed in `together` does not reach the disk after all; the last one first. */
  ifLost(undo: (error: unknown) => void): void {
    this.#commits.ifLost(undo);
  }

  /**
   * Commits what a zone settled on together with the trips and faults that it caused and the messages that were taken
   * until then. When this returns, or in `together` when that ends, they are on the disk: the point from which nothing
   * may lose them.
   */
  commit({ zoneId, state, trips, swinging, opened, closed }: JournalChange): void {
    const written = transaction(this.#database, () => {
      if (state) this.zoneStates.save(zoneId, state);
      for (const trip of trips) this.trips.insert(trip, this.#openedBy(trip));
      if (swinging) this.swingers.save(zoneId, swinging);
      if (opened) this.faults.open(opened);
      if (closed) this.faults.close(closed.of, closed.fault);
      return this.takenMessages.write();
    });
    this.#commits.ifLost(written());
  }

  /** Writes down which incident a trip opens or joins before anything is sent, so that a repetition does the same. */
  decided(trip: Trip, incident: string): Promise<void> {
    return this.together(() => this.trips.decide(trip.key, incident));
  }

  /** Writes down which incident a trip joins, and what is about to be noted there. */
  noting(trip: Trip, incident: Incident): Promise<void> {
    return this.#together(() => {
      if (trip.incident !== incident.key) this.trips.decide(trip.key, incident.key);
      this.incidents.save(incident);
    });
  }

  /** A trip has become an intervention of its own. */
  opened(trip: Trip, incident: Incident): Promise<void> {
    return this.#together(() => {
      this.trips.settle(trip.key, "posted", incident.interventionId);
      this.incidents.save(incident);
      if (trip.about === "trip") this.swingers.countIncident(trip.zoneId);
    });
  }

  /** A trip has joined an intervention. */
  joined(trip: Trip, incident: Incident): Promise<void> {
    return this.#together(() => {
      this.trips.settle(trip.key, "merged", incident.interventionId);
      this.incidents.save(incident);
    });
  }

  /** Decided with the trip itself where there is nothing to join: that spares a flush on the way of most trips. */
  #openedBy(trip: NewTrip): string | null {
    const { incidents, trips } = this;
    const opensOwn =
      trip.state === "waiting" &&
      mustOpen(trip, incidents.latest(trip.subject)) &&
      !trips.isWaiting(trip.subject);
    return opensOwn ? trip.key : null;
  }

  /** Several writes of which all or none count. */
  #together(work: () => void): Promise<void> {
    return this.together(() => transaction(this.#database, work));
  }

  /** When the daemon last said that it runs, wall clock, milliseconds since 1970; undefined before the first time. */
  lastAlive(): number | undefined {
    return this.#database.prepare("SELECT wall FROM alive").pluck().get() as number | undefined;
  }

  markAlive(wallMs: number): void {
    this.#database.prepare("INSERT OR REPLACE INTO alive(only, wall) VALUES(1, ?)").run(wallMs);
  }
}
