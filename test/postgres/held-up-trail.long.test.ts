import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATOR_USER, PASSWORD, PATROL, TESTER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const AUDIT_LOCK = 0x61756474;
const EACH = 6;
const ANA = "ana@test.example";
/** Far longer than a write takes, and shorter than one that waits for a connection. */
const WRITE_MS_MAX = 3_000;

/* As while a transaction of another process waits for its synchronous standby. */
describeOnPostgres("while another process holds the lock of the audit trail", (server) => {
  let centre: PostgresCentre;
  let other: pg.Client;
  beforeAll(async () => {
    const url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
    other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query("BEGIN");
  });
  afterAll(async () => {
    await other.end();
    await centre.close();
  });

  test("changes of accounts and enrolments and removed sites end with 503, and leave connections for alarms", async () => {
    const password = PASSWORD;
    await centre.accounts.add({ email: "zoe@test.example", role: "administrator", password }, TESTER);
    await centre.accounts.add({ email: ANA, role: "operator", password }, TESTER);
    await centre.fleet.report({ ...REPORT, ref: "hala" }, OPERATOR_USER);
    const [site] = await centre.fleet.after(0, 1);
    const before = await centre.settledEvents(100);
    await other.query("SELECT pg_advisory_xact_lock($1)", [AUDIT_LOCK]);
    const works = Array.from({ length: EACH }, (_, number) => [
      centre.accounts.setRole(ANA, "viewer", TESTER),
      centre.accounts.setPassword(ANA, `another ${PASSWORD}`, TESTER),
      centre.enrolments.invite({ site: `new-${number}`, objectives: ["obiective/cladiri/1"] }, TESTER),
      centre.fleet.remove(site?.id ?? 0, OPERATOR_USER),
    ]).flat();
    const ended = Promise.allSettled(works);
    await eventually("some wait in the server", async () => {
      const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
      return (await centre.connections.query(waiting)).length > 0;
    });
    const startMs = performance.now();
    await centre.records.create(PATROL, OPERATOR_USER);
    await centre.fleet.report({ ...REPORT, ref: "hala" }, OPERATOR_USER);
    expect(performance.now() - startMs).toBeLessThan(WRITE_MS_MAX);
    // The others wait no longer than this for their turn.
    centre.clock.advance(10_000);
    for (const result of await ended)
      expect(result).toMatchObject({ reason: { code: "unavailable", retryAfterS: 2 } });
    await other.query("ROLLBACK");
    expect((await centre.accounts.list()).map(({ role }) => role)).toEqual(["operator", "administrator"]);
    expect((await centre.enrolments.page({ start: 0, end: 10 })).total).toBe(0);
    expect(await centre.fleet.after(0, 10)).toHaveLength(1);
    const since = (await centre.settledEvents(100)).filter(({ seq }) => seq > (before[0]?.seq ?? 0));
    expect(since.map(({ event }) => event)).toEqual(["intervention-created"]);
  });
});
