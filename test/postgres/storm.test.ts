import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { OPERATOR_USER, PATROL } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const WRITERS = 64;
const RECORDS_EACH = 12;

describeOnPostgres("64 writers at two processes of a centre, whose server is killed in between", (server) => {
  let both: [PostgresCentre, PostgresCentre];
  beforeAll(async () => {
    const url = await server.newDatabase();
    both = [await PostgresCentre.open(url), await PostgresCentre.open(url)];
  });
  afterAll(async () => {
    for (const centre of both) await centre.close();
  });

  test("have each acknowledged record stored, once, with its event and its count", async () => {
    const acknowledged = new Map<string, number>();
    let refused = 0;
    /** As a site does: the same key until there is an answer, each time at the other process. */
    const write = async (key: string): Promise<void> => {
      let attempt = acknowledged.size;
      await eventually(`an answer for ${key}`, async () => {
        const { records } = both[(attempt += 1) % 2] as PostgresCentre;
        try {
          const { record } = await records.create(PATROL, OPERATOR_USER, { key, fingerprint: "f" });
          acknowledged.set(key, record.id);
          return true;
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "unavailable") throw error;
          refused += 1;
          return false;
        }
      });
    };
    const writers = [...Array(WRITERS).keys()].map(async (writer) => {
      for (let number = 0; number < RECORDS_EACH; number += 1) await write(`${writer} ${number}`);
    });
    await eventually("a third is acknowledged", () => acknowledged.size > (WRITERS * RECORDS_EACH) / 3);
    await server.kill();
    await server.startAgain();
    await Promise.all(writers);

    expect(refused).toBeGreaterThan(0);
    expect(acknowledged.size).toBe(WRITERS * RECORDS_EACH);
    const { connections } = both[0];
    const stored = await connections.query<{ uid: string; id: number }>("SELECT uid, id FROM interventions");
    expect(new Map(stored.map(({ uid, id }) => [uid, id]))).toEqual(acknowledged);
    expect(stored).toHaveLength(acknowledged.size);
    const [counted] = await connections.query(
      `SELECT (SELECT sum(records) FROM intervention_counts) AS counted,
         (SELECT count(*) FROM events WHERE event = 'intervention-created') AS logged`,
    );
    expect(counted).toEqual({ counted: acknowledged.size, logged: acknowledged.size });
  });
});
