import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { silenceQuery, type SilenceQuery } from "../../src/domain/site-silence.ts";
import { PostgresFleet } from "../../src/postgres/postgres-fleet.ts";
import type { SilenceResult } from "../../src/service/fleet.ts";
import { OPERATOR_USER } from "../support/app.ts";
import { REPORT, SILENCE } from "../support/fleet.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Two processes of a centre take reports and look for silent sites at the same time. */

const SITES = 300;
const SILENT_MS = 600_000;
const LOOKS = { silentMs: SILENT_MS, signMs: 15_000 };

interface Repair {
  readonly id: number;
  readonly status: string;
  readonly priority: string;
  readonly notes: string | null;
}

describeOnPostgres("the sites of a centre of two processes", (server) => {
  let clock: ManualClock;
  let both: [PostgresCentre, PostgresCentre];
  beforeEach(async () => {
    const url = await server.newDatabase();
    clock = new ManualClock();
    both = [await PostgresCentre.open(url, clock), await PostgresCentre.open(url, clock)];
  });
  afterEach(async () => {
    for (const centre of both) await centre.close();
  });

  const at = (number: number): PostgresCentre => both[number % 2] as PostgresCentre;
  const refs = [...Array(SITES).keys()].map((number) => `site-${number}`);
  const query = () => silenceQuery(clock.wallMs(), clock.wallMs() - SILENT_MS, SILENCE) as SilenceQuery;
  const reportAll = () =>
    Promise.all(refs.map((ref, number) => at(number).fleet.report({ ...REPORT, ref }, OPERATOR_USER)));
  const lookAtAll = async ({ fleet }: PostgresCentre): Promise<SilenceResult["silent"][number][]> => {
    const { silent, hasMore } = await fleet.findSilent(query());
    return hasMore ? [...silent, ...(await lookAtAll({ fleet } as PostgresCentre))] : [...silent];
  };
  const repairs = () =>
    both[0].connections.query<Repair>(
      `SELECT id, "status", "priority", "notes" FROM interventions WHERE "type" = 'repair' ORDER BY id`,
    );

  test("have one repair each, whichever process looks, and both see one outage", async () => {
    await reportAll();
    clock.advance(SILENT_MS + 1);
    const found = (await Promise.all([...both, ...both].map(lookAtAll))).flat();
    const left = (await Promise.all(both.map(lookAtAll))).flat();
    expect([...found, ...left].map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
    const opened = await repairs();
    expect(new Set([...found, ...left].map(({ interventionId }) => interventionId))).toEqual(
      new Set(opened.map(({ id }) => id)),
    );
    expect(opened).toHaveLength(SITES);
    expect(new Set(opened.map(({ priority }) => priority))).toEqual(new Set(["low"]));
    for (const { fleet } of both) expect((await fleet.findSilent(query())).outage).toBe(SITES);
  });

  test("that report while both look have no open repair, and no closed one twice", async () => {
    await reportAll();
    clock.advance(SILENT_MS + 1);
    const looks = () => Promise.all(both.map(lookAtAll));
    const [first, , second] = await Promise.all([looks(), reportAll(), looks(), reportAll()]);
    const opened = await repairs();
    const found = [...first, ...second].flat();
    expect(opened.map(({ id }) => id)).toEqual(
      found.map(({ interventionId }) => interventionId).toSorted((a, b) => Number(a) - Number(b)),
    );
    for (const { status, notes } of opened) {
      expect(status).toBe("done");
      expect(notes).toMatch(/^The site has reported again since [^\n]*$/);
    }
    expect((await both[1].fleet.counts()).silent).toBe(0);
  });

  test("that report again together have their repairs closed in a few transactions, and counted as done", async () => {
    await reportAll();
    clock.advance(SILENT_MS + 1);
    await lookAtAll(both[0]);
    await reportAll();
    expect(new Set((await repairs()).map(({ status }) => status))).toEqual(new Set(["done"]));
    const [closed] = await both[0].connections.query<{ transactions: number; counted: number }>(
      `SELECT count(DISTINCT xmin::text) AS transactions,
        (SELECT sum(records) FROM intervention_counts WHERE "status" = 'done') AS counted FROM interventions`,
    );
    expect(closed?.counted).toBe(SITES);
    // Each process stores its sites in one or two batches.
    expect(closed?.transactions).toBeLessThanOrEqual(4);
  });

  test("report in one turn although a date of the repair of one of them is damaged", async () => {
    const { fleet, connections } = both[0];
    const report = (ref: string) => fleet.report({ ...REPORT, ref }, OPERATOR_USER);
    for (const ref of ["damaged", "sound"]) await report(ref);
    clock.advance(SILENT_MS + 1);
    const silent = (await fleet.findSilent(query())).silent;
    const damaged = silent.find(({ ref }) => ref === "damaged")?.interventionId ?? 0;
    await connections.query(`UPDATE interventions SET "dateStart" = 'never' WHERE id = ${damaged}`);
    await Promise.all(["damaged", "sound", "new"].map(report));
    expect((await fleet.counts()).silent).toBe(0);
    expect((await repairs()).map(({ status }) => status)).toEqual(["done", "done"]);
  });

  test("keep the notes that dispatchers write while the site reports again", async () => {
    const { fleet } = both[0];
    await fleet.report(REPORT, OPERATOR_USER);
    clock.advance(SILENT_MS + 1);
    const id = (await fleet.findSilent(query())).silent[0]?.interventionId ?? 0;
    const changes = [...Array(20).keys()].map((number) =>
      at(number).records.change(id, { body: { crews: number + 1 } }, OPERATOR_USER),
    );
    await Promise.all([...changes, both[1].fleet.report(REPORT, OPERATOR_USER)]);
    const { record, rev } = await both[0].records.get(id);
    // The record begins with one crew, so one of the twenty changes nothing unless it comes later.
    expect(rev).toBeGreaterThanOrEqual(20 + 1);
    expect(record).toMatchObject({ status: "done", notes: expect.stringMatching(/again since/) as string });
  });

  test("appear once when they report for the first time to both processes at once", async () => {
    await Promise.all([
      reportAll(),
      ...refs.map((ref) => both[0].fleet.report({ ...REPORT, ref }, OPERATOR_USER)),
    ]);
    const sites = await both[1].fleet.after(0, 2 * SITES);
    expect(sites.map(({ ref }) => ref).toSorted()).toEqual(refs.toSorted());
    const { history } = await both[1].fleet.get(sites[0]?.id ?? 0);
    expect(history.map(({ event }) => event)).toEqual(["first-report"]);
  });

  test("are not silent for a process whose clock is wrong", async () => {
    const { connections } = both[0];
    const own = { connections, timezone: "Europe/Bucharest", locale: "en", dispeceratId: 7 } as const;
    const ahead = new ManualClock();
    ahead.advance(7 * 86_400_000);
    const fleet = new PostgresFleet({ ...own, clock: ahead, newUid: randomUUID });
    await fleet.report(REPORT, OPERATOR_USER);
    for (let look = 0; look < 3; look += 1) {
      const { completeMs } = await fleet.reception(LOOKS);
      const judged = silenceQuery(completeMs, completeMs - SILENT_MS, SILENCE) as SilenceQuery;
      expect((await fleet.findSilent(judged)).silent).toEqual([]);
      ahead.stepWall(-3 * 86_400_000);
    }
    expect(await repairs()).toEqual([]);
  });

  test("are marked with their repairs or not at all, if the server dies meanwhile", async () => {
    await reportAll();
    clock.advance(SILENT_MS + 1);
    const looks = Promise.allSettled(both.map(lookAtAll));
    await server.kill();
    await looks;
    await server.startAgain();
    await Promise.all(both.map(lookAtAll));
    expect(await repairs()).toHaveLength(SITES);
    const sites = await both[0].fleet.after(0, SITES);
    expect(new Set(sites.map(({ interventionId }) => interventionId)).size).toBe(SITES);
  });
});
