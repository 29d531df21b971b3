import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openReadOnly, type Database } from "../../src/store/database.ts";
import { isDamage } from "../../src/store/integrity.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { UnfinishedInterventions } from "../../src/store/unfinished-records.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RECORDS = 200;
const NOW_MS = Date.UTC(2026, 0, 15);

test("the alarms beside a damaged page are counted and named, without those on it", () => {
  const folder = temporaryFolder();
  const path = join(folder, "santinela.db");
  fill(path);
  overwrite(path, leafOf(path));
  const database = openReadOnly(path);
  const unfinished = new UnfinishedInterventions(database);
  expect(unfinished.counts(NOW_MS)).toMatchObject({ alarms: RECORDS, work: 0 });
  expect(damageOf(() => unfinished.worst("alarms", NOW_MS, RECORDS))).toBe(true);
  const readable = unfinished.readable("alarms", NOW_MS, RECORDS);
  expect(readable.length).toBeGreaterThan(RECORDS / 2);
  expect(readable.length).toBeLessThan(RECORDS);
  expect(readable[0]).toEqual({ id: RECORDS, uid: `uid-${RECORDS}`, name: `Alarm ${RECORDS}`, isRescue: 0 });
  expect(unfinished.readable("alarms", NOW_MS, 3)).toEqual(readable.slice(0, 3));
  expect(unfinished.readable("work", NOW_MS, 3)).toEqual([]);
  database.close();
});

function fill(path: string): void {
  const database = openMainDatabase(path);
  database.exec(
    "INSERT INTO objectives(kind, id, data, source) VALUES('obiective/cladiri', 1, '{}', 'config')",
  );
  const add = database.prepare(
    `INSERT INTO interventions(id, uid, name, status, priority, type, objectiveType, objectiveId, crews, police, ambulance, firetruck,
       dispeceratId, rev, created_by, created_at, updated_at, notes)
     VALUES(:id, :uid, :name, 'planned', 'high', 'other', 'obiective/cladiri', 1, 1, 0, 0, 0, 7, 1, 1, 0, 0, :notes)`,
  );
  for (let id = 1; id <= RECORDS; id += 1)
    add.run({ id, uid: `uid-${id}`, name: `Alarm ${id}`, notes: "n".repeat(100) });
  database.close();
}

/** A page in the middle of the table. */
function leafOf(path: string): number {
  return reading(path, (database) => {
    const pages = database
      .prepare("SELECT pageno FROM dbstat WHERE name = 'interventions' AND pagetype = 'leaf' ORDER BY pageno")
      .pluck()
      .all() as number[];
    return pages[Math.floor(pages.length / 2)] as number;
  });
}

function overwrite(path: string, page: number): void {
  const size = reading(path, (database) => Number(database.pragma("page_size", { simple: true })));
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(file);
}

function reading<T>(path: string, read: (database: Database) => T): T {
  const database = openReadOnly(path);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** Whether the work meets a damaged page. */
function damageOf(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return isDamage(error);
  }
}
