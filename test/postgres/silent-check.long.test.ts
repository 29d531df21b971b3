import { connect, createServer, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { close, listen } from "../support/loopback.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

/** Nearly as long as a connection may take. */
const AUTHENTICATION_MS = 3_500;
/** Both together: little more than a query may take. */
const ANSWER_MS_MAX = 7_000;

describeWithPostgres("a server that authenticates late and says nothing more", () => {
  test("is given up within seconds, as often as it is asked", async () => {
    const server = await PostgresServer.start();
    const open = new Set<Socket>();
    /** Forwards what the client sends first, with all that the server answers to that. */
    const silent = createServer({ allowHalfOpen: true }, (client) => {
      const behind = connect(`${server.folder}/.s.PGSQL.5432`);
      for (const socket of [client, behind]) socket.on("error", () => {});
      client.once("data", (first) => void wait(AUTHENTICATION_MS).then(() => behind.write(first)));
      behind.on("data", (answer) => client.write(answer));
      open.add(client).add(behind);
    });
    const port = await listen(silent);
    const log = new JsonLog({ level: "error", clock: new ManualClock(), write: () => {} });
    const url = `postgres://santinela@127.0.0.1:${port}/postgres`;
    const connections = new PostgresConnections({ url }, log, undefined, { readsMax: 1 });
    for (const _turn of [1, 2]) {
      const startMs = performance.now();
      await expect(connections.query("SELECT 1")).rejects.toMatchObject({ code: "unavailable" });
      expect(performance.now() - startMs).toBeLessThan(ANSWER_MS_MAX);
    }
    await connections.close();
    for (const socket of open) socket.destroy();
    await close(silent);
    await server.stop();
  }, 60_000);
});
