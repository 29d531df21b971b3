import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifyTrail } from "../../src/postgres/audit-trail.ts";
import { removeOldRows } from "../../src/postgres/retention.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { REPORT } from "../support/fleet.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const DAY_MS = 86_400_000;
const KEPT = { auditDays: 400, uptimeMs: 600_000 };

describeOnPostgres("old rows of a centre", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(() => centre.close());

  const key = (name: string) => ({ key: name, fingerprint: "f" });

  test("are removed after their time, and a repeated request still creates no second record", async () => {
    const { clock, connections, records } = centre;
    const { record } = await records.create(PATROL, OPERATOR_USER, key("old"));
    const attempt = { email: "a@b.c", address: "192.0.2.1", isKnownAddress: false, isRandomPassword: false };
    await centre.signIns.throttle.failed(attempt);
    clock.advance(31 * DAY_MS);
    await records.create(PATROL, OPERATOR_USER, key("new"));
    await centre.signIns.throttle.failed({ ...attempt, email: "d@e.f" });
    // One response, and the counter of the account; that of the address has just been used again.
    expect(await removeOldRows(connections, clock.wallMs(), KEPT)).toBe(2);
    const kept = "SELECT body::json AS body FROM idempotency_keys WHERE key = 'old'";
    expect(await connections.query(kept)).toEqual([{ body: { id: record.id } }]);
    const again = await records.create(PATROL, OPERATOR_USER, key("old"));
    expect([again.record.id, again.replayed]).toEqual([record.id, true]);
  });

  test("include the addresses of an account beyond its newest two hundred", async () => {
    const { clock, connections, events } = centre;
    const sign = (who: string, from: string, atMs: number) =>
      events.add({ event: "signed-in", who, from, subject: who, detail: {} }, atMs);
    for (let at = 0; at < 203; at += 1) await sign("Many@b.c", `10.0.0.${at}`, at);
    await sign("few@b.c", "10.0.0.1", 1);
    expect(await removeOldRows(connections, clock.wallMs(), KEPT)).toBe(3);
    expect(await centre.signIns.hasSignedIn("many@B.c", "10.0.0.2")).toBe(false);
    expect(await centre.signIns.hasSignedIn("many@B.c", "10.0.0.3")).toBe(true);
    expect(await centre.signIns.hasSignedIn("few@b.c", "10.0.0.1")).toBe(true);
  });

  test("include changes of a site beyond its newest two hundred", async () => {
    const { fleet, connections, clock } = centre;
    for (let change = 0; change < 203; change += 1)
      await fleet.report({ ...REPORT, level: change % 2 === 0 ? "fault" : "well" }, OPERATOR_USER);
    expect(await removeOldRows(connections, clock.wallMs(), KEPT)).toBe(3);
    const [site] = await fleet.after(0, 1);
    expect((await fleet.get(site?.id ?? 0)).history).toHaveLength(200);
    expect(await connections.query("SELECT count(*) AS n FROM site_history")).toEqual([{ n: 200 }]);
  });

  describe("that are events and audit entries", () => {
    let own: PostgresCentre;
    beforeEach(async () => {
      own = await PostgresCentre.open(await server.newDatabase());
    });
    afterEach(() => own.close());

    const add = (event: "forbidden" | "intervention-deleted", atMs = own.clock.wallMs()) =>
      own.events.add({ event, who: "a@b.c", from: "x", subject: "s", detail: {} }, atMs);
    const remove = (nowMs: number, uptimeMs: number) =>
      removeOldRows(own.connections, nowMs, { ...KEPT, uptimeMs });
    /** The time passes while the processes run. */
    const run = async (days: number) => {
      own.clock.advance(days * DAY_MS);
      await add("intervention-deleted");
      return remove(own.clock.wallMs(), days * DAY_MS);
    };

    test("are removed with age, but not the newest ten thousand events", async () => {
      await add("forbidden");
      await add("intervention-deleted");
      expect(await run(399)).toBe(0);
      // Two audit entries; the events are among the newest ten thousand.
      expect(await run(2)).toBe(2);
      await own.connections.query(
        `INSERT INTO events(at, event, who, origin, subject, detail)
         SELECT $1::bigint, 'forbidden', 'flood', 'x', 's', '{}' FROM generate_series(1, 9998)`,
        [own.clock.wallMs()],
      );
      expect(await remove(own.clock.wallMs(), 0)).toBe(2);
      expect(await own.connections.query("SELECT count(*) AS n FROM events")).toEqual([{ n: 10_000 }]);
      expect(await verifyTrail(own.connections)).toMatchObject({ entries: 2, removed: 2, broken: null });
    });

    test("stay when a clock jumps years ahead and an event is written by it, and after it was set right", async () => {
      for (let day = 0; day < 400; day += 1) await run(1);
      const { clock, connections } = own;
      const yearsAhead = 3_650 * DAY_MS;
      for (const aheadMs of [yearsAhead, yearsAhead, 0]) {
        await add("forbidden", clock.wallMs() + aheadMs);
        // Two processes run in turn, each ten minutes after its own last time.
        for (let process = 0; process < 2; process += 1)
          expect(await remove(clock.wallMs() + aheadMs, 600_000)).toBeLessThanOrEqual(1);
      }
      expect((await verifyTrail(connections)).entries).toBeGreaterThan(395);
      for (let day = 0; day < 3; day += 1) expect(await run(1)).toBeLessThanOrEqual(1);
    });
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

  test("are removed in transactions of a thousand rows of one table, so that new events do not wait for all of them", async () => {
    const { clock, connections, signIns } = centre;
    const attempt = { email: "x@b.c", address: "192.0.2.9", isKnownAddress: false, isRandomPassword: false };
    await signIns.throttle.failed(attempt);
    clock.advance(31 * DAY_MS);
    await connections.query(
      `INSERT INTO idempotency_keys(account_id, key, fingerprint, body, created_at)
       SELECT 1, 'old ' || n, 'f', '{}', 1 FROM generate_series(1, 1200) AS n`,
    );
    /** Each transaction that writes has the next number. */
    const transactions = async () => {
      const [row] = await connections.query<{ id: string }>("SELECT pg_current_xact_id()::text AS id");
      return Number(row?.id);
    };
    const before = await transactions();
    const first = await removeOldRows(connections, clock.wallMs(), KEPT);
    expect(first).toBeGreaterThan(1_000);
    expect(first).toBeLessThan(1_200);
    // At least the time of retention, the keys and the counters, each for itself.
    expect((await transactions()) - before - 1).toBeGreaterThanOrEqual(3);
    expect(await removeOldRows(connections, clock.wallMs(), KEPT)).toBeGreaterThanOrEqual(200);
  });

  test("are removed by one process at a time", async () => {
    const { clock, connections } = centre;
    await connections.transaction(async (queries) => {
      await queries.query("SELECT pg_advisory_xact_lock($1)", [0x72657465]);
      expect(await removeOldRows(connections, clock.wallMs(), KEPT)).toBeUndefined();
    });
    expect(await removeOldRows(connections, clock.wallMs(), KEPT)).toBe(0);
  });
});
