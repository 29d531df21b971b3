import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { interventionQueryOf } from "../../src/http/lists.ts";
import { listStatements, sliceOfFound } from "../../src/postgres/list-statements.ts";
import { NEWEST_FIRST } from "../../src/postgres/short-lists.ts";
import type { InterventionQuery } from "../../src/store/intervention-query.ts";
import { eventually } from "../support/eventually.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Lists of a centre with many records. What they cost is seen in the plans of the server, not in times. */

const RECORDS = 20_000;
/** The newest ones, as at a centre. */
const OPEN = 200;
const ASKED_BY_CLIENTS = [
  "",
  "_sort=id&_order=ASC",
  // The web panel, the command line, and each site that looks for a record.
  "_sort=id&_order=DESC",
  "_sort=dateStart&_order=DESC",
  "_sort=dateStart&_order=ASC",
  "_sort=name&_order=ASC",
  "_sort=status&_order=ASC",
  "_sort=priority&_order=ASC",
  "_sort=type&_order=ASC",
];
/** What the web panel and the contract offer to dispatchers. */
const SORTS = "id name status priority priorityRank urgencyRank type dateStart dateEnd crews".split(" ");
const FILTERS = [
  "",
  "status_ne=done",
  "status=in_progress",
  "status=done",
  "status_ne=done&priority=high",
  "priority=high",
  "priority_ne=low",
  "type=repair",
  "status=done&type=repair",
];
/** Far from all of them, and more than any of these pages needs. */
const READ_MAX = RECORDS / 10;
const SLOW = interventionQueryOf(new URLSearchParams("q=patrol"), "Europe/Bucharest");
/** The lists of the few records in these tests are slow, as those of many are. */
const MANY = { recordsFewMax: 0 };
const RUNNING = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%strpos%' AND state = 'active'`;

