import { transaction, type Database } from "./database.ts";
import { TripStore, type NewTrip } from "./trips.ts";
import { ZoneStateStore, type StoredZoneState } from "./zone-states.ts";

/** The journal database with its two tables and the one write that must never be torn. */
export class Journal {
  readonly trips: TripStore;
  readonly zoneStates: ZoneStateStore;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.trips = new TripStore(database);
    this.zoneStates = new ZoneStateStore(database);
  }

  /**
   * Commits what a zone settled on together with the trip it caused. When this returns, the trip is on the disk: the
   * point from which nothing may lose it.
   */
  commit(change: { zoneId: string; state: StoredZoneState; trips: readonly NewTrip[] }): void {
    transaction(this.#database, () => {
      this.zoneStates.save(change.zoneId, change.state);
      for (const trip of change.trips) this.trips.insert(trip);
    });
  }
}
