import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { Databases } from "../../src/ops/databases.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { ReserveFile } from "../../src/ops/reserve-file.ts";
import { InterventionService } from "../../src/service/interventions.ts";
import { alteredRows } from "../../src/store/row-checksums.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";

let dataDir: string;
let open: Databases | undefined;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "santinela-dates-"));
});
afterEach(() => {
  open?.close();
  rmSync(dataDir, { recursive: true });
});

function start(): { databases: Databases; service: InterventionService; conditions: ConditionRegistry } {
  const clock = new ManualClock();
  const log = new JsonLog({ level: "error", clock, write: () => {} });
  const conditions = new ConditionRegistry(clock, log);
  const reserveFile = new ReserveFile(dataDir);
  open = new Databases({ dataDir, reserveFile, clock, log, conditions, newIdentity: () => "one" });
  const service = new InterventionService({
    database: open.main,
    clock,
    timezone: "Europe/Bucharest",
    dispeceratId: 7,
    newUid: () => "a",
    onChange: () => {},
  });
  return { databases: open, service, conditions };
}

/** Changes the stored values as a memory card does: without a trigger. */
function flip(sql: string): void {
  const database = new Sqlite(join(dataDir, "santinela.db"));
  const trigger = "SELECT sql FROM sqlite_schema WHERE name = 'interventions_changed'";
  const recreate = database.prepare(trigger).pluck().get() as string;
  database.exec(`DROP TRIGGER interventions_changed; ${sql}; ${recreate}`);
  database.close();
}

test("a text that is no longer a date has its instant after a start, which says that the row was altered", () => {
  const first = start();
  first.databases.main.exec("INSERT INTO objectives VALUES('obiective/cladiri', 1, '{}', 'config')");
  const dates = { dateStart: "2026-11-20T23:30:00", dateEnd: "2026-11-21T01:00:00+02:00" };
  const { record } = first.service.create({ ...PATROL, ...dates }, OPERATOR_USER);
  first.databases.close();
  flip("UPDATE interventions SET dateStart = '2026-11~20T23:30:00'");
  const { databases, service, conditions } = start();
  expect(service.get(record.id).record).toEqual({ ...record, dateStart: "2026-11-20T21:30:00Z" });
  expect(conditions.list().map(({ code }) => code)).toContain("data-lost");
  expect(alteredRows(databases.main)).toEqual([]);
});
