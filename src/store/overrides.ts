import type { NewTrip, Timestamp } from "../domain/trip.ts";
import { Store } from "./database.ts";

/** A zone that a user has taken out of service for a limited time. */
export interface Bypass {
  readonly zoneId: string;
  readonly reason: string;
  readonly who: string;
  /** Wall clock, milliseconds since 1970. */
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
}

/** A zone that has tripped in a walk test. */
export interface TestedZone {
  readonly zoneId: string;
  /** Its sensor at that time, see `sensorOf`; null if it is not known. */
  readonly sensor: string | null;
  /** Wall clock, milliseconds since 1970. */
  readonly testedWallMs: number;
}

/** The last state of a gate, and since when. */
export interface StoredGateState {
  readonly state: "open" | "closed";
  /** Its boot is empty in a row of an earlier release, which has only the wall clock. */
  readonly since: Timestamp;
}

/** Overrides by users with what they leave: bypasses, zones tested in walk tests, and gate states. */
export class OverrideStore extends Store {
  readonly #bypasses = this.prepare<Bypass>(
    "SELECT zone_id AS zoneId, reason, who, since_wall AS sinceWallMs, until_wall AS untilWallMs FROM bypasses",
  );
  readonly #saveBypass = this.prepare(
    "INSERT OR REPLACE INTO bypasses(zone_id, reason, who, since_wall, until_wall) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #deleteBypass = this.prepare("DELETE FROM bypasses WHERE zone_id = ?");
  readonly #keepTested = this.prepare(
    "INSERT OR REPLACE INTO tested_zones(zone_id, sensor, tested_wall) VALUES(?, ?, ?)",
  );
  readonly #takeTested = this.prepare(
    "INSERT OR IGNORE INTO tested_zones(zone_id, sensor, tested_wall) VALUES(?, ?, ?)",
  );
  // The other columns of a group are those of its row with max(seq).
  readonly #dateTested = this.prepare(
    `UPDATE tested_zones SET tested_wall = CAST(round(:wallMs - (:monotonicMs - latest.at_monotonic)) AS INTEGER)
     FROM (SELECT zone_id, max(seq), at_wall, at_monotonic FROM trips
       WHERE dated = 0 AND boot = :bootId AND state = 'test' AND about = 'trip' GROUP BY zone_id) AS latest
     WHERE latest.zone_id = tested_zones.zone_id AND latest.at_wall = tested_wall`,
  );
  readonly #tested = this.prepare<TestedZone>(
    "SELECT zone_id AS zoneId, sensor, tested_wall AS testedWallMs FROM tested_zones",
  );
  readonly #forgetTested = this.prepare("DELETE FROM tested_zones WHERE zone_id = ?");
  readonly #gateState = this.prepare<Timestamp & Pick<StoredGateState, "state">>(
    `SELECT state, since_wall AS wallMs, coalesce(since_boot, '') AS bootId,
       coalesce(since_monotonic, 0) AS monotonicMs FROM gate_states WHERE gate = ?`,
  );
  readonly #saveGateState = this.prepare(
    `INSERT OR REPLACE INTO gate_states(gate, state, since_wall, since_boot, since_monotonic) VALUES(?, ?, ?, ?, ?)`,
  );

  readonly #gatesWithState = this.prepare<string>("SELECT gate FROM gate_states").pluck();
  readonly #deleteGateState = this.prepare("DELETE FROM gate_states WHERE gate = ?");

  bypasses(): Bypass[] {
    return this.#bypasses.all();
  }

  saveBypass({ zoneId, reason, who, sinceWallMs, untilWallMs }: Bypass): void {
    this.#saveBypass.run(zoneId, reason, who, sinceWallMs, untilWallMs);
  }

  deleteBypass(zoneId: string): void {
    this.#deleteBypass.run(zoneId);
  }

  /**
   * Keeps which zones have been tested, if these trips are those of a walk test: trips are removed by age.
   * @param sensor the sensor of the trips, which the zone may have no longer when the test ends
   */
  keepTested(trips: readonly NewTrip[], sensor: string | null): void {
    for (const { type, state, zoneId, moment } of trips)
      if (type === "trip" && state === "test") this.#keepTested.run(zoneId, sensor, moment.wallMs);
  }

  /** Dates the tests of this boot from before its clock was set. @param now with a clock that is set */
  dateTested(now: Timestamp): void {
    this.#dateTested.run(now);
  }

  testedZones(): TestedZone[] {
    return this.#tested.all();
  }

  /** Adds what another journal knew of zones of which this one knows nothing. */
  takeTested(zones: readonly TestedZone[]): void {
    for (const { zoneId, sensor, testedWallMs } of zones) this.#takeTested.run(zoneId, sensor, testedWallMs);
  }

  /** For a zone that is removed: another one may have its id later. */
  forgetZone(zoneId: string): void {
    this.deleteBypass(zoneId);
    this.#forgetTested.run(zoneId);
  }

  /** The last state of a gate from its switch or message; undefined before the first one. */
  gateState(gate: string): StoredGateState | undefined {
    const row = this.#gateState.get(gate);
    if (!row) return undefined;
    const { state, ...since } = row;
    return { state, since };
  }

  /** Deletes the states of all other gates. */
  keepGateStates(gates: ReadonlySet<string>): void {
    for (const gate of this.#gatesWithState.all()) if (!gates.has(gate)) this.#deleteGateState.run(gate);
  }

  saveGateState(gate: string, { state, since }: StoredGateState): void {
    this.#saveGateState.run(gate, state, since.wallMs, since.bootId, since.monotonicMs);
  }
}
