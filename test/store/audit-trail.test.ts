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

/** Which events the audit trail has. A new one does not compile until it is decided; docs/operating.md says it as well. */
const IS_AUDITED: Readonly<Record<EventName, boolean>> = {
  "signed-in": true,
  "sign-in-failed": true,
  "sign-in-blocked": true,
  forbidden: true,
  "intervention-created": false,
  "intervention-changed": false,
  "intervention-deleted": true,
  "account-added": true,
  "account-password-set": true,
  "account-role-changed": true,
  "account-disabled": true,
  "account-enabled": true,
  "signing-key-rotated": true,
  "signing-key-forgotten": true,
  "sync-conflict": false,
  "objectives-changed": false,
  "database-recovered": true,
  "database-restored": true,
  "data-lost": true,
  "backup-downloaded": true,
  "restart-ordered": true,
  "reload-applied": true,
  "reload-rejected": true,
  "configuration-changed": true,
  "configuration-reverted": true,
  "configuration-unproven": true,
  "zones-edited": true,
  "power-off-ordered": true,
  "output-switched": false,
  "output-tested": true,
  "log-detailed": true,
  "machine-confirmed": true,
  "plan-changed": true,
  "zone-bypassed": true,
  "zone-restored": true,
  "walk-test-started": true,
  "walk-test-extended": true,
  "walk-test-ended": true,
  "blind-interval": false,
  "opening-repeated": false,
  "site-removed": true,
  "alarm-panel-reported": false,
  "enrolment-created": true,
  "enrolment-revoked": true,
  "site-enrolled": true,
  "sign-ins-left-out": true,
};

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
  test.each(EVENT_NAMES)("has %s as decided", (event) => {
    add(event, 1);
    expect([...trailRows(database)].map((row) => row.event)).toEqual(IS_AUDITED[event] ? [event] : []);
  });

  test("detects a changed and a missing entry", () => {
    for (let index = 0; index < 5; index += 1) add("intervention-deleted", index);
    expect(() => database.exec("UPDATE audit SET who = 'another'")).toThrow(/is final/);
    expect(() => database.exec("DELETE FROM audit WHERE position = 3")).toThrow(/with age/);
    database.exec("DROP TRIGGER audit_is_final; DROP TRIGGER audit_is_kept;");
    database.exec("UPDATE audit SET who = 'another' WHERE position = 4");
    expect(verifyTrail(database).broken?.position).toBe(4);
    database.exec("DELETE FROM audit WHERE position = 2");
    expect(verifyTrail(database).broken).toMatchObject({
      position: 3,
      why: expect.stringMatching(/2 .*missing/) as string,
    });
  });

  test("is truncated at the start by age, and verified from there on", () => {
    for (let day = 0; day < 10; day += 1) add("intervention-deleted", day * DAY_MS);
    expect(removeOldAudit(database, 4 * DAY_MS)).toBe(4);
    expect(removeOldAudit(database, 4 * DAY_MS)).toBe(0);
    add("intervention-deleted", 11 * DAY_MS);
    expect(verifyTrail(database)).toMatchObject({
      entries: 7,
      removed: 4,
      removedUntilMs: 3 * DAY_MS,
      broken: null,
    });
    // The newest one remains, so that the chain continues.
    expect(removeOldAudit(database, 100 * DAY_MS)).toBe(6);
    expect(verifyTrail(database)).toMatchObject({ entries: 1, removed: 10, broken: null });
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

  test("has one entry in ten minutes for a program that signs in for each request, and few for guessed names", () => {
    for (let second = 0; second < 1200; second += 1) add("signed-in", second * 1000);
    for (let guess = 0; guess < 500; guess += 1) add("sign-in-failed", guess, `guess-${guess}@site.example`);
    const rows = [...trailRows(database)];
    expect(rows.filter(({ event }) => event === "signed-in")).toHaveLength(2);
    expect(rows.filter(({ event }) => event === "sign-in-failed")).toHaveLength(100);
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
