import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresLists } from "../../src/postgres/postgres-lists.ts";
import { PostgresObjectives } from "../../src/postgres/postgres-objectives.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const QUERY = { search: "hall", filters: [], sort: [], start: 0, end: 25 };
const COUNT = 1_600;
const REMEDY = "none";

describeOnPostgres("searches of many objectives", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
    const named = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `${kind} ${index + 1}` }));
    const objectives = { "obiective/cladiri": named("Hall", COUNT), "obiective/bunuri": named("Hall", 100) };
    await centre.objectives.import(objectives, "config");
  });
  afterAll(() => centre.close());

  const search = (account: number, type: "obiective/cladiri" | "obiective/bunuri" = "obiective/cladiri") =>
    centre.objectives.list({ type, query: QUERY, account }, new AbortController().signal);

  test("wait for the other long lists of objectives of their account, and for none of another one", async () => {
    const ends: (() => void)[] = [];
    const { signal } = new AbortController();
    const slow = () =>
      centre.lists.inTurn(
        { account: 1, remedy: REMEDY },
        signal,
        () => new Promise<void>((end) => ends.push(end)),
      );
    const own = [slow(), slow()];
    const refused = expect(search(1)).rejects.toMatchObject({ code: "too-many-requests", retryAfterS: 10 });
    expect((await search(2)).total).toBe(COUNT);
    // Few objectives are no long list.
    expect((await search(1, "obiective/bunuri")).total).toBe(100);
    centre.clock.advance(20_000);
    await refused;
    for (const end of ends) end();
    await Promise.all(own);
    expect((await search(1)).total).toBe(COUNT);
  });

  test("wait for no slow list of interventions", async () => {
    const { clock, log, connections } = centre;
    // So that two records are many.
    const lists = new PostgresLists({ url }, log, { connections, clock, recordsFewMax: 0 });
    const objectives = new PostgresObjectives(connections, lists);
    await centre.records.create(PATROL, OPERATOR_USER);
    await centre.records.create(PATROL, OPERATOR_USER);
    const locking = new pg.Client({ connectionString: url });
    await locking.connect();
    await locking.query("BEGIN; LOCK TABLE interventions IN ACCESS EXCLUSIVE MODE");
    const slow = [1, 1, 2, 2].map((account) =>
      lists.read({ ...QUERY, account }, new AbortController().signal),
    );
    const done = Promise.allSettled(slow);
    try {
      await eventually("all four are read", async () => {
        const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'interventions'::regclass";
        return (await connections.query(waiting)).length === slow.length;
      });
      const { signal } = new AbortController();
      const sorted = { ...QUERY, search: undefined, sort: [{ field: "name", descending: false }] };
      const page = objectives.list({ type: "obiective/cladiri", query: sorted, account: 1 }, signal);
      const late = wait(2_000).then(() => "not answered within two seconds");
      expect(await Promise.race([page, late])).toMatchObject({ total: COUNT });
    } finally {
      await locking.end();
      await done;
      await lists.close();
    }
  });

  test("end when their client has gone", async () => {
    const gone = new AbortController();
    const searched = centre.objectives.list(
      { type: "obiective/cladiri", query: QUERY, account: 1 },
      gone.signal,
    );
    gone.abort();
    await expect(searched).rejects.toMatchObject({ code: "unavailable" });
  });
});
