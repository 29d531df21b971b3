import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeRestoredTests } from "../../src/inputs/restored-tests.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A restored backup may be of any source, and the disk may not accept what follows from it: the zones are watched all the same. */

const DOOR = { id: "door", passed: true, last: "2026-11-20T21:30:00.000Z", sensor: "simulated" };
let site: MonitoredZones;
let main: ReturnType<typeof openMainDatabase>;

beforeEach(() => {
  site = new MonitoredZones([zoneOf({ id: "door", input: { simulated: true } })]);
  main = openMainDatabase(":memory:");
});
afterEach(() => {
  main.close();
  site.close();
});

function addResult(result: unknown): void {
  const text = JSON.stringify(result);
  main
    .prepare(
      `INSERT INTO walk_test_results(number, who, since_wall, ended_wall, ended_by, zone_count, tested_count, sha256, result)
       VALUES(1, '', 0, 0, '', 0, 0, ?, ?)`,
    )
    .run(createHash("sha256").update(text).digest("hex"), text);
}

test("results of other forms are left out", () => {
  for (const result of [
    null,
    {},
    { zones: 1 },
    { zones: [null, 1, { ...DOOR, id: {} }, { ...DOOR, id: "yard", last: "yesterday" }] },
    { zones: [DOOR] },
  ])
    addResult(result);
  takeRestoredTests(site.journal, main, site.log);
  expect(site.journal.zoneOverrides.testedZones().map(({ zoneId }) => zoneId)).toEqual(["door"]);
  expect(site.logged("restored-tests-read-failed")).toEqual([]);
});

test("a journal that cannot be written is reported, and stops nothing", () => {
  addResult({ zones: [DOOR] });
  site.database.exec(
    "CREATE TEMP TRIGGER damaged BEFORE INSERT ON tested_zones BEGIN SELECT RAISE(FAIL, 'damaged'); END",
  );
  takeRestoredTests(site.journal, main, site.log);
  expect(site.logged("restored-tests-read-failed")).toHaveLength(1);
});
