import type { Contact, KnownContact } from "../domain/zone.ts";
import type { Database } from "./database.ts";

export interface StoredZoneState {
  readonly contact: Contact;
  /** Wall clock of the change, milliseconds since 1970; null before the zone was first seen. */
  readonly sinceWallMs: number | null;
  /** It is normal because its time was over, not because a reading said so. */
  readonly autoRestored: boolean;
  /** A contact that was seen and acknowledged but has not stayed long enough yet. */
  readonly pending?: { readonly contact: KnownContact; readonly sinceWallMs: number; readonly live: boolean };
  /** What the contact was read from, see `sensorOf`; null where an earlier release has written it. */
  readonly sensor: string | null;
}

/** Says with each state what it was read from: a zone that has been given another sensor has not been seen yet. */
export function addSensors(database: Database): void {
  database.exec("ALTER TABLE zone_states ADD COLUMN sensor TEXT");
}

/** What each zone last settled on, and what it was about to settle on. */
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

  /** The zone has not been seen yet. */
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
