import { Store } from "./database.ts";

interface RecordedTrip {
  readonly zoneId: string;
  readonly interventionId: number;
}

/** Trips read at once, the newest: one of an unfinished alarm before 5,000 later trips is no longer found. */
const ROWS_MAX = 5_000;

/** Trips without a record that are read, the newest of each state: a long outage of the local API leaves more. */
const PENDING_MAX = 2_000;

/** The trips of the journal by what has become of them, for the alarms of each zone. */
export class AlarmTrips extends Store {
  readonly #recorded = this.prepare<RecordedTrip>(
    `SELECT zone_id AS zoneId, intervention_id AS interventionId FROM trips
     WHERE seq >= ? AND about IN ('trip','standing') AND state IN ('posted','merged')
     ORDER BY seq DESC LIMIT ${ROWS_MAX}`,
  );
  // By intervention, because a busy site has many later trips without one.
  readonly #newest = this.prepare<string>(
    `SELECT key FROM trips WHERE intervention_id IS NOT NULL AND about = 'trip'
       AND state IN ('posted','merged') ORDER BY intervention_id DESC, seq LIMIT 1`,
  ).pluck();
  readonly #last = this.prepare<number>("SELECT coalesce(max(seq), 0) FROM trips").pluck();
  // One query per state, because each has its own index.
  readonly #firsts = ["waiting", "refused"].map((state) =>
    this.prepare<number | null>(`SELECT min(seq) FROM trips WHERE state = '${state}'`).pluck(),
  );
  readonly #pending = ["waiting", "refused"].map((state) =>
    this.prepare<string>(
      `SELECT DISTINCT zone_id FROM (
         SELECT zone_id FROM trips WHERE state = '${state}' AND about = 'trip'
           AND NOT EXISTS(SELECT 1 FROM entry_delays WHERE entry_delays.key = trips.key)
         ORDER BY seq DESC LIMIT ${PENDING_MAX}
       )`,
    ).pluck(),
  );

  /** Key of the trip that made the newest intervention of a zone, not an inspection of open contacts; undefined for none. */
  last(): string | undefined {
    return this.#newest.get();
  }

  /** Trips that are recorded, from a position in the journal on; the newest first. */
  recordedFrom(seq: number): RecordedTrip[] {
    return this.#recorded.all(seq);
  }

  /** The position before which every trip has its record or needs none. */
  settledBefore(): number {
    const firsts = this.#firsts.map((first) => first.get() ?? null).filter((seq) => seq !== null);
    return Math.min((this.#last.get() ?? 0) + 1, ...firsts);
  }

  /** Zones with a dispatched trip that is not recorded yet. */
  pendingZones(): string[] {
    return this.#pending.flatMap((zones) => zones.all());
  }
}
