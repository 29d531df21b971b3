import { existsSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ALTERED_ROWS, integrityCheckFile, requestIntegrityCheck } from "../../src/ops/backups.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { DamageRestart, type DamageRestarts } from "../../src/ops/damage-restart.ts";
import { Housekeeping } from "../../src/ops/housekeeping.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { sqliteError } from "../../src/store/database.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DAMAGE = sqliteError("database disk image is malformed", "SQLITE_CORRUPT_INDEX");

let dataDir: string;
let clock: ManualClock;
let health: ConditionRegistry;
let restarts: DamageRestarts;
let ordered: number;
let started: Housekeeping[];
beforeEach(() => {
  dataDir = temporaryFolder();
  clock = new ManualClock();
  health = new ConditionRegistry(clock, newLog());
  restarts = { atMs: [] };
  ordered = 0;
  started = [];
});
afterEach(() => started.forEach((housekeeping) => housekeeping.stop()));

const newLog = (): JsonLog => new JsonLog({ level: "error", clock, write: () => {} });
/** A run of the daemon in this process. */
const run = (): DamageRestart =>
  new DamageRestart({
    dataDir,
    clock,
    log: newLog(),
    conditions: health,
    restarts,
    restart: () => (ordered += 1),
  });

/** The same, with what looks for damage that any thread or a backup has met. */
function runWithHousekeeping(): DamageRestart {
  const damageRestart = run();
  const housekeeping = new Housekeeping({
    dataDir,
    clock,
    log: newLog(),
    conditions: health,
    isBackedUpDaily: false,
    reserveFile: new ReserveFile(dataDir),
    // Too few for a reserve file, and not so few that the disk is full.
    freeBytes: () => 65 * 1_048_576,
    checkReport: () => {},
    onDamage: damageRestart.onDamage,
  });
  started.push(housekeeping);
  housekeeping.start();
  return damageRestart;
}
/** The start after a restart has checked both databases. */
function startAgain(earlier: DamageRestart): DamageRestart {
  earlier.stop();
  for (const housekeeping of started.splice(0)) housekeeping.stop();
  rmSync(integrityCheckFile(dataDir), { force: true });
  return runWithHousekeeping();
}
const conditions = (): string[] => health.list().map(({ code }) => code);

test("a journal found damaged restarts the daemon once, however many reads and writes meet it", () => {
  const first = run();
  first.onJournalError(DAMAGE);
  first.onJournalError(new Error("the trip could not be stored", { cause: DAMAGE }));
  clock.advance(1);
  first.onJournalError(DAMAGE);
  clock.advance(3_600_000);
  expect(ordered).toBe(1);
  expect(existsSync(integrityCheckFile(dataDir))).toBe(true);
  expect(health.list().map(({ code }) => code)).toEqual(["database-damaged"]);
});

test("a card that damages the journal again and again restarts the daemon after a minute, then every ten minutes", () => {
  run().onJournalError(DAMAGE);
  clock.advance(1);
  expect(ordered).toBe(1);
  run().onJournalError(DAMAGE);
  clock.advance(59_000);
  expect(ordered).toBe(1);
  clock.advance(1_000);
  expect(ordered).toBe(2);
  for (const wanted of [3, 4, 5]) {
    run().onJournalError(DAMAGE);
    clock.advance(599_000);
    expect(ordered).toBe(wanted - 1);
    clock.advance(1_000);
    expect(ordered).toBe(wanted);
  }
  // After a quiet hour the next one is as the first.
  clock.advance(3_600_000);
  run().onJournalError(DAMAGE);
  clock.advance(1);
  expect(ordered).toBe(6);
});

test("a full disk does not restart the daemon, nor does damage after its end", () => {
  const only = run();
  only.onJournalError(sqliteError("database or disk is full", "SQLITE_FULL"));
  only.stop();
  only.onJournalError(DAMAGE);
  clock.advance(3_600_000);
  expect(ordered).toBe(0);
  expect(health.list()).toEqual([]);
});

test("records found damaged by any thread or by a backup restart the daemon once, and a second time after a minute", () => {
  const first = runWithHousekeeping();
  requestIntegrityCheck(dataDir, "santinela.db: database disk image is malformed");
  clock.advance(10_000);
  expect([ordered, conditions()]).toEqual([1, ["database-damaged"]]);
  clock.advance(3_600_000);
  expect(ordered).toBe(1);

  const second = startAgain(first);
  clock.advance(60_000);
  requestIntegrityCheck(dataDir, "santinela.db: database disk image is malformed");
  clock.advance(10_000);
  expect(ordered).toBe(2);

  startAgain(second);
  requestIntegrityCheck(dataDir, "row 3 missing from index outbox_due");
  clock.advance(50_000);
  expect(ordered).toBe(2);
  clock.advance(20_000);
  expect(ordered).toBe(3);
});

test("what a start could not recover stays a condition and does not restart the daemon, but damage met later does", () => {
  requestIntegrityCheck(dataDir, ALTERED_ROWS);
  runWithHousekeeping();
  clock.advance(3_600_000);
  expect([ordered, conditions()]).toEqual([0, ["database-damaged"]]);
  requestIntegrityCheck(dataDir, "santinela.db: database disk image is malformed");
  clock.advance(10_000);
  expect(ordered).toBe(1);
});
