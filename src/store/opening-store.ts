import type { Timestamp, TripState } from "../domain/trip.ts";
import type { Database } from "./database.ts";

/** Migration: identifiers of the last openings of zones with `dedupe`, so that a restart repeats none. */
export function createOpenings(database: Database): void {
  database.exec(`
    CREATE TABLE openings(
      zone_id TEXT NOT NULL,
      occasion TEXT NOT NULL,
      from_seq INTEGER NOT NULL,
      PRIMARY KEY(zone_id, occasion)
    ) STRICT, WITHOUT ROWID;
  `);
}

/** The trip caused by an opening. */
export interface OpeningTrip {
  readonly state: TripState;
  readonly moment: Timestamp;
}

/** Identifiers kept per zone; a missing one only causes an extra trip. */
const OCCASIONS_PER_ZONE_MAX = 64;

/** The identifiers of openings and the trips they caused. */
export class OpeningStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The trip of the opening with this identifier; undefined if there is none. */
  tripOf(zoneId: string, occasion: string): OpeningTrip | undefined {
    const row = this.#database
      .prepare(
        `SELECT state, at_wall AS wallMs, boot AS bootId, at_monotonic AS monotonicMs FROM trips
         WHERE zone_id = :zoneId AND about = 'trip'
           AND seq >= (SELECT from_seq FROM openings WHERE zone_id = :zoneId AND occasion = :occasion)
         ORDER BY seq LIMIT 1`,
      )
      .get({ zoneId, occasion }) as ({ state: TripState } & Timestamp) | undefined;
    return row && { state: row.state, moment: row };
  }

  /**
   * Stores the identifier of an opening. Earlier ones without a trip are deleted: the next trip belongs to this
   * one.
   * @param fromSeq the zone's first trip from here on belongs to this opening
   */
  keep(zoneId: string, occasion: string, fromSeq: number): void {
    this.#database
      .prepare(
        `DELETE FROM openings WHERE zone_id = :zoneId AND occasion <> :occasion AND NOT EXISTS
           (SELECT 1 FROM trips WHERE zone_id = :zoneId AND about = 'trip'
              AND seq >= openings.from_seq AND seq < :fromSeq)`,
      )
      .run({ zoneId, occasion, fromSeq });
    this.#database
      .prepare("INSERT OR REPLACE INTO openings(zone_id, occasion, from_seq) VALUES(?, ?, ?)")
      .run(zoneId, occasion, fromSeq);
    this.#database
      .prepare(
        `DELETE FROM openings WHERE zone_id = :zoneId AND occasion NOT IN
           (SELECT occasion FROM openings WHERE zone_id = :zoneId
            ORDER BY from_seq DESC LIMIT ${OCCASIONS_PER_ZONE_MAX})`,
      )
      .run({ zoneId });
  }

  /** Deletes the openings of zones that are not in the configuration. */
  keepOnly(zoneIds: readonly string[]): void {
    this.#database
      .prepare("DELETE FROM openings WHERE zone_id NOT IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(zoneIds));
  }
}
