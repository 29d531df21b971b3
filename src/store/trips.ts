import type { InterventionCreate } from "../generated/types.ts";
import type { Incident } from "../domain/incident.ts";
import type { NewTrip, Trip, TripState } from "../domain/trip.ts";
import { Store } from "./database.ts";
import { SummedInsert } from "./row-checksums.ts";
import { transaction } from "./transaction.ts";
import { toTrip, TRIP, type TripRow } from "./trip-row.ts";

/** Smaller differences are clock drift, not a clock step; as in the scheduler. */
const CLOCK_STEP_MS = 30_000;
/** Maximum trips to check, more than can occur within the relevant minutes. */
const CLOCK_STEP_SCAN_ROWS = 1_000;

/** Columns of a new trip, in the order of `insert`. */
const NEW_TRIP_COLUMNS =
  `key zone_id source about cause subject at_wall boot at_monotonic dated earliest_wall body line
  signal confirmed state reason incident attempts`.split(/\s+/);

/** The trips of the journal: every trip, fault and restore, before and after it becomes an intervention. */
export class TripStore extends Store {
  readonly #insert = new SummedInsert(this.database, "trips", NEW_TRIP_COLUMNS);
  readonly #find = this.prepare<TripRow>(`SELECT ${TRIP} FROM trips WHERE key = ?`);
  readonly #nextWaiting = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE state = 'waiting' AND seq > ? AND subject NOT IN (SELECT value FROM json_each(?))
       AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key)
     ORDER BY seq LIMIT 1`,
  );
  readonly #isWaiting = this.prepare(
    "SELECT 1 FROM trips WHERE state = 'waiting' AND subject = ? AND seq < ?",
  );
  readonly #firstWaiting = this.prepare<string>(
    "SELECT zone_id FROM trips WHERE state = 'waiting' AND subject = ? ORDER BY seq LIMIT 1",
  ).pluck();
  readonly #nextUndated = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE dated = 0 AND state IN ('posted','merged') AND boot = ? AND seq > ? ORDER BY seq LIMIT 1`,
  );
  readonly #clearDate = this.prepare(
    `UPDATE trips SET dated = 0
     WHERE dated = 1 AND boot = :id AND at_monotonic >= :sinceMs AND seq > :lastSeq - ${CLOCK_STEP_SCAN_ROWS}
       AND state IN ('waiting','posted','merged') AND abs(at_wall - at_monotonic - :wallMinusMonotonicMs) > ${CLOCK_STEP_MS}`,
  );
  readonly #decide = this.prepare("UPDATE trips SET incident = ? WHERE key = ?");
  readonly #setBody = this.prepare("UPDATE trips SET body = ? WHERE key = ?");
  readonly #resolve = this.prepare(
    "UPDATE trips SET state = ?, intervention_id = ?, reason = ?, last_error = NULL WHERE key = ?",
  );
  readonly #join = this.prepare(
    `UPDATE trips SET state = 'merged', incident = ?, intervention_id = ?, reason = NULL, last_error = NULL
     WHERE key = ?`,
  );
  readonly #markDated = this.prepare("UPDATE trips SET dated = 1, at_wall = ? WHERE key = ?");
  readonly #markFailed = this.prepare(
    "UPDATE trips SET attempts = attempts + 1, last_error = ? WHERE key = ?",
  );
  readonly #markRefused = this.prepare(
    "UPDATE trips SET state = 'refused', attempts = attempts + 1, last_error = ? WHERE key = ?",
  );
  // A rejected request has created no record, so that the trip may join one; but a key that was known with another body has.
  readonly #retryRefused = this.prepare(
    `UPDATE trips SET state = 'waiting',
       incident = CASE WHEN redelivered = 1 OR last_error LIKE '422 %' THEN incident END
     WHERE state = 'refused'`,
  );
  readonly #newest = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  readonly #newestButRestores = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE about <> 'restore' ORDER BY seq DESC LIMIT ?`,
  );
  readonly #ofIntervention = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE intervention_id = ? ORDER BY seq DESC LIMIT ?`,
  );
  readonly #openedIn = this.prepare<string>(
    "SELECT DISTINCT zone_id FROM trips WHERE intervention_id = ? AND about IN ('trip','standing') ORDER BY zone_id",
  ).pluck();
  readonly #classify = this.prepare(
    `UPDATE trips SET subject = ? || '/' || subject
     WHERE zone_id = ? AND state IN ('waiting','refused') AND about = 'trip' AND subject LIKE 'obiective/%'`,
  );
  readonly #hasRefused = this.prepare("SELECT 1 FROM trips WHERE state = 'refused' AND zone_id = ? LIMIT 1");
  readonly #unrecorded = ["waiting", "refused"].map((state) =>
    this.prepare<string>(
      `SELECT zone_id FROM trips WHERE state = '${state}' AND about = 'trip'
         AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key) ORDER BY seq LIMIT ?`,
    ).pluck(),
  );
  readonly #count = this.prepare<number>("SELECT count(*) FROM trips WHERE state = ?").pluck();
  readonly #lastSeq = this.prepare<number>("SELECT coalesce(max(seq), 0) FROM trips").pluck();

  /** @param incident key of the incident that it opens, if already decided */
  insert(trip: NewTrip, incident: string | null = null): void {
    this.#insert.run([
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
      0,
    ]);
  }

  find(key: string): Trip | undefined {
    return this.#find.all(key).map(toTrip)[0];
  }

  /** The oldest trip after `seq` to dispatch now, without trips in their entry delay. @param butOf no trip of these subjects */
  nextWaiting(seq: number, butOf: readonly string[] = []): Trip | undefined {
    return this.#nextWaiting.all(seq, JSON.stringify(butOf)).map(toTrip)[0];
  }

  /** Whether a trip of the subject, older than `beforeSeq`, is still waiting. */
  isWaiting(subject: string, beforeSeq = Number.MAX_SAFE_INTEGER): boolean {
    return this.#isWaiting.get(subject, beforeSeq) !== undefined;
  }

  /** The zone of the oldest trip of the subject that is waiting; undefined if there is none. */
  firstWaiting(subject: string): string | undefined {
    return this.#firstWaiting.get(subject);
  }

  /** The oldest recorded trip of this boot without a reliable time, after `seq`. */
  nextUndated(bootId: string, seq: number): Trip | undefined {
    return this.#nextUndated.all(bootId, seq).map(toTrip)[0];
  }

  /**
   * Marks trips as undated whose wall clock time no longer fits the monotonic one after a clock step.
   * @param boot its id, the difference of its wall and monotonic clock, and the monotonic time from which it applies
   */
  clearDate(boot: { id: string; wallMinusMonotonicMs: number; sinceMs: number }): void {
    this.#clearDate.run({ ...boot, lastSeq: this.lastSeq() });
  }

  /**
   * Stores which incident a trip opens or joins before anything is sent, so that a retry does the same.
   * @param body the request of a trip that opens one, if it differs from the stored body
   */
  decide(key: string, incident: string, body?: InterventionCreate): void {
    this.#decide.run(incident, key);
    if (body) this.#setBody.run(JSON.stringify(body), key);
  }

  /** Stores the final state of a trip, with a reason if the state alone does not explain it. */
  resolve(
    key: string,
    state: "posted" | "recorded",
    interventionId: number,
    reason: string | null = null,
  ): void {
    this.#resolve.run(state, interventionId, reason, key);
  }

  /** A trip has joined an incident. That was not decided before if the text of the record named the trip already. */
  join(key: string, incident: Pick<Incident, "key" | "interventionId">): void {
    this.#join.run(incident.key, incident.interventionId, key);
  }

  markDated(key: string, wallMs: number): void {
    this.#markDated.run(wallMs, key);
  }

  markFailed(key: string, error: string): void {
    this.#markFailed.run(error, key);
  }

  markRefused(key: string, error: string): void {
    this.#markRefused.run(error, key);
  }

  /** Queues every rejected trip again. @returns the number of trips */
  retryRefused(): number {
    return transaction(this.database, () => this.#retryRefused.run().changes);
  }

  /**
   * The newest trips, faults and restores, newest first.
   * @param before only rows with a smaller `seq`
   */
  newest(limit: number, before = Number.MAX_SAFE_INTEGER): Trip[] {
    return this.#newest.all(before, limit).map(toTrip);
  }

  /** The newest trips and faults without restores, newest first. */
  newestButRestores(limit: number): Trip[] {
    return this.#newestButRestores.all(limit).map(toTrip);
  }

  /** The trips of an intervention, newest first. */
  ofIntervention(interventionId: number, limit: number): Trip[] {
    return this.#ofIntervention.all(interventionId, limit).map(toTrip);
  }

  /** The ids of the zones whose openings are in an intervention. */
  openedIn(interventionId: number): string[] {
    return this.#openedIn.all(interventionId);
  }

  /** Adds the class of their zone to the subject of waiting trips of an earlier release. */
  classify(zoneId: string, incidentClass: string): void {
    this.#classify.run(incidentClass, zoneId);
  }

  /** Whether the API has rejected a trip of a zone, or what else it dispatches for it, that is not an intervention yet. */
  hasRefused(zoneId: string): boolean {
    return this.#hasRefused.get(zoneId) !== undefined;
  }

  /** The zone ids of trips to dispatch, not of those in an entry delay, then of rejected ones; at most `limit` of each. */
  unrecordedZones(limit: number): string[] {
    return this.#unrecorded.flatMap((zones) => zones.all(limit));
  }

  count(state: TripState): number {
    return this.#count.get(state) as number;
  }

  /** The `seq` of the newest trip; 0 for none. */
  lastSeq(): number {
    return this.#lastSeq.get() as number;
  }
}
