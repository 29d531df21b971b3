import type { InterventionCreate } from "../generated/types.ts";
import type { Trip, TripSource, TripState } from "../domain/trip.ts";
import type { TripCause } from "../domain/zone-step.ts";
import type { Database } from "./database.ts";

export interface NewTrip {
  readonly key: string;
  readonly zoneId: string;
  readonly source: TripSource;
  readonly cause: TripCause;
  readonly atWallMs: number;
  readonly body: InterventionCreate;
}

/** The trip journal: every trip that was seen, until it is an intervention and after. */
export class TripStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  insert(trip: NewTrip): void {
    this.#database
      .prepare("INSERT INTO trips(key, zone_id, source, cause, at_wall, body) VALUES(?, ?, ?, ?, ?, ?)")
      .run(trip.key, trip.zoneId, trip.source, trip.cause, trip.atWallMs, JSON.stringify(trip.body));
  }

  /** The oldest trip behind `seq` that is not an intervention yet. */
  nextWaiting(seq: number): Trip | undefined {
    const row = this.#database
      .prepare("SELECT * FROM trips WHERE state = 'waiting' AND seq > ? ORDER BY seq LIMIT 1")
      .get(seq);
    return row === undefined ? undefined : toTrip(row);
  }

  markPosted(key: string, interventionId: number): void {
    this.#database
      .prepare("UPDATE trips SET state = 'posted', intervention_id = ?, last_error = NULL WHERE key = ?")
      .run(interventionId, key);
  }

  markFailed(key: string, error: string): void {
    this.#database
      .prepare("UPDATE trips SET attempts = attempts + 1, last_error = ? WHERE key = ?")
      .run(error, key);
  }

  markRefused(key: string, error: string): void {
    this.#database
      .prepare("UPDATE trips SET state = 'refused', attempts = attempts + 1, last_error = ? WHERE key = ?")
      .run(error, key);
  }

  /** Lets every refused trip be tried again. @returns how many there were */
  retryRefused(): number {
    return this.#database.prepare("UPDATE trips SET state = 'waiting' WHERE state = 'refused'").run().changes;
  }

  /** The newest trips first; `before` is the `seq` that they must be smaller than. */
  newest(limit: number, before = Number.MAX_SAFE_INTEGER): Trip[] {
    return this.#database
      .prepare("SELECT * FROM trips WHERE seq < ? ORDER BY seq DESC LIMIT ?")
      .all(before, limit)
      .map(toTrip);
  }

  /** The trips that have become one intervention, the newest first. */
  ofIntervention(interventionId: number, limit: number): Trip[] {
    return this.#database
      .prepare("SELECT * FROM trips WHERE intervention_id = ? ORDER BY seq DESC LIMIT ?")
      .all(interventionId, limit)
      .map(toTrip);
  }

  count(state: TripState): number {
    return this.#database.prepare("SELECT count(*) FROM trips WHERE state = ?").pluck().get(state) as number;
  }
}

interface TripRow {
  readonly seq: number;
  readonly key: string;
  readonly zone_id: string;
  readonly source: TripSource;
  readonly cause: TripCause;
  readonly at_wall: number;
  readonly body: string;
  readonly state: TripState;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly intervention_id: number | null;
}

function toTrip(found: unknown): Trip {
  const row = found as TripRow;
  return {
    seq: row.seq,
    key: row.key,
    zoneId: row.zone_id,
    source: row.source,
    cause: row.cause,
    atWallMs: row.at_wall,
    body: JSON.parse(row.body) as InterventionCreate,
    state: row.state,
    attempts: row.attempts,
    lastError: row.last_error,
    interventionId: row.intervention_id,
  };
}
