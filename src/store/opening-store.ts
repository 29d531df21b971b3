import type { Timestamp, TripState } from "../domain/trip.ts";
import type { Database } from "./database.ts";

/** The table of what identified the last openings of zones with `dedupe`, so that a restart repeats none. */
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

/** The trip that an opening was. */
export interface OpeningTrip {
  readonly state: TripState;
  readonly moment: Timestamp;
}

/** Occasions that are kept of one zone; a forgotten one only means one trip more. */
const OCCASIONS_OF_ZONE_MAX = 64;

/** What identified the openings of zones, and the trips that they were. */
export class OpeningStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The trip of the opening that carried this value; undefined where none did, or where it was no trip. */
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
   * Keeps what identified an opening. Earlier ones that have not become a trip are forgotten: the next trip is this one's.
   * @param fromSeq the trip of this opening is the zone's first one from here on
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
            ORDER BY from_seq DESC LIMIT ${OCCASIONS_OF_ZONE_MAX})`,
      )
      .run({ zoneId });
  }

  /** Forgets the openings of zones that are not in the configuration. */
  keepOnly(zoneIds: readonly string[]): void {
    this.#database
      .prepare("DELETE FROM openings WHERE zone_id NOT IN (SELECT value FROM json_each(?))")
      .run(JSON.stringify(zoneIds));
  }
}
