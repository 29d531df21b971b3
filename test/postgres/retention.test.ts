import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyTrail } from "../../src/postgres/audit-trail.ts";
import { removeOldRows } from "../../src/postgres/retention.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { REPORT } from "../support/fleet.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

const DAY_MS = 86_400_000;

describeWithPostgres("old rows of a centre", () => {
  let server: PostgresServer;
  let centre: PostgresCentre;
  beforeAll(async () => {
    server = await PostgresServer.start();
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(async () => {
    await centre.close();
    await server.stop();
  });

  const key = (name: string) => ({ key: name, fingerprint: "f" });

  test("are removed after their time, and a repeated request still creates no second record", async () => {
    const { clock, connections, records } = centre;
    const { record } = await records.create(PATROL, OPERATOR_USER, key("old"));
    const attempt = { email: "a@b.c", address: "192.0.2.1", isKnownAddress: false, isRandomPassword: false };
    await centre.signIns.throttle.failed(attempt);
    clock.advance(31 * DAY_MS);
    await records.create(PATROL, OPERATOR_USER, key("new"));
    await centre.signIns.throttle.failed({ ...attempt, email: "d@e.f" });
    // One key, and the counter of the account; that of the address has just been used again.
    expect(await removeOldRows(connections, clock.wallMs(), { auditDays: 400 })).toBe(2);
    expect(await connections.query("SELECT key FROM idempotency_keys")).toEqual([{ key: "new" }]);
    const again = await records.create(PATROL, OPERATOR_USER, key("old"));
    expect([again.record.id, again.replayed]).toEqual([record.id, true]);
  });

  test("include the addresses of an account beyond its newest two hundred", async () => {
    const { clock, connections, events } = centre;
    const sign = (who: string, from: string, atMs: number) =>
      events.add({ event: "signed-in", who, from, subject: who, detail: {} }, atMs);
    for (let at = 0; at < 203; at += 1) await sign("Many@b.c", `10.0.0.${at}`, at);
    await sign("few@b.c", "10.0.0.1", 1);
    expect(await removeOldRows(connections, clock.wallMs(), { auditDays: 400 })).toBe(3);
    expect(await centre.signIns.hasSignedIn("many@B.c", "10.0.0.2")).toBe(false);
    expect(await centre.signIns.hasSignedIn("many@B.c", "10.0.0.3")).toBe(true);
    expect(await centre.signIns.hasSignedIn("few@b.c", "10.0.0.1")).toBe(true);
  });

  test("include changes of a site beyond its newest two hundred", async () => {
    const { fleet, connections, clock } = centre;
    for (let change = 0; change < 203; change += 1)
      await fleet.report({ ...REPORT, level: change % 2 === 0 ? "fault" : "well" }, OPERATOR_USER);
    expect(await removeOldRows(connections, clock.wallMs(), { auditDays: 400 })).toBe(3);
    const [site] = await fleet.after(0, 1);
    expect((await fleet.get(site?.id ?? 0)).history).toHaveLength(200);
    expect(await connections.query("SELECT count(*) AS n FROM site_history")).toEqual([{ n: 200 }]);
  });

  test("include events and audit entries, but not for a clock that is years ahead", async () => {
    const own = await PostgresCentre.open(await server.newDatabase());
    const { connections, events, clock } = own;
    const remove = (nowMs = clock.wallMs()) => removeOldRows(connections, nowMs, { auditDays: 400 });
    const add = (event: "forbidden" | "intervention-deleted") =>
      events.add({ event, who: "a@b.c", from: "x", subject: "s", detail: {} }, clock.wallMs());
    await add("forbidden");
    await add("intervention-deleted");
    clock.advance(399 * DAY_MS);
    await add("intervention-deleted");
    expect(await remove(clock.wallMs() + 3_650 * DAY_MS)).toBe(0);
    clock.advance(2 * DAY_MS);
    await add("intervention-deleted");
    // Two audit entries; the events are among the newest ten thousand.
    expect(await remove()).toBe(2);
    await connections.query(
      `INSERT INTO events(at, event, who, origin, subject, detail)
       SELECT $1::bigint, 'forbidden', 'flood', 'x', 's', '{}' FROM generate_series(1, 9998)`,
      [clock.wallMs()],
    );
    expect(await remove()).toBe(2);
    expect(await connections.query("SELECT count(*) AS n FROM events")).toEqual([{ n: 10_000 }]);
    expect(await verifyTrail(connections)).toMatchObject({ entries: 2, removed: 2, broken: null });
    await own.close();
  });

  test("do not include the newest ten thousand events, and no event can be changed", async () => {
    const { connections, events } = centre;
    await events.add({ event: "forbidden", who: "a@b.c", from: "x", subject: "s", detail: {} }, 1);
    const last = "(SELECT max(seq) FROM events)";
    await expect(connections.query(`DELETE FROM events WHERE seq = ${last}`)).rejects.toThrow(
      /10000 entries/,
    );
    await expect(connections.query(`UPDATE events SET who = 'b' WHERE seq = ${last}`)).rejects.toThrow(
      /final/,
    );
    await expect(connections.query("TRUNCATE events")).rejects.toThrow(/final/);
  });

  test("are removed by one process at a time", async () => {
    const { clock, connections } = centre;
    await connections.transaction(async (queries) => {
      await queries.query("SELECT pg_advisory_xact_lock($1)", [0x72657465]);
      expect(await removeOldRows(connections, clock.wallMs(), { auditDays: 400 })).toBeUndefined();
    });
    expect(await removeOldRows(connections, clock.wallMs(), { auditDays: 400 })).toBe(0);
  });
});
