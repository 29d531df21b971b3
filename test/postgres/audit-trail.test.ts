import { afterAll, beforeAll, expect, test } from "vitest";
import { readTrail, verifyTrail } from "../../src/postgres/audit-trail.ts";
import type { PostgresAccounts } from "../../src/postgres/postgres-accounts.ts";
import type { AuditRow } from "../../src/store/audit-chain.ts";
import { OPERATOR_USER, PASSWORD, PATROL, TESTER } from "../support/app.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

describeOnPostgres("the audit trail of a centre of two processes", (server) => {
  let both: [PostgresCentre, PostgresCentre];
  beforeAll(async () => {
    const url = await server.newDatabase();
    both = [await PostgresCentre.open(url), await PostgresCentre.open(url)];
  });
  afterAll(async () => {
    for (const centre of both) await centre.close();
  });

  const at = (number: number): PostgresCentre => both[number % 2] as PostgresCentre;
  const rows = async (): Promise<AuditRow[]> => {
    const found: AuditRow[] = [];
    await readTrail(both[1].connections, (row) => void found.push(row));
    return found;
  };

  test("has one order, that of the events, whatever happens at once", async () => {
    const made = await Promise.all(
      [...Array(30).keys()].map((number) => at(number).records.create(PATROL, OPERATOR_USER)),
    );
    const accounts: PostgresAccounts[] = both.map((centre) => centre.accounts);
    await Promise.all([
      ...made.map(({ record }, number) => at(number).records.remove(record.id, undefined, OPERATOR_USER)),
      ...[...Array(30).keys()].map((number) =>
        at(number).events.add(
          { event: "signed-in", who: `${number}@b.c`, from: "192.0.2.1", subject: "s", detail: {} },
          number,
        ),
      ),
      ...accounts.map((one, number) =>
        one.add({ email: `new-${number}@test.example`, role: "operator", password: PASSWORD }, TESTER),
      ),
    ]);
    const found = await rows();
    expect(found).toHaveLength(30 + 30 + 2);
    expect(found.map(({ position }) => position)).toEqual(found.map((_row, index) => index + 1));
    expect(found.map(({ seq }) => seq)).toEqual(found.map(({ seq }) => seq).toSorted((a, b) => a - b));
    for (const { connections } of both)
      expect(await verifyTrail(connections)).toMatchObject({ entries: 62, broken: null });
  });

  test("has one entry for a program that signs in at both", async () => {
    const before = (await rows()).length;
    const event = {
      event: "signed-in",
      who: "twice@b.c",
      from: "192.0.2.7",
      subject: "s",
      detail: {},
    } as const;
    // Of one moment: an event that is stored after a later one of the other process is no repetition of it.
    await Promise.all([...Array(30).keys()].map((number) => at(number).events.add(event, 1_000)));
    expect(await rows()).toHaveLength(before + 1);
  });

  test("has an entry for each record that is gone, also if the server dies meanwhile", async () => {
    const made = await Promise.all(
      [...Array(60).keys()].map((number) => at(number).records.create(PATROL, OPERATOR_USER)),
    );
    const before = (await rows()).length;
    const removals = Promise.allSettled(
      made.map(({ record }, number) => at(number).records.remove(record.id, undefined, OPERATOR_USER)),
    );
    await Promise.race(
      made.map(({ record }, number) =>
        at(number)
          .records.get(record.id)
          .catch(() => 0),
      ),
    );
    await server.kill();
    const ended = await removals;
    await server.startAgain();
    const [left] = await both[0].connections.query<{ n: number }>(
      "SELECT count(*) AS n FROM interventions WHERE deleted_at IS NOT NULL AND id = ANY($1)",
      // Which of the two processes had its records first is open.
      [made.map(({ record }) => record.id)],
    );
    const gone = left?.n ?? 0;
    expect(gone).toBeGreaterThanOrEqual(ended.filter(({ status }) => status === "fulfilled").length);
    expect(await rows()).toHaveLength(before + gone);
    expect((await verifyTrail(both[0].connections)).broken).toBeNull();
  });
});
