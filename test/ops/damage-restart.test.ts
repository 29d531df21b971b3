import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, beforeEach, expect, test } from "vitest";
import { integrityCheckFile } from "../../src/ops/backups.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { DamageRestart, type DamageRestarts } from "../../src/ops/damage-restart.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { sqliteError } from "../../src/store/database.ts";
import { ManualClock } from "../support/manual-clock.ts";

const DAMAGE = sqliteError("database disk image is malformed", "SQLITE_CORRUPT_INDEX");

let dataDir: string;
let clock: ManualClock;
let health: ConditionRegistry;
let restarts: DamageRestarts;
let ordered: number;
beforeEach(() => {
  dataDir = mkdtempSync(`${tmpdir()}/santinela-damage-`);
  clock = new ManualClock();
  health = new ConditionRegistry(clock, newLog());
  restarts = {};
  ordered = 0;
});
afterEach(() => rmSync(dataDir, { recursive: true }));

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

test("a journal found damaged restarts the daemon once, however many reads and writes meet it", () => {
  const first = run();
  first.onError(DAMAGE);
  first.onError(new Error("the trip could not be stored", { cause: DAMAGE }));
  clock.advance(1);
  first.onError(DAMAGE);
  clock.advance(3_600_000);
  expect(ordered).toBe(1);
  expect(existsSync(integrityCheckFile(dataDir))).toBe(true);
  expect(health.list().map(({ code }) => code)).toEqual(["database-damaged"]);
});

test("a card that damages the journal again and again restarts the daemon every ten minutes", () => {
  run().onError(DAMAGE);
  clock.advance(60_000);
  expect(ordered).toBe(1);
  run().onError(DAMAGE);
  clock.advance(500_000);
  expect(ordered).toBe(1);
  clock.advance(100_000);
  expect(ordered).toBe(2);
});

test("a full disk does not restart the daemon, nor does damage after its end", () => {
  const only = run();
  only.onError(sqliteError("database or disk is full", "SQLITE_FULL"));
  only.stop();
  only.onError(DAMAGE);
  clock.advance(3_600_000);
  expect(ordered).toBe(0);
  expect(health.list()).toEqual([]);
});
