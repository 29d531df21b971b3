import type { Incident } from "../domain/incident.ts";
import type { Swinging } from "../domain/swinger.ts";
import type { NewTrip, Trip } from "../domain/trip.ts";
import { BrokerCountStore } from "./broker-counts.ts";
import { transaction, type Database } from "./database.ts";
import { FaultStore, type OpenFault } from "./faults.ts";
import { IncidentStore } from "./incidents.ts";
import { OrderStore } from "./orders.ts";
import { SwingerStore } from "./swingers.ts";
import { TakenMessageStore } from "./taken-message-store.ts";
import { TripStore } from "./trips.ts";
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
  readonly incidents: IncidentStore;
  readonly zoneStates: ZoneStateStore;
  readonly faults: FaultStore;
  readonly swingers: SwingerStore;
  readonly orders: OrderStore;
  readonly takenMessages: TakenMessageStore;
  readonly brokerCounts: BrokerCountStore;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.trips = new TripStore(database);
    this.incidents = new IncidentStore(database);
    this.zoneStates = new ZoneStateStore(database);
    this.faults = new FaultStore(database);
    this.swingers = new SwingerStore(database);
    this.orders = new OrderStore(database);
    this.takenMessages = new TakenMessageStore(database);
    this.brokerCounts = new BrokerCountStore(database);
  }

  /**
   * Commits what a zone settled on together with the trips and faults that it caused and the messages that were taken
   * until then. When this returns, they are on the disk: the point from which nothing may lose them.
   */
  commit({ zoneId, state, trips, swinging, opened, closed }: JournalChange): void {
    const written = transaction(this.#database, () => {
      if (state) this.zoneStates.save(zoneId, state);
      for (const trip of trips) this.trips.insert(trip);
      if (swinging) this.swingers.save(zoneId, swinging);
      if (opened) this.faults.open(opened);
      if (closed) this.faults.close(closed.of, closed.fault);
      return this.takenMessages.write();
    });
    written();
  }

  /** A trip has become an intervention of its own. */
  opened(trip: Trip, incident: Incident): void {
    transaction(this.#database, () => {
      this.trips.settle(trip.key, "posted", incident.interventionId);
      this.incidents.save(incident);
      if (trip.about === "trip") this.swingers.countIncident(trip.zoneId);
    });
  }

  /** A trip has joined an intervention. */
  joined(trip: Trip, incident: Incident): void {
    transaction(this.#database, () => {
      this.trips.settle(trip.key, "merged", incident.interventionId);
      this.incidents.save(incident);
    });
  }

  /** When the daemon last said that it runs, wall clock, milliseconds since 1970; undefined before the first time. */
  lastAlive(): number | undefined {
    return this.#database.prepare("SELECT wall FROM alive").pluck().get() as number | undefined;
  }

  markAlive(wallMs: number): void {
    this.#database.prepare("INSERT OR REPLACE INTO alive(only, wall) VALUES(1, ?)").run(wallMs);
  }
}
