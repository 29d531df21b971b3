import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordsInScope } from "../../src/service/scoped-records.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A dispatcher moves a record to the objective of another site while its own site changes or deletes it. */

const MOVE = `UPDATE interventions SET "objectiveId" = 2, rev = rev + 1 WHERE id = $1`;
const WAITING =
  "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const SITE = {
  ...OPERATOR_USER,
  accountId: 77,
  site: "hala-nord",
  objectives: [{ type: PATROL.objectiveType, id: PATROL.objectiveId }],
};

describeOnPostgres("a record that is moved to another site at a centre on PostgreSQL", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
  });
  afterAll(() => centre.close());

  test.each(["change", "deletion"])("is no longer the site's while its %s waits", async (what) => {
    const { record } = await centre.records.create(PATROL, OPERATOR_USER);
    const records = recordsInScope(SITE, centre.records);
    const dispatcher = new pg.Client({ connectionString: url });
    await dispatcher.connect();
    await dispatcher.query("BEGIN");
    await dispatcher.query(MOVE, [record.id]);
    const late: Promise<unknown> =
      what === "change"
        ? records.change(record.id, { body: { notes: "of the former site" } }, SITE)
        : records.remove(record.id, undefined, SITE);
    const refused = expect(late).rejects.toMatchObject({ code: "not-found" });
    await eventually("it waits", async () => (await centre.connections.query(WAITING)).length > 0);
    await dispatcher.query("COMMIT");
    await dispatcher.end();
    await refused;
    const kept = await centre.records.get(record.id);
    expect(kept).toMatchObject({ record: { notes: null, objectiveId: 2 }, rev: 2 });
  });
});
