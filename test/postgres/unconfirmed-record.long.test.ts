import { afterAll, beforeAll, expect, test } from "vitest";
import type { AppError } from "../../src/domain/errors.ts";
import { recordsInScope } from "../../src/service/scoped-records.ts";
import { OPERATOR_USER, PASSWORD, PATROL, TESTER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { setStandby } from "../support/missing-standby.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/*
 * A commit waits for its synchronous standby, here one that never comes. If the server ends meanwhile and starts again, the record is
 * there, on this server only: it must not be acknowledged until the standby has it.
 */
describeOnPostgres("what only the primary has", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(() => centre.close());

  const create = (key: string) => centre.records.create(PATROL, OPERATOR_USER, { key, fingerprint: "f" });
  /** The server as it is after a crash: what it had written is there. */
  const crash = async (): Promise<void> => {
    await server.kill();
    await server.startAgain();
  };
  const count = async (): Promise<number | undefined> => {
    const [row] = await centre.connections.query<{ n: number }>("SELECT count(*) AS n FROM interventions");
    return row?.n;
  };

  test("is not acknowledged before the standby has it", async () => {
    const { record } = await create("confirmed");
    await setStandby(server, "missing");
    await expect(create("unconfirmed")).rejects.toMatchObject({ code: "unavailable" });
    const change = () => centre.records.change(record.id, { body: { notes: "seen" } }, OPERATOR_USER);
    await expect(change()).rejects.toMatchObject({ code: "unavailable" });
    await crash();
    expect(await count()).toBe(2);
    await expect(create("unconfirmed")).rejects.toMatchObject({ code: "unavailable" });
    await expect(change()).rejects.toMatchObject({ code: "unavailable" });
    await setStandby(server, "");
    // The first write may still meet those that wait.
    const again = await eventually("an answer", () => create("unconfirmed").catch(() => undefined));
    expect(again).toMatchObject({ replayed: true });
    expect((await change()).record.notes).toBe("seen");
    expect(await count()).toBe(2);
  });

  test("is not called deleted before the standby has the deletion", async () => {
    const { record } = await create("deleted");
    const remove = () => centre.records.remove(record.id, undefined, OPERATOR_USER);
    const read = () => recordsInScope({ ...OPERATOR_USER, site: "hala" }, centre.records).get(record.id);
    await setStandby(server, "missing");
    await expect(remove()).rejects.toMatchObject({ code: "unavailable" });
    await crash();
    await expect(remove()).rejects.toMatchObject({ code: "unavailable" });
    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
    await setStandby(server, "");
    // As above.
    const isAnswered = () => remove().catch((error: AppError) => error.code !== "unavailable");
    await eventually("an answer", isAnswered);
    await expect(remove()).rejects.toMatchObject({ code: "not-found", reason: "deleted" });
    await expect(read()).rejects.toMatchObject({ code: "not-found", reason: "deleted" });
  });

  test("enrols no site before the standby has its account", async () => {
    const objectives = ["obiective/cladiri/1"];
    const { code } = await centre.enrolments.invite({ site: "hala", objectives }, TESTER);
    const claim = () => centre.enrolments.claim({ code, site: "hala", password: PASSWORD }, "192.0.2.7");
    await setStandby(server, "missing");
    await expect(claim()).rejects.toMatchObject({ code: "unavailable" });
    await crash();
    await expect(claim()).rejects.toMatchObject({ code: "unavailable" });
    await setStandby(server, "");
    expect((await claim()).site).toBe("hala");
  });
});
