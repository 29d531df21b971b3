import { renameSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import request from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { PostgresAccounts } from "../../src/postgres/postgres-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { OPERATOR_USER, PATROL, TestApp } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Errors of the server that pass: a client can repeat its request, and the repetition succeeds. */

describeOnPostgres("a centre on PostgreSQL asks for a repetition", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
  });
  afterAll(() => centre.close());

  test("of a change that the server has ended in a deadlock", async () => {
    const { record } = await centre.records.create(PATROL, OPERATOR_USER);
    const change = () => centre.records.change(record.id, { body: { status: "done" } }, OPERATOR_USER);
    // An administrator at psql has the totals, then wants the record; the centre takes them in the other order.
    const psql = new pg.Client({ connectionString: url });
    await psql.connect();
    await psql.query(
      "INSERT INTO intervention_counts SELECT 'done', 'medium', 'maintenance', slot, 0 FROM generate_series(0, 15) AS slot",
    );
    await psql.query("SET deadlock_timeout = '1h'; BEGIN; SELECT 1 FROM intervention_counts FOR UPDATE");
    const changed = expect(change()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 1 });
    await eventually("the change waits for the totals", async () => {
      const waiting = await centre.connections.query("SELECT 1 FROM pg_locks WHERE NOT granted");
      return waiting.length > 0;
    });
    await psql.query("SELECT 1 FROM interventions WHERE id = $1 FOR UPDATE", [record.id]);
    await changed;
    await psql.query("ROLLBACK");
    await psql.end();
    expect((await change()).record.status).toBe("done");
  });

  test("while the disk of the server cannot be read, and reports the database as unavailable", async () => {
    const [file] = await centre.connections.query<{ path: string }>(
      "SELECT pg_relation_filepath('sites') AS path",
    );
    const path = join(server.folder, "data", file?.path ?? "");
    const log = new JsonLog({ level: "error", clock: centre.clock, write: () => {} });
    const states: (string | null)[] = [];
    const connections = new PostgresConnections({ url }, log, (reason) => void states.push(reason));
    const read = () => connections.query("SELECT id FROM sites");
    renameSync(path, `${path}.away`);
    await expect(read()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
    renameSync(`${path}.away`, path);
    expect(await read()).toEqual([]);
    expect(states).toEqual([expect.stringContaining("could not open file"), null]);
    await connections.close();
  });

  test("of a statement whose name a pooler has given away, and uses another connection then", async () => {
    const log = new JsonLog({ level: "error", clock: centre.clock, write: () => {} });
    const connections = new PostgresConnections({ url }, log, undefined, { readsMax: 1, writesMax: 1 });
    const named = (name: string) => ({ name, text: "SELECT 2 AS two" });
    const asks = [
      { name: "alone", queries: connections, ask: () => connections.query(named("alone")) },
      {
        name: "within",
        queries: connections.writes,
        ask: () => connections.transaction((queries) => queries.query(named("within"))),
      },
    ];
    for (const { name, queries, ask } of asks) {
      await queries.query(`PREPARE ${name} AS SELECT 1 AS one`);
      await expect(ask()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
      expect(await ask()).toEqual([{ two: 2 }]);
    }
    await connections.close();
  });

  test("while it can only be read, like a standby, and does not get new clients of the load balancer", async () => {
    const log = new JsonLog({ level: "error", clock: centre.clock, write: () => {} });
    const states: (string | null)[] = [];
    const connections = new PostgresConnections({ url }, log, (state) => void states.push(state));
    const app = await TestApp.make({
      accounts: new PostgresAccounts({ connections, clock: centre.clock, bcryptCost: 4 }),
    });
    const check = async () => (await request(app.app).get("/site/setup")).status;
    expect(await check()).toBe(200);
    const psql = new pg.Client({ connectionString: url });
    await psql.connect();
    await psql.query("SET default_transaction_read_only = off");
    /** For the sessions from now on. */
    const setReadOnly = async (value: "on" | "off"): Promise<void> => {
      await psql.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${value}', current_database()); END $$`,
      );
      await psql.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
    };
    await setReadOnly("on");
    const read = () => connections.query("SELECT id FROM sites");
    await eventually("reads work again", read);
    await expect(connections.query("DELETE FROM sites")).rejects.toMatchObject({ code: "unavailable" });
    states.length = 0;
    for (let count = 0; count < 5; count += 1) await read();
    expect(await check()).toBe(503);
    expect(states).not.toContain(null);
    await setReadOnly("off");
    await eventually("the load balancer hears of it", async () => (await check()) === 200);
    await eventually("the condition ends", async () => (await read()) && states.at(-1) === null);
    await psql.end();
    await app.close();
    await connections.close();
  });

  test("while its role has lost its rights, and does not end", async () => {
    const log = new JsonLog({ level: "error", clock: centre.clock, write: () => {} });
    const states: (string | null)[] = [];
    const connections = new PostgresConnections({ url }, log, (state) => void states.push(state));
    // The role is that of the session: the statements use one connection, one after the other.
    await connections.query("CREATE ROLE guest; GRANT USAGE ON SCHEMA public TO guest; SET ROLE guest");
    await expect(connections.query("SELECT id FROM sites")).rejects.toMatchObject({ code: "unavailable" });
    await connections.query("RESET ROLE");
    expect(await connections.query("SELECT id FROM sites")).toEqual([]);
    expect(states).toContainEqual(expect.stringContaining("permission denied for table sites"));
    await connections.close();
  });
});
