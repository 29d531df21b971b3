import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EventName, LoggedEvent, NewEvent } from "../../src/domain/event.ts";
import * as postgresTrail from "../../src/postgres/audit-trail.ts";
import type { AuditRow } from "../../src/store/audit-chain.ts";
import { trailRows, verifyTrail } from "../../src/store/audit-trail.ts";
import { EventLog } from "../../src/store/event-log.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { removeOldAudit } from "../../src/store/retention.ts";
import type { TrailReport } from "../../src/store/trail-check.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres, type PostgresServer } from "../support/postgres.ts";

/* What the audit trail must do in every database. */

const DAY_MS = 86_400_000;

interface Adapter {
  readonly add: (event: NewEvent, atMs: number) => Promise<void>;
  readonly verify: () => Promise<TrailReport>;
  readonly rows: () => Promise<AuditRow[]>;
  readonly newest: () => Promise<LoggedEvent[]>;
  /** @returns the number of removed entries */
  readonly removeBefore: (beforeMs: number) => Promise<number>;
  readonly run: (sql: string) => Promise<unknown>;
  /** What an intruder with the rights of the administrator of the database does first. */
  readonly unprotect: () => Promise<unknown>;
  /** Removes the event log without its audit trail. */
  readonly forgetEvents: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

async function inSqlite(): Promise<Adapter> {
  const database = openMainDatabase(":memory:");
  const log = new EventLog(database);
  const run = async (sql: string) => database.exec(sql);
  return {
    add: async (event, atMs) => log.add(event, atMs),
    verify: async () => verifyTrail(database),
    rows: async () => [...trailRows(database)],
    newest: async () => log.newest(1000),
    removeBefore: async (beforeMs) => removeOldAudit(database, beforeMs),
    run,
    unprotect: () => run("DROP TRIGGER audit_is_final; DROP TRIGGER audit_is_kept"),
    forgetEvents: () => run("DROP TRIGGER events_are_kept; DELETE FROM events"),
    close: async () => void database.close(),
  };
}

async function inPostgres(server: PostgresServer): Promise<Adapter> {
  const centre = await PostgresCentre.open(await server.newDatabase());
  const { connections, events } = centre;
  const run = (sql: string) => connections.query(sql);
  return {
    add: (event, atMs) => events.add(event, atMs),
    verify: () => postgresTrail.verifyTrail(connections),
    rows: async () => {
      const rows: AuditRow[] = [];
      await postgresTrail.readTrail(connections, (row) => void rows.push(row));
      return rows;
    },
    newest: () => events.newest(1000),
    removeBefore: (beforeMs) =>
      connections.transaction(async (queries) => {
        return (await postgresTrail.removeOldAudit(queries, beforeMs, 200)).length;
      }),
    run,
    unprotect: () => run("ALTER TABLE audit DISABLE TRIGGER USER"),
    forgetEvents: () => run("ALTER TABLE events DISABLE TRIGGER USER; DELETE FROM events"),
    close: () => centre.close(),
  };
}

describe("SQLite", () => contractOf(inSqlite));
describeOnPostgres("PostgreSQL", (server) => contractOf(() => inPostgres(server)));

function contractOf(open: () => Promise<Adapter>): void {
  let trail: Adapter;
  beforeEach(async () => {
    trail = await open();
  });
  afterEach(() => trail.close());

  const add = (event: EventName, atMs: number, who = "ana@site.example", from = "10.0.0.2") =>
    trail.add({ event, who, from, subject: "intervention 1", detail: { before: { id: 1 } } }, atMs);
  const addAll = (count: number, stepMs = 1) =>
    Promise.all([...Array(count).keys()].map((index) => add("intervention-deleted", index * stepMs)));

  test("audited events are chained in their order, others are not", async () => {
    await Promise.all([add("intervention-deleted", 1), add("intervention-changed", 2), add("forbidden", 3)]);
    const rows = await trail.rows();
    expect(rows.map(({ event, position }) => [event, position])).toEqual([
      ["intervention-deleted", 1],
      ["forbidden", 2],
    ]);
    expect(rows[0]).toMatchObject({ at: 1, origin: "10.0.0.2", detail: '{"before":{"id":1}}' });
    expect(await trail.verify()).toEqual({
      entries: 2,
      fromMs: 1,
      toMs: 3,
      removed: 0,
      removedUntilMs: null,
      head: rows[1]?.hash,
      broken: null,
      breaks: [],
      sought: null,
    });
  });

  test("no entry is changed or removed, and one that was anyway is detected", async () => {
    await addAll(5);
    await expect(trail.run("UPDATE audit SET who = 'another'")).rejects.toThrow(/is final/);
    await expect(trail.run("DELETE FROM audit WHERE position = 3")).rejects.toThrow(/with age/);
    await trail.unprotect();
    await trail.run("UPDATE audit SET who = 'another' WHERE position = 4");
    expect((await trail.verify()).broken?.position).toBe(4);
    await trail.run("DELETE FROM audit WHERE position = 2");
    expect((await trail.verify()).broken).toMatchObject({
      position: 3,
      why: expect.stringMatching(/2 .*missing/) as string,
    });
  });

  test("the trail is cut by age, keeps its newest entry, and is verified from there on", async () => {
    await addAll(10, DAY_MS);
    expect(await trail.removeBefore(4 * DAY_MS)).toBe(4);
    expect(await trail.removeBefore(4 * DAY_MS)).toBe(0);
    await add("intervention-deleted", 11 * DAY_MS);
    expect(await trail.verify()).toMatchObject({
      entries: 7,
      removed: 4,
      removedUntilMs: 3 * DAY_MS,
      broken: null,
    });
    expect(await trail.removeBefore(100 * DAY_MS)).toBe(6);
    await add("intervention-deleted", 101 * DAY_MS);
    expect(await trail.verify()).toMatchObject({ entries: 2, removed: 10, broken: null });
  });

  test("a program that signs in for each request, and guessed names, do not fill it", async () => {
    // One after the other: what is added at once may be stored in any order.
    for (let minute = 0; minute < 20; minute += 0.25) await add("signed-in", minute * 60_000);
    for (let hundred = 0; hundred < 500; hundred += 100)
      await Promise.all(
        Array.from({ length: 100 }, (_none, index) => hundred + index).map((guess) =>
          add("sign-in-failed", guess, `guess-${guess}@site.example`),
        ),
      );
    const rows = await trail.rows();
    expect(rows.filter(({ event }) => event === "signed-in")).toHaveLength(2);
    expect(rows.filter(({ event }) => event === "sign-in-failed")).toHaveLength(100);
  });

  test("guessed names hide no attempt on an account, and their number is chained after the hour", async () => {
    await trail.run(
      "INSERT INTO accounts(email, role, created_at) VALUES('owner@site.example', 'administrator', 0)",
    );
    const guesses = [...Array(300).keys()];
    await Promise.all(guesses.map((guess) => add("sign-in-failed", guess, `guess-${guess}@site.example`)));
    await add("sign-in-failed", 301, "owner@site.example");
    const ofOwner = async () => (await trail.rows()).filter(({ who }) => who === "owner@site.example");
    expect(await ofOwner()).toHaveLength(1);
    // A botnet does not fill the disk either, nor does it while a clock is set back or another process's is behind.
    await Promise.all(
      guesses.map((from) => add("sign-in-failed", 700 - from, "owner@site.example", `10.1.${from}.1`)),
    );
    expect(await ofOwner()).toHaveLength(100);
    await add("signed-in", 3_600_400);
    const rows = await trail.rows();
    expect(rows).toHaveLength(100 + 100 + 2);
    const [counted] = rows.filter(({ event }) => event === "sign-ins-left-out");
    expect(counted).toMatchObject({ subject: "sign-in-failed", who: "santinela" });
    expect(JSON.parse(counted?.detail ?? "")).toMatchObject({ leftOut: 200 + 201 });
    await add("intervention-deleted", 8_000_000);
    expect(await trail.rows()).toHaveLength(rows.length + 1);
    expect((await trail.verify()).broken).toBeNull();
  });

  test("an audited event is listed once, also after the event log has removed it", async () => {
    await add("intervention-deleted", 1);
    await add("intervention-changed", 2);
    const names = async () => (await trail.newest()).map(({ event }) => event);
    expect(await names()).toEqual(["intervention-changed", "intervention-deleted"]);
    await trail.forgetEvents();
    expect(await names()).toEqual(["intervention-deleted"]);
  });

  test("no address that a stranger types makes the chain look broken", async () => {
    const typed = [
      "\ud800@x.y",
      "half \udc00",
      "\0",
      "\u0000\u001f\u007f\u2028",
      "😀",
      'a"\\b',
      "\ufeff\ufffe",
    ];
    for (const [index, who] of typed.entries()) await add("sign-in-failed", index, who);
    expect(await trail.rows()).toHaveLength(typed.length);
    expect((await trail.verify()).broken).toBeNull();
  });
}