describeOnPostgres("with many records, a centre on PostgreSQL", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
    await fill(centre);
  });
  afterAll(() => centre.close());

  /** The plan of a slice of 25 records. */
  const explained = async <T>(
    text: string,
    more: Partial<InterventionQuery> = {},
    how = "",
  ): Promise<readonly T[]> => {
    const query = interventionQueryOf(new URLSearchParams(`${text}&_start=0&_end=25`), "Europe/Bucharest");
    const { total, slice } = listStatements({ ...query, ...more });
    const [counted] = await centre.connections.query<{ total: number }>(...total);
    const [sql, values] = slice(counted?.total ?? 0);
    const rows = await centre.connections.query<Record<"QUERY PLAN", T>>(`EXPLAIN ${how} ${sql}`, values);
    return rows.map((row) => row["QUERY PLAN"]);
  };
  const planOf = async (text: string, more: Partial<InterventionQuery> = {}): Promise<string> =>
    (await explained<string>(text, more)).join("\n");

  test.each(ASKED_BY_CLIENTS)("reads the first page in the order of an index: %s", async (text) => {
    const [, slice = ""] = (await planOf(text)).split("Limit");
    expect(slice).toMatch(/Index (Only )?Scan/);
    expect(slice).not.toContain("Sort");
  });

  test("sorts only records with the same name", async () => {
    expect(await planOf("_sort=name&_order=DESC")).toMatch(/Incremental Sort[^]*Presorted Key/);
  });

  test.each(SORTS.flatMap((sort) => [`${sort}&_order=ASC`, `${sort}&_order=DESC`]))(
    "reads few records for the first page, whatever dispatchers filter: _sort=%s",
    async (sort) => {
      for (const filter of FILTERS) {
        const how = "(ANALYZE, TIMING OFF, FORMAT JSON)";
        const [found] = await explained<readonly { Plan: Plan }[]>(`${filter}&_sort=${sort}`, {}, how);
        expect({ filter, read: found?.map(({ Plan: plan }) => readBy(plan)) }).toEqual({
          filter,
          read: [expect.toSatisfy((read: number) => read >= 25 && read <= READ_MAX)],
        });
      }
    },
  );

  test("reads the records of a search once if few match, in any order", async () => {
    // The names are "record 0" to "record 499", each 40 times.
    for (const text of ["q=record+499", "q=record+499&_sort=name&_order=DESC", "q=record+499&_sort=crews"]) {
      const query = interventionQueryOf(new URLSearchParams(`${text}&_start=10&_end=35`), "Europe/Bucharest");
      const { found, slice } = listStatements(query);
      const ids = found ? await centre.connections.query<{ id: number }>(...found) : [];
      expect(ids).toHaveLength(40);
      const [sql, values] = sliceOfFound(
        query,
        ids.map(({ id }) => id),
      );
      const how = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)";
      const [plan] = await centre.connections.query<Record<"QUERY PLAN", readonly { Plan: Plan }[]>>(
        `${how} ${sql}`,
        values,
      );
      expect(plan?.["QUERY PLAN"].map(({ Plan: steps }) => readBy(steps) <= 40)).toEqual([true]);
      // The same records as those that are found a second time.
      const read = await centre.connections.query<{ id: number }>(sql, values);
      const again = await centre.connections.query<{ id: number }>(...slice(ids.length));
      expect(read.map(({ id }) => id)).toEqual(again.map(({ id }) => id));
      expect(read).toHaveLength(25);
    }
    const many = interventionQueryOf(new URLSearchParams("q=record&_end=25"), "Europe/Bucharest");
    const page = await centre.records.page(many, new AbortController().signal);
    expect([page.records.length, page.total]).toEqual([25, RECORDS]);
  });

  test("finds the records of a site by its objectives and its account", async () => {
    const scope = { objectives: [{ type: "obiective/cladiri" as const, id: 3 }], accountId: 77 };
    const plan = await planOf("_sort=id&_order=DESC", { scope });
    expect(plan).toContain("interventions_objective");
    expect(plan).toContain("interventions_creator");
    expect(plan).not.toContain("Seq Scan");
  });

  test("reads the list before an alarm, with its total, from indexes and from the records of its page alone", async () => {
    await centre.connections.query("VACUUM (ANALYZE) interventions");
    const values = [77, ["obiective/cladiri"], [3], 0, 2];
    const how = "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)";
    const [found] = await centre.connections.query<Record<"QUERY PLAN", readonly { Plan: Plan }[]>>(
      `${how} ${NEWEST_FIRST.text}`,
      values,
    );
    const scans = found?.["QUERY PLAN"].flatMap(({ Plan: plan }) => tableScansOf(plan)) ?? [];
    expect(scans.map((scan) => scan["Index Name"] ?? "").toSorted()).toEqual([
      "interventions_creator",
      "interventions_objective",
      "interventions_pkey",
    ]);
    const isOnly = (scan: Plan) => scan["Node Type"] === "Index Only Scan";
    expect(scans.filter((scan) => !isOnly(scan)).map((scan) => scan["Index Name"])).toEqual([
      "interventions_pkey",
    ]);
    expect(scans.find((scan) => !isOnly(scan))).toMatchObject({ "Actual Rows": 1, "Actual Loops": 2 });
  });
});

describeOnPostgres("with few records, a centre on PostgreSQL", (server) => {
  test("reads every list beside those that take long elsewhere, however many an account asks for at once", async () => {
    const centre = await PostgresCentre.open(await server.newDatabase());
    for (let count = 0; count < 3; count += 1) await centre.records.create(PATROL, OPERATOR_USER);
    const { signal } = new AbortController();
    const asked = [
      "q=patrol",
      "id=1&id=2&id=3",
      "objectiveId=1",
      "name=Patrol",
      "_sort=notes",
      "crews_gte=1&_end=2000",
    ];
    const lists = asked.flatMap((text) =>
      [...Array(10).keys()].map(() => interventionQueryOf(new URLSearchParams(text), "Europe/Bucharest")),
    );
    const read = await Promise.all(
      lists.map((query) => centre.records.page({ ...query, account: 5 }, signal)),
    );
    expect(read.map(({ records, total }) => [records.length, total])).toEqual(lists.map(() => [3, 3]));
    await centre.close();
  });
});

