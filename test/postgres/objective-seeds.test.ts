import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const ROUNDS = 5;
const COUNT = 5_000;
/** The order in which the rows are in the table, which may be any. */
const STORE = `INSERT INTO objectives(kind, id, data, source)
  SELECT 'obiective/cladiri', id, '{}', 'config' FROM generate_series(1, ${COUNT}) AS id ORDER BY id DESC`;

describeOnPostgres("two processes of a centre that start at once with different configurations", (server) => {
  let both: [PostgresCentre, PostgresCentre];
  beforeAll(async () => {
    const url = await server.newDatabase();
    both = [await PostgresCentre.open(url), await PostgresCentre.open(url)];
  });
  afterAll(async () => {
    for (const centre of both) await centre.close();
  });

  test("store their objectives without waiting for each other in a circle", async () => {
    const buildings = Array.from({ length: COUNT }, (_, index) => ({ id: index + 1, name: "Hall" }));
    for (let round = 0; round < ROUNDS; round += 1) {
      await both[0].connections.query("DELETE FROM objectives");
      await both[0].connections.query(STORE);
      const [one, other] = both;
      const seeds: Promise<unknown>[] = [
        one.objectives.import({ "obiective/cladiri": buildings }, "config"),
        other.objectives.release({}),
      ];
      const failures = (await Promise.allSettled(seeds)).filter(({ status }) => status === "rejected");
      expect(failures).toEqual([]);
    }
  });
});
