import type { Timestamp } from "../domain/trip.ts";
import type { Database } from "./database.ts";

/** A trip that waits for the end of its zone's entry delay. */
export interface EntryDelay {
  readonly key: string;
  readonly zoneId: string;
  /** When the delay ends. */
  readonly due: Timestamp;
}

/** The waiting trips that are within their entry delay. An earlier release without delays dispatches them at once. */
export class EntryDelayStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Call it in the transaction of the trip. */
  add({ key, zoneId, due }: EntryDelay): void {
    this.#database
      .prepare(
        "INSERT INTO entry_delays(key, zone_id, due_wall, due_boot, due_monotonic) VALUES(?, ?, ?, ?, ?)",
      )
      .run(key, zoneId, due.wallMs, due.bootId, due.monotonicMs);
  }

  list(): EntryDelay[] {
    const rows = this.#database.prepare("SELECT * FROM entry_delays").all() as EntryDelayRow[];
    return rows.map((row) => ({
      key: row.key,
      zoneId: row.zone_id,
      due: { wallMs: row.due_wall, bootId: row.due_boot, monotonicMs: row.due_monotonic },
    }));
  }

  /** Ends the delay: the trip is dispatched. */
  release(key: string): void {
    this.#database.prepare("DELETE FROM entry_delays WHERE key = ?").run(key);
  }

  /** Cancels a trip because the gate was disarmed in time. Call it in a transaction. */
  cancel(key: string, reason: string): void {
    this.release(key);
    this.#database
      .prepare("UPDATE trips SET state = 'cancelled', reason = ? WHERE key = ? AND state = 'waiting'")
      .run(reason, key);
  }
}

interface EntryDelayRow {
  readonly key: string;
  readonly zone_id: string;
  readonly due_wall: number;
  readonly due_boot: string;
  readonly due_monotonic: number;
}
