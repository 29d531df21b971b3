/** The summary of the outbox is asked for every second; with a long queue it must not read the queue each time. */
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OutboxSummary } from "../../src/domain/outbox.ts";
import { openReadOnly, type Database } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { OutboxStore } from "../../src/store/outbox.ts";
import { transaction } from "../../src/store/transaction.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let database: Database;
let reader: Database;
beforeEach(() => {
  folder = temporaryFolder();
  database = openMainDatabase(join(folder, "santinela.db"));
  database.exec(
    "INSERT INTO objectives(kind, id, data, source) VALUES('obiective/cladiri', 1, '{}', 'zone')",
  );
  reader = openReadOnly(join(folder, "santinela.db"));
});
afterEach(() => {
  reader.close();
  database.close();
});

/** A record with an entry in the outbox; `changedMs` is the time of its last change. */
function add(id: number, changedMs: number): void {
  database
    .prepare(
      `INSERT INTO interventions(id, uid, name, status, priority, type, objectiveType, objectiveId, crews, police, ambulance,
         firetruck, dispeceratId, created_by, created_at, updated_at)
       VALUES(?, 'u' || ?, 'Hol', 'planned', 'high', 'other', 'obiective/cladiri', 1, 1, 0, 0, 0, 1, 1, 0, ?)`,
    )
    .run(id, id, changedMs);
  new OutboxStore(database).insert(id, 1);
}

test("shows each change at once, its own and that of another connection", () => {
  const own = new OutboxStore(database);
  const other = new OutboxStore(reader);
  const empty = { waitingAlarms: 0, blocked: 0, rejected: 0, gone: 0, rejectedAlarms: 0, doubtful: 0 };
  const expectBoth = (summary: OutboxSummary): void => {
    expect(own.summary()).toEqual(summary);
    expect(other.summary()).toEqual(summary);
  };
  expectBoth({ ...empty, waiting: 0, oldestWaitingMs: null });
  add(1, 700);
  add(2, 500);
  expectBoth({ ...empty, waiting: 2, oldestWaitingMs: 500 });
  database.exec("UPDATE outbox SET rank = 0 WHERE intervention_id = 1");
  expectBoth({ ...empty, waiting: 2, waitingAlarms: 1, oldestWaitingMs: 500 });
  database.exec("UPDATE outbox SET rank = 1 WHERE intervention_id = 1");
  database.exec("UPDATE interventions SET updated_at = 900 WHERE id = 2");
  expectBoth({ ...empty, waiting: 2, oldestWaitingMs: 700 });
  database.exec("UPDATE outbox SET phase = 'blocked' WHERE intervention_id = 1");
  expectBoth({ ...empty, blocked: 1, waiting: 1, oldestWaitingMs: 900 });
  database.exec("UPDATE outbox SET phase = 'gone' WHERE intervention_id = 2");
  expectBoth({ ...empty, blocked: 1, gone: 1, waiting: 0, oldestWaitingMs: null });
});

test("does not show what a failed transaction has taken back", () => {
  const outbox = new OutboxStore(database);
  add(1, 700);
  const failing = (): void =>
    transaction(database, () => {
      add(2, 500);
      expect(outbox.summary()).toMatchObject({ waiting: 2, oldestWaitingMs: 500 });
      throw new Error("taken back");
    });
  expect(failing).toThrow("taken back");
  expect(outbox.summary()).toMatchObject({ waiting: 1, oldestWaitingMs: 700 });
});

test("reads nothing again while nothing has changed", () => {
  add(1, 700);
  const outbox = new OutboxStore(reader);
  const first = outbox.summary();
  expect(outbox.summary()).toBe(first);
  add(2, 500);
  expect(outbox.summary()).not.toBe(first);
});

test("reads only entries that wait or need attention", () => {
  const asked: string[] = [];
  const prepare = database.prepare.bind(database);
  database.prepare = (text: string) => {
    asked.push(text);
    return prepare(text);
  };
  new OutboxStore(database).summary();
  const counting = asked.filter((text) => /count\(\*\) FILTER|oldestWaitingMs/.test(text));
  expect(counting).toHaveLength(3);
  for (const text of counting) {
    const plan = prepare(`EXPLAIN QUERY PLAN ${text}`).all() as { detail: string }[];
    const scans = plan.map(({ detail }) => detail).filter((detail) => detail.startsWith("SCAN"));
    expect(scans).toEqual([expect.stringMatching(/^SCAN outbox USING INDEX outbox_(due|stuck)$/)]);
  }
});
