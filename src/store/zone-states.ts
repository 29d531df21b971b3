import type { Contact, KnownContact } from "../domain/zone.ts";
import type { Database } from "./database.ts";

export interface StoredZoneState {
  readonly contact: Contact;
  /** Wall clock of the change, milliseconds since 1970; null before the first reading. */
  readonly sinceWallMs: number | null;
  /** Whether it is normal because of a timeout and not because of a reading. */
  readonly autoRestored: boolean;
  /** A contact that was read and acknowledged but is not confirmed yet. */
  readonly pending?: { readonly contact: KnownContact; readonly sinceWallMs: number; readonly live: boolean };
  /** The sensor of the reading, see `sensorOf`; null if written by an earlier release. */
  readonly sensor: string | null;
}

/** Migration: stores the sensor of each state, because a zone with a new sensor has no reading yet. */
export function addSensors(database: Database): void {
  database.exec("ALTER TABLE zone_states ADD COLUMN sensor TEXT");
}

/** The last contact of each zone, and the pending one. */
export class ZoneStateStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(zoneId: string): StoredZoneState | undefined {
    const row = this.#database.prepare("SELECT * FROM zone_states WHERE zone_id = ?").get(zoneId) as
      | ZoneStateRow
      | undefined;
    if (!row) return undefined;
    const { pending_contact: contact, pending_since_wall: sinceWallMs } = row;
    const pending =
      contact === null || sinceWallMs === null
        ? {}
        : { pending: { contact, sinceWallMs, live: row.pending_live === 1 } };
    return {
      contact: row.contact,
      sinceWallMs: row.since_wall,
      autoRestored: row.rested_by_itself === 1,
      sensor: row.sensor,
      ...pending,
    };
  }

  save(zoneId: string, { contact, sinceWallMs, autoRestored, pending, sensor }: StoredZoneState): void {
    this.#database
      .prepare(
        `INSERT INTO zone_states(zone_id, contact, since_wall, rested_by_itself, pending_contact, pending_since_wall, pending_live, sensor)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT(zone_id) DO UPDATE SET contact = excluded.contact, since_wall = excluded.since_wall,
           rested_by_itself = excluded.rested_by_itself, pending_contact = excluded.pending_contact,
           pending_since_wall = excluded.pending_since_wall, pending_live = excluded.pending_live, sensor = excluded.sensor`,
      )
      .run(
        zoneId,
        contact,
        sinceWallMs,
        Number(autoRestored),
        pending?.contact ?? null,
        pending?.sinceWallMs ?? null,
        pending ? Number(pending.live) : null,
        sensor,
      );
  }

  /** Deletes the state of a zone: it has no reading yet. */
  forget(zoneId: string): void {
    this.#database.prepare("DELETE FROM zone_states WHERE zone_id = ?").run(zoneId);
  }
}

interface ZoneStateRow {
  readonly contact: Contact;
  readonly since_wall: number | null;
  readonly rested_by_itself: 0 | 1;
  readonly pending_contact: KnownContact | null;
  readonly pending_since_wall: number | null;
  readonly pending_live: 0 | 1 | null;
  readonly sensor: string | null;
}
