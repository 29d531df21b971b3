import type { Database } from "./database.ts";

/** A zone that a user has taken out of service for a limited time. */
export interface Bypass {
  readonly zoneId: string;
  readonly reason: string;
  readonly who: string;
  /** Wall clock, milliseconds since 1970. */
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
}

/** A period in which every trip is a test and nothing is dispatched. */
export interface WalkTest {
  readonly id: number;
  readonly who: string;
  /** Trips of this test have a larger `seq`. */
  readonly afterSeq: number;
  readonly sinceWallMs: number;
  readonly untilWallMs: number;
  /** Null while it runs. */
  readonly endedWallMs: number | null;
}

/** The last state of a gate, since `sinceWallMs` (wall clock, milliseconds since 1970). */
export interface StoredGateState {
  readonly state: "open" | "closed";
  readonly sinceWallMs: number;
}

/** Overrides by users: bypasses, walk tests and gate states. */
export class OverrideStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  bypasses(): Bypass[] {
    return this.#database
      .prepare(
        "SELECT zone_id AS zoneId, reason, who, since_wall AS sinceWallMs, until_wall AS untilWallMs FROM bypasses",
      )
      .all() as Bypass[];
  }

  saveBypass({ zoneId, reason, who, sinceWallMs, untilWallMs }: Bypass): void {
    this.#database
      .prepare(
        "INSERT OR REPLACE INTO bypasses(zone_id, reason, who, since_wall, until_wall) VALUES(?, ?, ?, ?, ?)",
      )
      .run(zoneId, reason, who, sinceWallMs, untilWallMs);
  }

  deleteBypass(zoneId: string): void {
    this.#database.prepare("DELETE FROM bypasses WHERE zone_id = ?").run(zoneId);
  }

  latestWalkTest(): WalkTest | undefined {
    return this.#database
      .prepare(
        `SELECT id, who, after_seq AS afterSeq, since_wall AS sinceWallMs, until_wall AS untilWallMs,
           ended_wall AS endedWallMs FROM walk_tests ORDER BY id DESC LIMIT 1`,
      )
      .get() as WalkTest | undefined;
  }

  startWalkTest({ who, afterSeq, sinceWallMs, untilWallMs }: Omit<WalkTest, "id" | "endedWallMs">): void {
    this.#database
      .prepare("INSERT INTO walk_tests(who, after_seq, since_wall, until_wall) VALUES(?, ?, ?, ?)")
      .run(who, afterSeq, sinceWallMs, untilWallMs);
  }

  /** The last state of a gate from its switch or message; undefined before the first one. */
  gateState(gate: string): StoredGateState | undefined {
    return this.#database
      .prepare("SELECT state, since_wall AS sinceWallMs FROM gate_states WHERE gate = ?")
      .get(gate) as StoredGateState | undefined;
  }

  saveGateState(gate: string, { state, sinceWallMs }: StoredGateState): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO gate_states(gate, state, since_wall) VALUES(?, ?, ?)")
      .run(gate, state, sinceWallMs);
  }

  endWalkTest(id: number, wallMs: number): void {
    this.#database.prepare("UPDATE walk_tests SET ended_wall = ? WHERE id = ?").run(wallMs, id);
  }
}
