import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Intervention } from "../../src/domain/intervention.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* One client changes or deletes hundreds of records at once, on a server whose commits take their time. */

const WRITES = 300;
const COMMIT_MS = 30;
const SLOW_COMMITS = `
  CREATE FUNCTION delay() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(${COMMIT_MS / 1000}); RETURN NULL; END$$;
  CREATE CONSTRAINT TRIGGER delay AFTER UPDATE ON interventions DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION delay()`;

describeOnPostgres("a centre with hundreds of changes at once", (server) => {
  let centre: PostgresCentre;
  let records: Intervention[];

  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
    await centre.connections.query(SLOW_COMMITS);
  });
  afterAll(() => centre.close());
  beforeEach(async () => {
    records = await Promise.all(Array.from({ length: WRITES }, () => create()));
  });

  const create = async (): Promise<Intervention> =>
    (await centre.records.create(PATROL, OPERATOR_USER)).record;

  test.each<[string, (first: number) => Promise<unknown>[]]>([
    ["deletions", () => records.map(({ id }) => centre.records.remove(id, undefined, OPERATOR_USER))],
    [
      "changes of one record",
      (first) =>
        records.map((_record, number) =>
          centre.records.change(first, { body: { notes: `change ${number}` } }, OPERATOR_USER),
        ),
    ],
  ])("stores alarms and answers others meanwhile: %s", async (_what, writes) => {
    const all = Promise.all(writes(records[0]?.id ?? 0));
    const isOver = all.then(
      () => true,
      () => true,
    );
    let stored = 0;
    while (!(await Promise.race([isOver, Promise.resolve(false)]))) {
      const beganMs = performance.now();
      await create();
      await centre.accounts.initialAdministrator();
      expect(performance.now() - beganMs).toBeLessThan(3_000);
      stored += 1;
    }
    expect(await all).toHaveLength(WRITES);
    expect(stored).toBeGreaterThan(10);
  });

  test("reports a full pool as busy, not as a missing database", async () => {
    const full = centre.connections;
    // As many as are read at once.
    const waits = Array.from({ length: 4 }, () =>
      full.query({ text: "SELECT pg_sleep(7)", query_timeout: 9_000 }),
    );
    await expect(full.query("SELECT 1")).rejects.toMatchObject({
      code: "unavailable",
      message: "the database is busy; try again",
    });
    await Promise.all(waits);
  });
});
