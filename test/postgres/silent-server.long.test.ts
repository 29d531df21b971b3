import { expect, test } from "vitest";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A server that no longer answers, and does not close its connections: its machine has stopped. */

const PROCESSES = "SELECT pid FROM pg_stat_activity WHERE datname = current_database()";

describeOnPostgres("while the server does not answer, a centre on PostgreSQL", (server) => {
  test("gives up the lists that sites read before an alarm as early as any other query", async () => {
    const centre = await PostgresCentre.open(await server.newDatabase());
    const query = { filters: [], sort: [], start: 0, end: 2 };
    const scope = { objectives: [{ type: PATROL.objectiveType, id: 1 }], accountId: OPERATOR_USER.accountId };
    const lists = () =>
      [query, { ...query, scope }].map((one) => centre.records.page(one, new AbortController().signal));
    // Connections that the server has opened, of both kinds.
    await Promise.all([...lists(), ...[1, 2, 3].map(() => centre.connections.query("SELECT pg_sleep(0.2)"))]);
    const processes = await centre.connections.query<{ pid: number }>(PROCESSES);
    for (const { pid } of processes) process.kill(pid, "SIGSTOP");
    try {
      const given = Promise.allSettled(lists());
      const others = (async () => {
        for (const _turn of [1, 2]) await expect(centre.connections.query("SELECT 1")).rejects.toThrow();
      })();
      const first = await Promise.race([given, others]);
      expect(first?.map((one) => one.status === "rejected" && (one.reason as { code: string }).code)).toEqual(
        ["unavailable", "unavailable"],
      );
      await others;
    } finally {
      for (const { pid } of processes) process.kill(pid, "SIGCONT");
    }
    await Promise.all(lists());
    await centre.close();
  });

  test("gives up a slow list as early, which another server may answer", async () => {
    const centre = await PostgresCentre.open(await server.newDatabase(), undefined, { recordsFewMax: -1 });
    const query = { filters: [], sort: [], search: "x", start: 0, end: 2 };
    const list = () => centre.records.page(query, new AbortController().signal);
    await list();
    const slow = `${PROCESSES} AND query = 'COMMIT' AND backend_start = (
      SELECT max(backend_start) FROM pg_stat_activity WHERE query = 'COMMIT' AND datname = current_database())`;
    const [backend] = await centre.connections.query<{ pid: number }>(slow);
    process.kill(backend?.pid ?? 0, "SIGSTOP");
    const startMs = performance.now();
    try {
      await expect(list()).rejects.toMatchObject({ code: "unavailable" });
    } finally {
      process.kill(backend?.pid ?? 0, "SIGCONT");
    }
    expect(performance.now() - startMs).toBeLessThan(15_000);
    await list();
    await centre.close();
  });
});
