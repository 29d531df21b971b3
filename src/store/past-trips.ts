import type { Trip } from "../domain/trip.ts";
import { Store } from "./database.ts";

/** More than a busy site has in a week. */
const ROWS_MAX = 10_000;
/** Trips with a reliable time are in its order but for this difference: larger ones are clock steps, after which they are undated. */
const CLOCK_DRIFT_MS = 3_600_000;

/** What the history of a zone shows of a trip, fault or restore. */
export type PastTrip = Pick<Trip, "zoneId" | "type" | "subject" | "state" | "reason" | "interventionId"> & {
  readonly wallMs: number;
};

/** The rows of a period that were read. */
export interface PastTrips {
  readonly rows: readonly PastTrip[];
  /** Time of the newest row of the period that was left out, milliseconds since 1970: later ones are complete. Undefined if all were read. */
  readonly leftOutMs: number | undefined;
}

/**
 * The trips of a period, for charts. There is no index by time, which would cost a page of the disk for each trip: a read goes
 * back from the newest trip to the first that is certainly older.
 */
export class PastTripStore extends Store {
  readonly #lastSeq = this.prepare<number>("SELECT coalesce(max(seq), 0) FROM trips").pluck();
  readonly #lastBefore = this.prepare<number>(
    `SELECT seq FROM trips WHERE seq > :first AND dated = 1 AND at_wall < :sinceMs - ${CLOCK_DRIFT_MS}
     ORDER BY seq DESC LIMIT 1`,
  ).pluck();
  readonly #newestUntil = this.prepare<number>(
    "SELECT at_wall FROM trips WHERE seq <= :first AND dated = 1 ORDER BY seq DESC LIMIT 1",
  ).pluck();
  readonly #between = this.prepare<PastTrip>(
    `SELECT zone_id AS zoneId, about AS type, subject, state, reason, intervention_id AS interventionId, at_wall AS wallMs
     FROM trips WHERE seq > :after AND at_wall BETWEEN :sinceMs AND :untilMs ORDER BY seq`,
  );

  /** The rows between two wall clock times, in order of writing, among the newest ten thousand. */
  between(sinceMs: number, untilMs: number): PastTrips {
    const first = (this.#lastSeq.get() ?? 0) - ROWS_MAX;
    const older = this.#lastBefore.get({ first, sinceMs });
    const rows = this.#between.all({ after: older ?? first, sinceMs, untilMs });
    const leftOutMs = older === undefined ? this.#newestUntil.get({ first }) : undefined;
    return { rows, leftOutMs: leftOutMs !== undefined && leftOutMs >= sinceMs ? leftOutMs : undefined };
  }
}
