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

/** The wall clock times of a period, milliseconds since 1970. */
interface Period {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/**
 * The trips of a period, for charts. There is no index by time, which would cost a page of the disk for each trip: a read goes
 * back from the newest trip to the first that is certainly older.
 */
export class PastTripStore extends Store {
  readonly #all = this.#reads("true", `SELECT max(seq) - ${ROWS_MAX} FROM trips`);
  readonly #ofZone = this.#reads(
    "zone_id = :zone",
    `SELECT seq FROM trips WHERE zone_id = :zone ORDER BY seq DESC LIMIT 1 OFFSET ${ROWS_MAX}`,
  );

  /** @param lastLeftOut the last row that is not among the newest ten thousand */
  #reads(condition: string, lastLeftOut: string) {
    return {
      lastLeftOut: this.prepare<number | null>(lastLeftOut).pluck(),
      lastBefore: this.prepare<number>(
        `SELECT seq FROM trips WHERE ${condition} AND seq > :first AND dated = 1
           AND at_wall < :sinceMs - ${CLOCK_DRIFT_MS} ORDER BY seq DESC LIMIT 1`,
      ).pluck(),
      newestUntil: this.prepare<number>(
        `SELECT at_wall FROM trips WHERE ${condition} AND seq <= :first AND dated = 1 ORDER BY seq DESC LIMIT 1`,
      ).pluck(),
      between: this.prepare<PastTrip>(
        `SELECT zone_id AS zoneId, about AS type, subject, state, reason, intervention_id AS interventionId,
           at_wall AS wallMs
         FROM trips WHERE ${condition} AND seq > :after AND at_wall BETWEEN :sinceMs AND :untilMs ORDER BY seq`,
      ),
    };
  }

  /**
   * The rows of a period, in order of writing, among the newest ten thousand.
   * @param zone only rows of this zone, among its own newest ten thousand
   */
  between({ sinceMs, untilMs }: Period, zone?: string): PastTrips {
    const reads = zone === undefined ? this.#all : this.#ofZone;
    const of = zone === undefined ? {} : { zone };
    const first = reads.lastLeftOut.get(of) ?? 0;
    const older = reads.lastBefore.get({ ...of, first, sinceMs });
    const rows = reads.between.all({ ...of, after: older ?? first, sinceMs, untilMs });
    const leftOutMs = older === undefined ? reads.newestUntil.get({ ...of, first }) : undefined;
    return { rows, leftOutMs: leftOutMs !== undefined && leftOutMs >= sinceMs ? leftOutMs : undefined };
  }
}
