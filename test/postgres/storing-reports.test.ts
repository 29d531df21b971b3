import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATOR_USER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Reports of the same sites come over two processes, as after a change of the address of a centre. */

/** Enough that the server finds those of a turn in an index, in the order in which it gets them. */
const ADD_SITES = `INSERT INTO sites(ref, searched, report, rank, since, reported_at, clock_offset_ms)
  SELECT 'site-' || n, 'site', '{}', 3, 1, 1, 0 FROM generate_series(1, 5000) AS n; ANALYZE sites`;
const WAITING =
  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
/** What happens to each writing of a report of site 9. */
const onReport = (body: string) => `
  CREATE OR REPLACE FUNCTION interfere() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN ${body} END$$;
  CREATE OR REPLACE TRIGGER interfere BEFORE UPDATE ON sites FOR EACH ROW
    WHEN (OLD.ref = 'site-9' AND pg_trigger_depth() = 0) EXECUTE FUNCTION interfere()`;
/** As if another process had stored a report of the site after each reading of its row. */
const OVERTAKE = onReport(
  "UPDATE sites SET rev = rev + 1, reported_at = NEW.reported_at WHERE id = OLD.id; RETURN NULL;",
);

describeOnPostgres("two processes of a centre that store reports of the same sites", (server) => {
  let url: string;
  let both: readonly [PostgresCentre, PostgresCentre];
  beforeAll(async () => {
    url = await server.newDatabase();
    both = [await PostgresCentre.open(url), await PostgresCentre.open(url)];
    await both[0].connections.query(ADD_SITES);
  });
  afterAll(() => Promise.all(both.map((centre) => centre.close())));

  /** The reports of three sites in one turn. */
  const report = ({ fleet }: PostgresCentre, order: readonly number[]) =>
    Promise.allSettled(
      order.map((number) => fleet.report({ ...REPORT, ref: `site-${number}` }, OPERATOR_USER)),
    );

  test("never wait for each other in a circle, whatever the order of the reports", async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query("BEGIN; SELECT 1 FROM sites WHERE ref = 'site-2' FOR UPDATE");
    const reports = [report(both[0], [1, 2, 3]), report(both[1], [3, 2, 1])];
    const waiting = async () => (await both[0].connections.query(WAITING)).length;
    await eventually("both wait", async () => (await waiting()) === 2);
    await other.query("COMMIT");
    await other.end();
    const results = (await Promise.all(reports)).flat();
    expect(results.map(({ status }) => status)).toEqual(Array(6).fill("fulfilled"));
    const [found] = await both[0].connections.query<{ deadlocks: number }>(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    expect(found?.deadlocks).toBe(0);
  });

  test("take a report that others of its site overtake each time: no other site is late because of it", async () => {
    const [{ connections, fleet }] = both;
    await connections.query(OVERTAKE);
    const reception = () => fleet.reception({ silentMs: 600_000, signMs: 15_000 });
    const before = (await reception()).sinceMs;
    both[0].clock.advance(60_000);
    expect((await report(both[0], [9, 10])).map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect((await reception()).sinceMs).toBe(before);
  });

  test.each([
    [
      "the server ends its writing each time",
      "RAISE 'deadlock detected' USING ERRCODE = '40P01';",
      ["rejected", "rejected"],
    ],
    [
      "its site changes each time without a newer report",
      "UPDATE sites SET rev = rev + 1 WHERE id = OLD.id; RETURN NULL;",
      ["rejected", "fulfilled"],
    ],
  ])("refuse a report if %s, and call no site silent because of it", async (_what, body, results) => {
    const [{ connections, fleet, clock }] = both;
    await connections.query(onReport(body));
    clock.advance(60_000);
    const outcomes = await report(both[0], [9, 10]);
    expect(outcomes.map(({ status }) => status)).toEqual(results);
    expect(outcomes[0]).toMatchObject({ reason: { code: "unavailable" } });
    const { sinceMs } = await fleet.reception({ silentMs: 600_000, signMs: 15_000 });
    expect(sinceMs).toBe(clock.wallMs());
  });
});
