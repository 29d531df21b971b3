import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EVENT_NAMES, type EventName } from "../../src/domain/event.ts";
import { AuditTrail, trailRows, verifyTrail } from "../../src/store/audit-trail.ts";
import type { Database } from "../../src/store/database.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { MAIN_DATABASE, openMainDatabase } from "../../src/store/main-database.ts";
import { removeOldAudit, removeOldEvents } from "../../src/store/retention.ts";
import { transaction } from "../../src/store/transaction.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DAY_MS = 86_400_000;

/** What the audit trail leaves out: a burglar or a loose contact could add any number of them. docs/operating.md says it as well. */
const NOT_AUDITED: readonly EventName[] = [
  "intervention-created",
  "intervention-changed",
  "record-arrived",
  "sync-conflict",
  "objectives-changed",
  "output-switched",
  "blind-interval",
  "opening-repeated",
  "alarm-panel-reported",
];

let database: Database;
let log: EventLog;
beforeEach(() => {
  database = openMainDatabase(":memory:");
  log = new EventLog(database);
});
afterEach(() => void database.close());

function add(event: EventName, atMs: number, who = "ana@site.example", from = "10.0.0.2"): void {
  log.add({ event, who, from, subject: "intervention 1", detail: { before: { id: 1 } } }, atMs);
}

/** Simulates an operator who hides an entry, with the removal of the housekeeping. */
function flood(count: number): void {
  transaction(database, () => {
    for (let index = 0; index < count; index += 1)
      add("intervention-changed", 1000 + index, "mallory@site.example");
  });
  for (let removed = 1; removed > 0;) removed = removeOldEvents(database);
}

describe("an operator who changes a record 10,200 times", () => {
  test("displaces neither deletions nor sign-ins, and no address that protects an owner from a lock-out", () => {
    add("signed-in", 1);
    add("intervention-deleted", 2);
    flood(10_200);
    expect(database.prepare("SELECT count(*) FROM events").pluck().get()).toBe(10_000);
    expect(
      log
        .about("intervention 1", 20_000)
        .slice(-2)
        .map(({ event }) => event),
    ).toEqual(["intervention-deleted", "signed-in"]);
    expect(log.newest(20_000).filter(({ event }) => event !== "intervention-changed")).toMatchObject([
      { event: "intervention-deleted", detail: { before: { id: 1 } } },
      { event: "signed-in" },
    ]);
    expect(log.hasSignedIn("ana@site.example", "10.0.0.2")).toBe(true);
    expect(verifyTrail(database)).toMatchObject({ entries: 2, fromMs: 1, toMs: 2, broken: null });
  });
});

describe("the audit trail", () => {
  test("has every event except the routine ones of records, sensors and outputs", () => {
    for (const event of EVENT_NAMES) add(event, 1);
    const audited = new Set([...trailRows(database)].map(({ event }) => event));
    expect(EVENT_NAMES.filter((event) => !audited.has(event)).toSorted()).toEqual(NOT_AUDITED.toSorted());
  });

  test("is verified as it is at one moment, also if old entries are removed meanwhile", () => {
    const folder = temporaryFolder();
    const file = join(folder, "santinela.db");
    const daemon = openMainDatabase(file);
    const events = new EventLog(daemon);
    for (let day = 0; day < 10; day += 1)
      events.add(
        {
          event: "intervention-deleted",
          who: "ana@site.example",
          from: "10.0.0.2",
          subject: "s",
          detail: {},
        },
        day * DAY_MS,
      );
    let removed = 0;
    // Called before each statement of the command that verifies.
    const verbose = (sql: unknown): void => {
      if (String(sql).includes("FROM audit ORDER BY")) removed += removeOldAudit(daemon, 4 * DAY_MS);
    };
    const command = new Sqlite(file, { readonly: true, verbose });
    try {
      expect(verifyTrail(command)).toMatchObject({ entries: 10, removed: 0, broken: null });
      expect(removed).toBe(4);
      expect(verifyTrail(command)).toMatchObject({ entries: 6, removed: 4, broken: null });
    } finally {
      command.close();
      daemon.close();
    }
  });

  test("counts what its limit has left out once, however often the database is opened", () => {
    for (let attempt = 0; attempt < 105; attempt += 1)
      log.add(
        { event: "sign-in-failed", who: `guess-${attempt}`, from: "10.0.0.9", subject: "s", detail: {} },
        1_000 + attempt,
      );
    const counted = (): unknown =>
      database.prepare("SELECT entries FROM audit_left_out WHERE event = 'sign-in-failed'").pluck().get();
    expect(counted()).toBe(5);
    for (let opening = 0; opening < 3; opening += 1) MAIN_DATABASE.settle?.(database);
    expect(counted()).toBe(5);
  });

  test("includes entries written meanwhile by an earlier release, once", () => {
    add("intervention-deleted", 1);
    database.exec(
      `INSERT INTO events(at, event, who, origin, subject, detail) VALUES
         (2, 'signed-in', 'ana@site.example', '10.0.0.9', 's', '{}'), (3, 'intervention-changed', 'a', 'b', 'c', '{}')`,
    );
    MAIN_DATABASE.settle?.(database);
    new AuditTrail(database).adopt();
    expect([...trailRows(database)].map(({ event }) => event)).toEqual(["intervention-deleted", "signed-in"]);
    expect(verifyTrail(database).broken).toBeNull();
    expect(log.hasSignedIn("ana@site.example", "10.0.0.9")).toBe(true);
  });
});
