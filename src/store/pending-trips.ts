import { isLifeSafetySubject, LIFE_SAFETY_CLASSES } from "../domain/incident.ts";
import type { Timestamp, Trip } from "../domain/trip.ts";
import { Store } from "./database.ts";
import { toTrip, TRIP, type TripRow } from "./trip-row.ts";

/** A trip that waits for the end of its zone's entry delay. */
export interface EntryDelay {
  readonly key: string;
  readonly zoneId: string;
  /** When the delay ends. */
  readonly due: Timestamp;
  /** The zone's gate at the opening, as text; null or undefined in a row of an earlier release. */
  readonly gate?: string | null | undefined;
}

/** The waiting trips that are within their entry delay. An earlier release without delays dispatches them at once. */
export class EntryDelayStore extends Store {
  readonly #add = this.prepare(
    "INSERT INTO entry_delays(key, zone_id, due_wall, due_boot, due_monotonic, gate) VALUES(?, ?, ?, ?, ?, ?)",
  );
  readonly #list = this.prepare<Omit<EntryDelay, "due"> & Timestamp>(
    `SELECT key, zone_id AS zoneId, due_wall AS wallMs, due_boot AS bootId, due_monotonic AS monotonicMs, gate
     FROM entry_delays`,
  );
  readonly #release = this.prepare("DELETE FROM entry_delays WHERE key = ?");
  readonly #cancel = this.prepare(
    "UPDATE trips SET state = 'cancelled', reason = ? WHERE key = ? AND state = 'waiting'",
  );

  /** Call it in the transaction of the trip. */
  add({ key, zoneId, due, gate = null }: EntryDelay): void {
    this.#add.run(key, zoneId, due.wallMs, due.bootId, due.monotonicMs, gate);
  }

  list(): EntryDelay[] {
    return this.#list.all().map(({ key, zoneId, gate, ...due }) => ({ key, zoneId, due, gate }));
  }

  /** Ends the delay: the trip is dispatched. */
  release(key: string): void {
    this.#release.run(key);
  }

  /** Cancels a trip because the gate was disarmed in time. Call it in a transaction. */
  cancel(key: string, reason: string): void {
    this.release(key);
    this.#cancel.run(reason, key);
  }
}

/** Restores of zones among the trips of the journal, and those still to be added to a record. */
export class RestoreStore extends Store {
  readonly #openingBefore = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE zone_id = ? AND seq < ? AND about IN ('trip','standing')
     ORDER BY seq DESC LIMIT 1`,
  );
  readonly #newest = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE zone_id = ? AND about IN ('trip','standing','restore')
     ORDER BY seq DESC LIMIT 1`,
  );
  readonly #addPending = this.prepare("INSERT INTO pending_restores(key) VALUES(?)");
  readonly #nextPending = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM pending_restores JOIN trips USING(key) WHERE trips.seq > ? ORDER BY trips.seq LIMIT 1`,
  );
  readonly #removePending = this.prepare("DELETE FROM pending_restores WHERE key = ?");
  readonly #markNoted = this.prepare(
    "UPDATE trips SET state = 'merged', intervention_id = ?, reason = NULL WHERE key = ?",
  );
  readonly #markRecorded = this.prepare("UPDATE trips SET reason = ?, intervention_id = ? WHERE key = ?");

  /** The newest opening of a zone before `seq`, with any disposition, including contacts found open at the start. */
  openingBefore(zoneId: string, seq = Number.MAX_SAFE_INTEGER): Trip | undefined {
    return this.#openingBefore.all(zoneId, seq).map(toTrip)[0];
  }

  /** The opening of a zone that is open now; undefined if none was recorded since its last restore. */
  currentOpening(zoneId: string): Trip | undefined {
    const row = this.#newest.get(zoneId);
    return row === undefined || row.type === "restore" ? undefined : toTrip(row);
  }

  /** Queues a restore to be added to the record of its opening. Call it in the transaction of the restore. */
  addPending(key: string): void {
    this.#addPending.run(key);
  }

  /** The oldest queued restore after `seq`. */
  nextPending(seq: number): Trip | undefined {
    return this.#nextPending.all(seq).map(toTrip)[0];
  }

  /** The restore was added to the text of an intervention. */
  markNoted(key: string, interventionId: number): void {
    this.#removePending.run(key);
    this.#markNoted.run(interventionId, key);
  }

  /**
   * The restore stays in the journal only.
   * @param reason why it is in no record
   */
  markRecorded(key: string, reason: string, interventionId: number | null): void {
    this.#removePending.run(key);
    this.#markRecorded.run(reason, interventionId, key);
  }
}

/** A trip's subject begins with its class. */
const IS_LIFE_SAFETY = `(${LIFE_SAFETY_CLASSES.map((one) => `subject LIKE '${one}/%'`).join(" OR ")})`;

/** The trips that should have a record and have none yet: waiting for the local API, or rejected by it. */
export class UnrecordedTrips extends Store {
  readonly #urgent = this.prepare<TripRow>(
    `SELECT ${TRIP} FROM trips WHERE state = 'waiting' AND seq > ? AND ${IS_LIFE_SAFETY}
       AND subject NOT IN (SELECT value FROM json_each(?))
       AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key) ORDER BY seq LIMIT 1`,
  );
  // One query per state, because each has its own index.
  readonly #worst = ["waiting", "refused"].map((state) =>
    this.prepare<TripRow>(
      `SELECT ${TRIP} FROM trips WHERE state = '${state}' AND about = 'trip'
         AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key)
       ORDER BY ${IS_LIFE_SAFETY} DESC, seq DESC LIMIT ?`,
    ),
  );

  /** The oldest waiting trip of life safety after `seq`. @param butOf no trip of these subjects */
  urgent(seq: number, butOf: readonly string[]): Trip | undefined {
    return this.#urgent.all(seq, JSON.stringify(butOf)).map(toTrip)[0];
  }

  /** Life safety first, then waiting trips before rejected ones, each newest first; at most `limit` together. */
  worst(limit: number): Trip[] {
    return this.#worst
      .flatMap((trips) => trips.all(limit).map(toTrip))
      .toSorted((a, b) => Number(isLifeSafetySubject(b.subject)) - Number(isLifeSafetySubject(a.subject)))
      .slice(0, limit);
  }
}
