import { createSecretKey, randomBytes } from "node:crypto";
import request from "supertest";
import { afterAll, beforeAll, expect, test } from "vitest";
import { JsonLog } from "../../src/ops/log.ts";
import { lockTrail } from "../../src/postgres/audit-trail.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { OPERATOR_USER, PASSWORD, PATROL, TEST_ACCOUNTS, TestApp } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

describeOnPostgres(
  "one of the machines of a centre stops between two statements of a transaction",
  (server) => {
    let centre: PostgresCentre;
    let app: TestApp;
    let lost: PostgresConnections;
    /** Lets the stopped machine go on. */
    let wake: () => void;
    let transaction: Promise<unknown>;

    beforeAll(async () => {
      const url = await server.newDatabase();
      centre = await PostgresCentre.open(url);
      const { signIns, notes: events, clock, records, fleet, objectives, accounts } = centre;
      const keys = { current: createSecretKey(randomBytes(32)) };
      const tokens = new TokenService({ signIns, events, clock, keys });
      app = await TestApp.make({ tokens, records, fleet, objectives, accounts, events });
      lost = new PostgresConnections({ url }, new JsonLog({ level: "error", clock, write: () => {} }));
    });
    afterAll(async () => {
      wake();
      await transaction.catch(() => {});
      await lost.close();
      await app.close();
      await centre.close();
    });

    const signIn = () =>
      request(app.app).post("/auth/token").send({ email: TEST_ACCOUNTS.operator, password: PASSWORD });

    test("sign-ins get 503 with the time of the next attempt, and work again by themselves", async () => {
      await signIn().expect(200);
      const locked = new Promise<void>((resolve, reject) => {
        transaction = lost.transaction(async (queries) => {
          await lockTrail(queries);
          resolve();
          await new Promise<void>((go) => (wake = go));
        });
        transaction.catch(reject);
      });
      await locked;

      const statuses = new Set<number>();
      await eventually("a sign-in", async () => {
        const response = await signIn();
        statuses.add(response.status);
        if (response.status === 503) expect(response.headers["retry-after"]).toBe("2");
        return response.status === 200;
      });
      // The first one may have waited for the lock until the server ended the transaction.
      expect([...statuses].filter((status) => status !== 503)).toEqual([200]);
      // What else needs the lock works too, and no session still waits for it.
      const { record } = await centre.records.create(PATROL, OPERATOR_USER);
      await centre.records.remove(record.id, undefined, OPERATOR_USER);
      const waiting = await centre.connections.query("SELECT 1 FROM pg_locks WHERE NOT granted");
      expect(waiting).toEqual([]);
    });

    test("its own transaction has failed as a whole", async () => {
      wake();
      await expect(transaction).rejects.toMatchObject({ code: "unavailable" });
    });
  },
);
