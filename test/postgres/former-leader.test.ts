import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedDatabaseChecks } from "../../src/cli/shared-database-checks.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/*
 * An address that still leads to the former leader, which has come back as a standby: it answers reads, but lacks what has been
 * acknowledged since.
 */
describeOnPostgres("at a standby, a centre on PostgreSQL", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
  });
  afterAll(() => centre.close());

  test("reads nothing, until it is the primary", async () => {
    const { record } = await centre.records.create(PATROL, OPERATOR_USER);
    await server.kill();
    server.writeData("standby.signal", "");
    await server.startAgain();
    const page = { filters: [], sort: [], start: 0, end: 2 };
    const reads = [
      () => centre.records.get(record.id),
      () => centre.signIns.byId(OPERATOR_USER.accountId),
      () => centre.records.page(page, new AbortController().signal),
      () => centre.records.page({ ...page, search: "x" }, new AbortController().signal),
      () => centre.fleet.page({ levels: [], sort: "name", descending: false, start: 0, end: 2 }),
    ];
    for (const read of reads)
      await expect(read()).rejects.toMatchObject({ code: "unavailable", retryAfterS: 2 });
    const [check] = await sharedDatabaseChecks({ url, password: undefined, ca: undefined });
    expect(check).toMatchObject({
      status: "error",
      text: expect.stringContaining("is a standby and cannot write") as string,
    });

    await server.query("postgres", "SELECT pg_promote()");
    await eventually("reads work again", () => centre.records.get(record.id));
    for (const read of reads) await read();
  });

  test("gives up a connection over which a transaction was refused", async () => {
    const write = () => centre.connections.transaction((queries) => queries.query("DELETE FROM sites"));
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    await write();
    await server.query(name, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await server.query(
      "postgres",
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    await eventually("a refused write", () =>
      write().then(
        () => false,
        ({ cause }: { cause: { code?: string } }) => cause.code === "25006",
      ),
    );
    // Connections from now on can write again; those that are open cannot.
    await server.query("postgres", `ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await write();
  });
});
