import { transaction, type Database } from "./database.ts";
import { TakenMessageStore } from "./taken-message-store.ts";
import { TripStore, type NewTrip } from "./trips.ts";
import { ZoneStateStore, type StoredZoneState } from "./zone-states.ts";

/** The journal database with its tables and the one write that must never be torn. */
export class Journal {
  readonly trips: TripStore;
  readonly zoneStates: ZoneStateStore;
  readonly takenMessages: TakenMessageStore;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.trips = new TripStore(database);
    this.zoneStates = new ZoneStateStore(database);
    this.takenMessages = new TakenMessageStore(database);
  }

  /**
   * Commits what a zone settled on together with the trip it caused and the messages that were taken until then. When
   * this returns, the trip is on the disk: the point from which nothing may lose it.
   */
  commit(change: { zoneId: string; state: StoredZoneState; trips: readonly NewTrip[] }): void {
    const written = transaction(this.#database, () => {
      this.zoneStates.save(change.zoneId, change.state);
      for (const trip of change.trips) this.trips.insert(trip);
      return this.takenMessages.write();
    });
    written();
  }
}
