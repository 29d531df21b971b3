import type { WalkTestResult, WalkTestZone } from "../domain/walk-test.ts";
import { Store } from "./database.ts";
import type { TestedZone } from "./overrides.ts";
import { transaction } from "./transaction.ts";
import {
  ENDED,
  isIntact,
  WALK_TESTS_MAX,
  type EndedWalkTest,
  type StoredResult,
  type WalkTestStore,
} from "./walk-tests.ts";

/** Copies of the results of walk tests. They are in the main database, so that every backup has them. */
export class WalkTestArchive extends Store {
  readonly #hashes = this.prepare<string>("SELECT sha256 FROM walk_test_results").pluck();
  readonly #add = this.prepare(
    `INSERT OR IGNORE INTO walk_test_results(number, who, since_wall, ended_wall, ended_by, zone_count, tested_count, sha256, result)
     VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #removeOld = this.prepare(
    "DELETE FROM walk_test_results WHERE seq <= (SELECT max(seq) FROM walk_test_results) - ?",
  );
  readonly #last = this.prepare<number>("SELECT coalesce(max(number), 0) FROM walk_test_results").pluck();
  readonly #results = this.prepare<StoredResult>(
    "SELECT result AS text, sha256 FROM walk_test_results WHERE number = ? ORDER BY seq DESC",
  );
  readonly #all = this.prepare<StoredResult>(
    "SELECT result AS text, sha256 FROM walk_test_results ORDER BY ended_wall DESC, seq DESC",
  );
  readonly #ended = this.prepare<EndedWalkTest>(
    `SELECT number AS id, ${ENDED} FROM walk_test_results WHERE number < ? ORDER BY number DESC, seq DESC`,
  );

  /**
   * Copies the results that are missing here, all or none. A result has one row, however often it is copied: its hash names it.
   * @param also called before the commit, if anything is copied
   * @returns how many
   */
  copyFrom(journal: WalkTestStore, also: () => void = () => {}): number {
    const known = new Set(this.#hashes.all());
    const missing = journal.withResult().filter(({ sha256 }) => sha256 !== null && !known.has(sha256));
    if (missing.length === 0) return 0;
    return transaction(this.database, () => {
      let copied = 0;
      for (const test of missing) {
        const result = journal.result(test.id);
        // What the disk has altered is not trusted.
        if (result === undefined || !isIntact(result)) continue;
        const { id, who, sinceWallMs, endedWallMs, endedBy, zones, tested } = test;
        const { sha256, text } = result;
        this.#add.run(id, who, sinceWallMs, endedWallMs, endedBy, zones, tested, sha256, text);
        copied += 1;
      }
      this.#removeOld.run(WALK_TESTS_MAX);
      also();
      return copied;
    });
  }

  /** The highest number of a test; 0 for none. */
  lastNumber(): number {
    return this.#last.get() ?? 0;
  }

  /** The results of the tests with a number, the newest copy first. */
  results(number: number): StoredResult[] {
    return this.#results.all(number);
  }

  /** When each zone was last tested, the newest test first, as far as the results name the sensor. */
  testedZones(): TestedZone[] {
    return this.#all.all().flatMap((stored) => {
      if (!isIntact(stored)) return [];
      const { zones } = (JSON.parse(stored.text) ?? {}) as Partial<WalkTestResult>;
      return Array.isArray(zones) ? zones.flatMap(testedZone) : [];
    });
  }

  /** The tests with a smaller number, newest first. */
  ended(before = Number.MAX_SAFE_INTEGER): EndedWalkTest[] {
    return this.#ended.all(before);
  }
}

/** A zone of a result that names its sensor. The backup that has the result may be of any source. */
function testedZone(zone: unknown): TestedZone | [] {
  const { id, passed, last, sensor } = (zone ?? {}) as Partial<WalkTestZone>;
  const isTest = passed === true && typeof id === "string" && typeof sensor === "string";
  const testedWallMs = typeof last === "string" ? Date.parse(last) : NaN;
  return isTest && Number.isFinite(testedWallMs) ? { zoneId: id, sensor, testedWallMs } : [];
}
