import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyTrail } from "../../src/postgres/audit-trail.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

/** Transactions that the old server is ahead of a new one by. */
const AHEAD = 20_000;

describeWithPostgres("a dump of an old server that is restored in a new one", () => {
  let servers: [PostgresServer, PostgresServer];
  beforeAll(async () => {
    servers = [await PostgresServer.start(), await PostgresServer.start()];
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });

  test("shows all events at once, those that follow too, and an intact audit trail", async () => {
    const url = await servers[0].newDatabase();
    await servers[0].query(
      new URL(url).pathname.slice(1),
      `DO $$ BEGIN FOR n IN 1..${AHEAD} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
    const old = await PostgresCentre.open(url);
    const { record } = await old.records.create(PATROL, OPERATOR_USER);
    await old.records.remove(record.id, undefined, OPERATOR_USER);
    const before = await old.settledEvents(100);
    expect(before.map(({ event }) => event)).toContain("intervention-deleted");
    await old.close();

    const restored = await PostgresCentre.open(await servers[1].restored(servers[0].dump(url)));
    expect(await restored.events.newest(100)).toEqual(before);
    await restored.records.create(PATROL, OPERATOR_USER);
    const next = (await restored.events.newest(1))[0];
    expect(next?.event).toBe("intervention-created");
    expect(next?.seq).toBeGreaterThan(before[0]?.seq ?? 0);
    expect((await verifyTrail(restored.connections)).broken).toBeNull();
    await restored.close();
  });
});