describeOnPostgres("while lists take long, a centre on PostgreSQL", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
    await centre.records.create(PATROL, OPERATOR_USER);
    // A search then waits at each record, as in a table that is read from a slow disk.
    await centre.connections.query(`
      CREATE SCHEMA slow;
      CREATE FUNCTION slow.strpos(text, text) RETURNS integer LANGUAGE sql VOLATILE
        AS 'SELECT CASE WHEN pg_sleep(3600) IS NULL THEN 0 ELSE 1 END';
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, slow, pg_catalog', current_database()); END $$`);
    await centre.close();
    centre = await PostgresCentre.open(url, new ManualClock(), MANY);
  });
  afterAll(() => centre.close());

  const running = () => centre.connections.query(RUNNING);

  test("takes alarms, and ends the lists that no client waits for", async () => {
    const client = new AbortController();
    const lists = [...Array(20).keys()].map(() => centre.records.page(SLOW, client.signal));
    const ended = Promise.allSettled(lists);
    await eventually("lists are being read", async () => (await running()).length > 0);
    const made = await Promise.all(
      [...Array(50).keys()].map(() => centre.records.create(PATROL, OPERATOR_USER)),
    );
    expect(made).toHaveLength(50);
    client.abort();
    await eventually("no list is being read", async () => (await running()).length === 0);
    expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(["rejected"]));
    const query = interventionQueryOf(new URLSearchParams(), "Europe/Bucharest");
    expect((await centre.records.page(query, new AbortController().signal)).total).toBe(51);
  });

  const ofSite = { objectives: [{ type: PATROL.objectiveType, id: PATROL.objectiveId }], accountId: 77 };
  const anyList = interventionQueryOf(new URLSearchParams("crews=1"), "Europe/Bucharest");
  const shortList = interventionQueryOf(
    new URLSearchParams("_sort=id&_order=DESC&_end=2"),
    "Europe/Bucharest",
  );

  test("answers the lists that sites read before an alarm and to compare, and short ones of dispatchers", async () => {
    const client = new AbortController();
    const ended = Promise.allSettled([1, 2, 3, 4, 5].map(() => centre.records.page(SLOW, client.signal)));
    await eventually("four lists are being read", async () => (await running()).length === 4);
    const { signal } = new AbortController();
    // The later pages of the comparison of a site, with an account of its own and without.
    const later = { ...shortList, start: 2_000, end: 2_100 };
    const found = await Promise.all(
      [{ ...shortList, scope: ofSite }, shortList, { ...later, scope: ofSite }, later].map((query) =>
        centre.records.page(query, signal),
      ),
    );
    const { total } = found[1] as { total: number };
    expect(found.map((page) => [page.records.length, page.total])).toEqual([
      [Math.min(2, total), total],
      [Math.min(2, total), total],
      [0, total],
      [0, total],
    ]);
    client.abort();
    await ended;
  });

  test("leaves half of the connections for slow lists to other accounts, and tells the one that wants more", async () => {
    const client = new AbortController();
    const read = (account: number, query = SLOW) => centre.records.page({ ...query, account }, client.signal);
    const lists = [1, 2, 3, 4].map(() => read(5));
    const ended = Promise.allSettled(lists);
    await eventually("two lists are being read", async () => (await running()).length === 2);
    expect((await read(6, anyList)).total).toBeGreaterThan(0);
    const refused = Promise.race(lists);
    let isRefused = false;
    refused.catch(() => (isRefused = true));
    await eventually("one that has waited is refused", () => {
      centre.clock.advance(20_000);
      return isRefused;
    });
    await expect(refused).rejects.toMatchObject({
      code: "too-many-requests",
      retryAfterS: 10,
      message: expect.stringContaining("this account") as string,
    });
    expect((await running()).length).toBe(2);
    client.abort();
    await ended;
  });

  test("lets the lists of further accounts wait, and tells why one that has waited long is refused", async () => {
    const client = new AbortController();
    const read = (account: number) => centre.records.page({ ...SLOW, account }, client.signal);
    const ended = Promise.allSettled([5, 5, 6, 6].map((account) => read(account)));
    await eventually("four lists are being read", async () => (await running()).length === 4);
    let refusal: unknown;
    read(7).catch((error: unknown) => (refusal = error));
    // Longer than a query waits for a connection.
    await new Promise((resolve) => {
      setTimeout(resolve, 6_000);
    });
    expect(refusal).toBeUndefined();
    centre.clock.advance(20_000);
    await eventually("it is refused", () => refusal !== undefined);
    expect(refusal).toMatchObject({
      code: "too-many-requests",
      message: expect.stringContaining("the dispatch centre already reads 4") as string,
    });
    client.abort();
    await ended;
  });

  describe("when a list reaches its time limit", () => {
    test("refuses it as on SQLite, and the server no longer reads it", async () => {
      const limited = await PostgresCentre.open(url, new ManualClock(), { ...MANY, listMsMax: 200 });
      await expect(limited.records.page(SLOW, new AbortController().signal)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("took longer than") as string,
        hint: expect.stringContaining("Filter by") as string,
      });
      expect(await running()).toEqual([]);
      await limited.close();
    });

    test("counts the time of its total and of its records together", async () => {
      const own = await server.newDatabase();
      const filled = await PostgresCentre.open(own);
      await fill(filled, 1_500);
      // A search then takes a second and a half for the total, and as long for the records.
      await filled.connections.query(`
        CREATE SCHEMA slow;
        CREATE FUNCTION slow.strpos(text, text) RETURNS integer LANGUAGE sql VOLATILE
          AS 'SELECT CASE WHEN pg_sleep(0.001) IS NULL THEN 0 ELSE 1 END';
        DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, slow, pg_catalog', current_database()); END $$`);
      await filled.close();
      const limited = await PostgresCentre.open(own, new ManualClock(), { ...MANY, listMsMax: 2_500 });
      const query = interventionQueryOf(new URLSearchParams("q=record&_sort=notes"), "Europe/Bucharest");
      await expect(limited.records.page(query, new AbortController().signal)).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("took longer than") as string,
      });
      await limited.close();
    });
  });
});

