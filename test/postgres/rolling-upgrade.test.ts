import { createSecretKey, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silenceQuery, type SilenceQuery } from "../../src/domain/site-silence.ts";
import { verifyTrail } from "../../src/postgres/audit-trail.ts";
import { removeOldRows } from "../../src/postgres/retention.ts";
import { PostgresSigningKeys } from "../../src/postgres/signing-keys.ts";
import { PostgresUnfinished } from "../../src/postgres/unfinished-records.ts";
import { TokenService } from "../../src/service/tokens.ts";
import { OPERATOR_USER, PASSWORD, PATROL, TESTER } from "../support/app.ts";
import { REPORT, SILENCE } from "../support/fleet.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A newer process of a centre has added columns while an older one runs. What a step that removes something does is not shown. */

const SILENT_MS = 600_000;

describeOnPostgres("a process of a centre", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    // One connection, so that each statement is sent again where it was prepared.
    centre = await PostgresCentre.open(await server.newDatabase(), new ManualClock(), { connectionsMax: 1 });
  });
  afterAll(() => centre.close());

  test("goes on with everything when a newer one has added a column to each table", async () => {
    await useEverything(centre, "before");
    const tables = await centre.connections.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(["sites", "interventions"]));
    for (const { name } of tables)
      await centre.connections.query(`ALTER TABLE ${name} ADD COLUMN of_a_newer_release bigint`);
    await useEverything(centre, "after");
  });
});

/** Each statement of a centre, so that its connection has prepared it. */
async function useEverything(centre: PostgresCentre, when: string): Promise<void> {
  await useRecords(centre, when);
  await useSites(centre, when);
  await useAccounts(centre, when);
  const { connections, clock, events } = centre;
  expect((await verifyTrail(connections)).broken).toBeNull();
  await events.place();
  await removeOldRows(connections, clock.wallMs(), { auditDays: 400, uptimeMs: 0 });
}

async function useRecords({ records, events, connections, clock }: PostgresCentre, when: string) {
  const key = { key: when, fingerprint: "f" };
  const { record } = await records.create(PATROL, OPERATOR_USER, key);
  expect((await records.create(PATROL, OPERATOR_USER, key)).replayed).toBe(true);
  for (const notes of ["first", "second", "second"])
    await records.change(record.id, { body: { notes } }, OPERATOR_USER);
  await records.change(record.id, { body: { objectiveId: 2 } }, OPERATOR_USER);
  expect((await records.get(record.id)).record.notes).toBe("second");
  const everything = { filters: [], sort: [], start: 0, end: 10 };
  expect((await records.page(everything, new AbortController().signal)).total).toBeGreaterThan(0);
  const unfinished = new PostgresUnfinished(connections);
  await unfinished.counts(clock.wallMs());
  await unfinished.worst("work", clock.wallMs(), 5);
  await unfinished.details([record.id]);
  await records.remove(record.id, undefined, OPERATOR_USER);
  await expect(records.get(record.id)).rejects.toMatchObject({ reason: "deleted" });
  expect((await events.about(`intervention ${record.id}`, 10)).length).toBeGreaterThan(0);
}

async function useSites({ fleet, clock }: PostgresCentre, when: string): Promise<void> {
  const report = () => fleet.report({ ...REPORT, ref: `site-${when}` }, OPERATOR_USER);
  await report();
  await report();
  clock.advance(SILENT_MS + 1);
  await fleet.reception({ silentMs: SILENT_MS, signMs: 15_000 });
  const query = silenceQuery(clock.wallMs(), clock.wallMs() - SILENT_MS, SILENCE) as SilenceQuery;
  expect((await fleet.findSilent(query)).silent.length).toBeGreaterThan(0);
  await report();
  await fleet.counts();
  const slice = { levels: [], sort: "level", descending: false, start: 0, end: 10 } as const;
  expect((await fleet.page(slice)).total).toBeGreaterThan(0);
  const [site] = await fleet.after(0, 1);
  await fleet.get(site?.id ?? 0);
  await fleet.remove(site?.id ?? 0, OPERATOR_USER);
}

async function useAccounts(centre: PostgresCentre, when: string): Promise<void> {
  const { accounts, enrolments, objectives, signIns, notes, clock, connections } = centre;
  const email = `${when}@test.example`;
  await accounts.add({ email, role: "administrator", password: PASSWORD }, TESTER);
  const keys = { current: createSecretKey(randomBytes(32)) };
  const tokens = new TokenService({ signIns, events: notes, clock, keys });
  await expect(tokens.signIn(email, "wrong", "192.0.2.1")).rejects.toMatchObject({ code: "unauthenticated" });
  const { token } = await tokens.signIn(email, PASSWORD, "192.0.2.1");
  await tokens.verify(token, "");
  await accounts.list();
  const site = `site ${when}`;
  await enrolments.find("a code that does not exist");
  const { code } = await enrolments.invite({ site, objectives: ["obiective/cladiri/1"] }, TESTER);
  for (let count = 0; count < 2; count += 1)
    await enrolments.claim({ code, site, password: PASSWORD }, "192.0.2.1");
  await enrolments.page({ start: 0, end: 1000 });
  await enrolments.revoke(site, TESTER);
  const query = { filters: [], sort: [], start: 0, end: 10 };
  await objectives.list({ type: "obiective/cladiri", query }, new AbortController().signal);
  await new PostgresSigningKeys(connections).read(() => "00".repeat(32));
}
