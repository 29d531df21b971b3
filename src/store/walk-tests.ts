import { createHash } from "node:crypto";
import type { WalkTestResult } from "../domain/walk-test.ts";
import { canonical } from "../domain/zone-changes.ts";
import type { Zone } from "../domain/zone.ts";
import { Store } from "./database.ts";
import { lastNumbers, setLastNumber } from "./sequence-gaps.ts";
import { storedJson } from "./stored-json.ts";
import { transaction } from "./transaction.ts";

/** Results that are kept: weekly tests of ten years. Without a limit, a client that starts and ends tests would fill the disk. */
export const WALK_TESTS_MAX = 500;

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
  /** The zones at its start; none for a test that an earlier release started. */
  readonly zones: readonly TestableZone[];
}

type TestableZone = Pick<Zone, "id" | "name" | "kind">;

/** The stored result of a test, and the hash of this text. */
export interface StoredResult {
  /** Canonical JSON of a `WalkTestResult`. */
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal digits. */
  readonly sha256: string;
}

/** Whether a result is as it was stored. */
export function isIntact({ text, sha256 }: StoredResult): boolean {
  return hashOf(text) === sha256;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A test that has ended, in a list. The last four are null for one that ended with an earlier release. */
export interface EndedWalkTest {
  readonly id: number;
  readonly who: string;
  readonly sinceWallMs: number;
  readonly endedWallMs: number;
  readonly endedBy: string | null;
  readonly zones: number | null;
  readonly tested: number | null;
  readonly sha256: string | null;
}

/** The columns of an `EndedWalkTest` after its number. */
export const ENDED = `who, since_wall AS sinceWallMs, ended_wall AS endedWallMs, ended_by AS endedBy, zone_count AS zones,
  tested_count AS tested, sha256`;

/** The trips of a zone in a test. Wall clock, milliseconds since 1970. */
export interface ZoneTrips {
  readonly zoneId: string;
  readonly trips: number;
  readonly firstWallMs: number;
  readonly lastWallMs: number;
}

/** Walk tests with their results. */
export class WalkTestStore extends Store {
  readonly #latest = this.prepare<Omit<WalkTest, "zones"> & { readonly zones: string | null }>(
    `SELECT id, who, after_seq AS afterSeq, since_wall AS sinceWallMs, until_wall AS untilWallMs,
       ended_wall AS endedWallMs, zones_at_start AS zones FROM walk_tests ORDER BY id DESC LIMIT 1`,
  );
  readonly #start = this.prepare(
    `INSERT INTO walk_tests(who, after_seq, since_wall, until_wall, zones_at_start)
     VALUES(:who, :afterSeq, :sinceWallMs, :untilWallMs, :zones)`,
  );
  readonly #date = this.prepare(
    "UPDATE walk_tests SET since_wall = :sinceWallMs, until_wall = :untilWallMs WHERE id = :id",
  );
  readonly #extend = this.prepare("UPDATE walk_tests SET until_wall = ? WHERE id = ?");
  readonly #end = this.prepare(
    `UPDATE walk_tests SET ended_wall = ?, ended_by = ?, zone_count = ?, tested_count = ?, result = ?, sha256 = ?
     WHERE id = ?`,
  );
  readonly #removeOld = this.prepare("DELETE FROM walk_tests WHERE id <= ?");
  readonly #tripsAfter = this.prepare<ZoneTrips>(
    `SELECT zone_id AS zoneId, count(*) AS trips, min(at_wall) AS firstWallMs, max(at_wall) AS lastWallMs FROM trips
     WHERE seq > ? AND state = 'test' AND about = 'trip' GROUP BY zone_id`,
  );
  readonly #result = this.prepare<StoredResult>(
    "SELECT result AS text, sha256 FROM walk_tests WHERE id = ? AND result IS NOT NULL",
  );
  readonly #ended = this.prepare<EndedWalkTest>(
    `SELECT id, ${ENDED} FROM walk_tests WHERE ended_wall IS NOT NULL AND id < ? ORDER BY id DESC LIMIT ?`,
  );
  readonly #withResult = this.prepare<EndedWalkTest>(
    `SELECT id, ${ENDED} FROM walk_tests WHERE result IS NOT NULL AND ended_wall IS NOT NULL ORDER BY id`,
  );

  /** The running test, or the last one. */
  latest(): WalkTest | undefined {
    const row = this.#latest.get();
    return row && { ...row, zones: storedJson<TestableZone[]>(row.zones ?? "[]", []) };
  }

  /** @returns the test with its number */
  start(test: Omit<WalkTest, "id" | "endedWallMs">): WalkTest {
    const zones = test.zones.map(({ id, name, kind }) => ({ id, name, kind }));
    const { lastInsertRowid } = this.#start.run({ ...test, zones: JSON.stringify(zones) });
    return { ...test, zones, id: Number(lastInsertRowid), endedWallMs: null };
  }

  /** The next test has a larger number than this: a restored backup has results of tests that a new journal does not know. */
  continueAfter(number: number): void {
    transaction(this.database, () => {
      if ((lastNumbers(this.database)["walk_tests"] ?? 0) < number)
        setLastNumber(this.database, "walk_tests", number);
    });
  }

  /** Stores other times of a running test. */
  date({ id, sinceWallMs, untilWallMs }: WalkTest): void {
    this.#date.run({ id, sinceWallMs, untilWallMs });
  }

  extend(id: number, untilWallMs: number): void {
    this.#extend.run(untilWallMs, id);
  }

  /**
   * Ends a test and stores its result, both or neither. The result stays when its trips are removed by age.
   * @returns the hash of the result
   */
  end(endedWallMs: number, result: WalkTestResult): string {
    const text = canonical(result);
    const sha256 = hashOf(text);
    const { number, endedBy, zones } = result;
    const tested = zones.filter(({ passed }) => passed).length;
    transaction(this.database, () => {
      this.#end.run(endedWallMs, endedBy, zones.length, tested, text, sha256, number);
      this.#removeOld.run(number - WALK_TESTS_MAX);
    });
    return sha256;
  }

  /** The trips of each zone in a test that are still stored. @param afterSeq `seq` before the test */
  tripsAfter(afterSeq: number): ZoneTrips[] {
    return this.#tripsAfter.all(afterSeq);
  }

  /** The result of a test; undefined for an unknown or running one, and for one that ended with an earlier release. */
  result(id: number): StoredResult | undefined {
    return this.#result.get(id);
  }

  /** The tests with a result, oldest first. */
  withResult(): EndedWalkTest[] {
    return this.#withResult.all();
  }

  /**
   * Tests that have ended, newest first.
   * @param before only tests with a smaller number
   */
  ended(limit: number, before = Number.MAX_SAFE_INTEGER): EndedWalkTest[] {
    return this.#ended.all(before, limit);
  }
}