/** A step of a plan, as far as it is looked at. */
interface Plan {
  readonly "Node Type"?: string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Plan[];
}

/** How many rows the steps read that have no steps below them: those that read a table or an index. */
function readBy(plan: Plan): number {
  if (plan.Plans) return plan.Plans.reduce((read, step) => read + readBy(step), 0);
  return (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
}

/** The steps that read records or an index of them. */
function tableScansOf(plan: Plan): Plan[] {
  const below = (plan.Plans ?? []).flatMap(tableScansOf);
  return plan["Relation Name"] === "interventions" ? [plan, ...below] : below;
}

async function fill({ connections }: PostgresCentre, records = RECORDS): Promise<void> {
  await connections.query(`
    INSERT INTO interventions(id, uid, "name", "nameFolded", "dateStart", "dateStartMs", "dateEnd", "dateEndMs", "status",
      "priority", "type", "objectiveType", "objectiveId", "crews", "police", "ambulance", "firetruck", "dispeceratId",
      created_by, created_at, updated_at)
    SELECT n, 'uid ' || n, 'Record ' || n % 500, 'record ' || n % 500, CASE WHEN n % 5 > 0 THEN n::text END,
      CASE WHEN n % 5 > 0 THEN n * 1000 END, CASE WHEN n % 7 = 0 THEN n::text END, CASE WHEN n % 7 = 0 THEN n * 2000 END,
      CASE WHEN n <= ${RECORDS - OPEN} THEN 'done' ELSE (ARRAY['planned', 'in_progress'])[n % 2 + 1] END,
      (ARRAY['low', 'medium', 'high'])[n % 3 + 1], (ARRAY['maintenance', 'repair', 'other', 'inspection'])[n % 4 + 1],
      'obiective/cladiri', CASE WHEN n % 1000 = 0 THEN 3 ELSE n % 2 + 1 END, CASE WHEN n % 40 = 3 THEN 2 ELSE 1 END,
      false, false, false, 7, n % 1000 + 10, 1, 1
    FROM generate_series(1, ${records}) AS n;
    INSERT INTO intervention_counts(status, priority, type, slot, records)
      SELECT status, priority, type, 0, count(*) FROM interventions GROUP BY status, priority, type;
    ANALYZE interventions`);
}
