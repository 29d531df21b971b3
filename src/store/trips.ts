import type { InterventionCreate } from "../generated/types.ts";
import type { NewTrip, Trip, TripState } from "../domain/trip.ts";
import type { Database } from "./database.ts";
import { toTrip } from "./trip-row.ts";

/** The trips of the journal: every trip, fault and restore, before and after it becomes an intervention. */
export class TripStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @param incident key of the incident that it opens, if already decided */
  insert(trip: NewTrip, incident: string | null = null): void {
    this.#database
      .prepare(
        `INSERT INTO trips(key, zone_id, source, about, cause, subject, at_wall, boot, at_monotonic, dated,
           earliest_wall, body, line, signal, confirmed, state, reason, incident)
         VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        trip.key,
        trip.zoneId,
        trip.source,
        trip.type,
        trip.cause,
        trip.subject,
        trip.moment.wallMs,
        trip.moment.bootId,
        trip.moment.monotonicMs,
        Number(trip.isDated),
        trip.earliestWallMs,
        JSON.stringify(trip.body),
        trip.line,
        JSON.stringify(trip.signal),
        trip.confirmed === null ? null : JSON.stringify(trip.confirmed),
        trip.state,
        trip.reason,
        incident,
      );
  }

  find(key: string): Trip | undefined {
    return this.#one("SELECT * FROM trips WHERE key = ?", key);
  }

  /** The oldest trip after `seq` to dispatch now, without trips in their entry delay. */
  nextWaiting(seq: number): Trip | undefined {
    return this.#one(
      `SELECT * FROM trips WHERE state = 'waiting' AND seq > ?
         AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key)
       ORDER BY seq LIMIT 1`,
      seq,
    );
  }

  /** Whether a trip of the subject, older than `beforeSeq`, is still waiting. */
  isWaiting(subject: string, beforeSeq = Number.MAX_SAFE_INTEGER): boolean {
    return (
      this.#database
        .prepare("SELECT 1 FROM trips WHERE state = 'waiting' AND subject = ? AND seq < ?")
        .get(subject, beforeSeq) !== undefined
    );
  }

  /** The oldest recorded trip of this boot without a reliable time, after `seq`. */
  nextUndated(bootId: string, seq: number): Trip | undefined {
    return this.#one(
      "SELECT * FROM trips WHERE dated = 0 AND state IN ('posted','merged') AND boot = ? AND seq > ? ORDER BY seq LIMIT 1",
      bootId,
      seq,
    );
  }

  /**
   * Marks trips as undated whose wall clock time no longer fits the monotonic one after a clock step.
   * @param boot id of the boot, difference of wall and monotonic clock, and the monotonic time from which it
   * applies
   */
  clearDate(boot: {
    readonly id: string;
    readonly wallMinusMonotonicMs: number;
    readonly sinceMs: number;
  }): void {
    this.#database
      .prepare(
        `UPDATE trips SET dated = 0
         WHERE dated = 1 AND boot = :id AND at_monotonic >= :sinceMs AND seq > :lastSeq - ${CLOCK_STEP_SCAN_ROWS}
           AND state IN ('waiting','posted','merged') AND abs(at_wall - at_monotonic - :wallMinusMonotonicMs) > ${CLOCK_STEP_MS}`,
      )
      .run({ ...boot, lastSeq: this.lastSeq() });
  }

  /**
   * Stores which incident a trip opens or joins before anything is sent, so that a retry does the same.
   * @param body the request of a trip that opens one, if it differs from the stored body
   */
  decide(key: string, incident: string, body?: InterventionCreate): void {
    this.#database.prepare("UPDATE trips SET incident = ? WHERE key = ?").run(incident, key);
    if (body)
      this.#database.prepare("UPDATE trips SET body = ? WHERE key = ?").run(JSON.stringify(body), key);
  }

  /** Stores the final state of a trip, with a reason if the state alone does not explain it. */
  resolve(
    key: string,
    state: "posted" | "merged" | "recorded",
    interventionId: number,
    reason: string | null = null,
  ): void {
    this.#database
      .prepare("UPDATE trips SET state = ?, intervention_id = ?, reason = ?, last_error = NULL WHERE key = ?")
      .run(state, interventionId, reason, key);
  }

  markDated(key: string, wallMs: number): void {
    this.#database.prepare("UPDATE trips SET dated = 1, at_wall = ? WHERE key = ?").run(wallMs, key);
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

  /**
   * Queues every rejected trip again.
   * @returns the number of trips
   */
  retryRefused(): number {
    return this.#database.prepare("UPDATE trips SET state = 'waiting' WHERE state = 'refused'").run().changes;
  }

  /**
   * The newest trips, faults and restores, newest first.
   * @param before only rows with a smaller `seq`
   */
  newest(limit: number, before = Number.MAX_SAFE_INTEGER): Trip[] {
    return this.#database
      .prepare("SELECT * FROM trips WHERE seq < ? ORDER BY seq DESC LIMIT ?")
      .all(before, limit)
      .map(toTrip);
  }

  /** Adds the class of their zone to the subject of waiting trips of an earlier release. */
  classify(zoneId: string, incidentClass: string): void {
    this.#database
      .prepare(
        `UPDATE trips SET subject = ? || '/' || subject
         WHERE zone_id = ? AND state IN ('waiting','refused') AND about = 'trip' AND subject LIKE 'obiective/%'`,
      )
      .run(incidentClass, zoneId);
  }

  /** Whether the API has rejected a trip of a zone that is not an intervention yet. */
  hasRefused(zoneId: string): boolean {
    return (
      this.#database
        .prepare("SELECT 1 FROM trips WHERE state = 'refused' AND about = 'trip' AND zone_id = ? LIMIT 1")
        .get(zoneId) !== undefined
    );
  }

  /** The newest trips and faults without restores, newest first. */
  newestButRestores(limit: number): Trip[] {
    return this.#database
      .prepare("SELECT * FROM trips WHERE about <> 'restore' ORDER BY seq DESC LIMIT ?")
      .all(limit)
      .map(toTrip);
  }

  /** The rows between two wall clock times in order of writing, at most the newest ten thousand. */
  between(sinceMs: number, untilMs: number): Trip[] {
    return this.#database
      .prepare("SELECT * FROM trips WHERE at_wall BETWEEN ? AND ? ORDER BY seq DESC LIMIT 10000")
      .all(sinceMs, untilMs)
      .map(toTrip)
      .toReversed();
  }

  /** The trips of an intervention, newest first. */
  ofIntervention(interventionId: number, limit: number): Trip[] {
    return this.#database
      .prepare("SELECT * FROM trips WHERE intervention_id = ? ORDER BY seq DESC LIMIT ?")
      .all(interventionId, limit)
      .map(toTrip);
  }

  countsAfter(seq: number, rows: number): { counts: TripCount[]; last: number; isNewest: boolean } {
    const newest = this.lastSeq();
    const last = Math.min(newest, seq + rows);
    const counts = this.#database
      .prepare(
        `SELECT zone_id AS zoneId, state, count(*) AS count FROM trips
         WHERE seq > ? AND seq <= ? AND about = 'trip' GROUP BY zone_id, state`,
      )
      .all(seq, last) as TripCount[];
    return { counts, last, isNewest: last === newest };
  }

  count(state: TripState): number {
    return this.#database.prepare("SELECT count(*) FROM trips WHERE state = ?").pluck().get(state) as number;
  }

  /** The `seq` of the newest trip; 0 for none. */
  lastSeq(): number {
    return this.#database.prepare("SELECT coalesce(max(seq), 0) FROM trips").pluck().get() as number;
  }

  /**
   * Number and last time of the trips of each zone in a walk test.
   * @param after `seq` before the test
   */
  tested(after: number): { zoneId: string; trips: number; lastWallMs: number }[] {
    return this.#database
      .prepare(
        `SELECT zone_id AS zoneId, count(*) AS trips, max(at_wall) AS lastWallMs FROM trips
         WHERE seq > ? AND state = 'test' AND about = 'trip' GROUP BY zone_id`,
      )
      .all(after) as { zoneId: string; trips: number; lastWallMs: number }[];
  }

  #one(sql: string, ...parameters: readonly (string | number)[]): Trip | undefined {
    const row = this.#database.prepare(sql).get(...parameters);
    return row === undefined ? undefined : toTrip(row);
  }
}

/** Smaller differences are clock drift, not a clock step; as in the scheduler. */
const CLOCK_STEP_MS = 30_000;
/** Maximum trips to check, more than can occur within the relevant minutes. */
const CLOCK_STEP_SCAN_ROWS = 1_000;

/** The number of trips of a zone in a state. */
export interface TripCount {
  readonly zoneId: string;
  readonly state: TripState;
  readonly count: number;
}
