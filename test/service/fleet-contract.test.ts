import { hasOtherClock } from "../../src/domain/site-state.ts";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LoggedEvent } from "../../src/domain/event.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import type { SiteReport } from "../../src/domain/site-report.ts";
import { silenceQuery, type SilenceQuery } from "../../src/domain/site-silence.ts";
import type { Fleet } from "../../src/service/fleet.ts";
import type { Records } from "../../src/service/records.ts";
import { SqliteFleet, ThreadedFleet } from "../../src/service/sqlite-fleet.ts";
import { openReadOnly } from "../../src/store/database.ts";
import type { SiteQuery } from "../../src/store/sites.ts";
import { Channel, Connection } from "../../src/threads/channel.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { REPORT, SILENCE } from "../support/fleet.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres, type PostgresServer } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* What every implementation of the fleet port must do. */

interface Adapter {
  readonly fleet: Fleet;
  readonly records: Records;
  readonly clock: ManualClock;
  /** Whether a call arrives at once. A report counts from its arrival in the thread of the records. */
  readonly isDirect: boolean;
  /** The newest event of the log. */
  readonly newestEvent: () => Promise<LoggedEvent | undefined>;
  readonly close: () => Promise<void>;
}

function fleetOf(app: TestApp): SqliteFleet {
  const { database, clock, interventions } = app;
  return new SqliteFleet({ database, clock, interventions, timezone: "Europe/Bucharest", locale: "en" });
}

function partsOf(app: TestApp): Omit<Adapter, "fleet" | "close"> {
  const { clock, parts, events } = app;
  return { clock, isDirect: true, records: parts.records, newestEvent: async () => events.newest(1)[0] };
}

async function inThisThread(): Promise<Adapter> {
  const app = await TestApp.make();
  return { ...partsOf(app), fleet: fleetOf(app), close: () => app.close() };
}

/** Called through the messages of threads, in this one: its clock is that of the test. */
async function behindAPort(): Promise<Adapter> {
  const folder = temporaryFolder();
  const path = join(folder, "santinela.db");
  const app = await TestApp.make({}, path);
  const reader = openReadOnly(path);
  const { port1, port2 } = new MessageChannel();
  const connection = new Connection();
  connection.use(new Channel(port1, app.clock, {}));
  const thread = new Connection();
  thread.use(new Channel(port2, app.clock, { fleet: fleetOf(app) }));
  return {
    ...partsOf(app),
    isDirect: false,
    fleet: new ThreadedFleet(connection.remote<Fleet>("fleet"), reader),
    close: async () => {
      port1.close();
      reader.close();
      await app.close();
    },
  };
}

async function inPostgres(server: PostgresServer): Promise<Adapter> {
  const centre = await PostgresCentre.open(await server.newDatabase());
  const { fleet, records, clock, events } = centre;
  return {
    fleet,
    records,
    clock,
    isDirect: true,
    newestEvent: async () => (await events.newest(1))[0],
    close: () => centre.close(),
  };
}

const ALL: SiteQuery = { levels: [], sort: "level", descending: false, start: 0, end: 1000 };
const SILENT_MS = 600_000;
const LOOKS = { silentMs: SILENT_MS, signMs: 15_000 };

describe("SQLite in the calling thread", () => contractOf(inThisThread));
describe("SQLite behind messages, read on a connection of its own", () => contractOf(behindAPort));

describeOnPostgres("PostgreSQL", (server) => contractOf(() => inPostgres(server)));

function contractOf(open: () => Promise<Adapter>): void {
  let adapter: Adapter;
  let fleet: Fleet;
  let clock: ManualClock;
  beforeEach(async () => {
    adapter = await open();
    ({ fleet, clock } = adapter);
  });
  afterEach(() => adapter.close());

  const report = (fields: Partial<SiteReport> = {}) =>
    fleet.report({ ...REPORT, at: clock.wallMs(), ...fields }, OPERATOR_USER);
  const pass = (ms: number): void => clock.advance(ms);
  const look = () =>
    fleet.findSilent(silenceQuery(clock.wallMs(), clock.wallMs() - SILENT_MS, SILENCE) as SilenceQuery);
  const lookAtAll = async () => {
    const silent = [];
    for (;;) {
      const found = await look();
      silent.push(...found.silent);
      if (!found.hasMore) return { silent, outage: found.outage };
    }
  };
  const site = async (ref = REPORT.ref) => (await fleet.page({ ...ALL, ref })).sites[0];
  const repairs = async (): Promise<Intervention[]> => {
    const query = { filters: [], sort: [{ field: "id", descending: false }], start: 0, end: 1000 } as const;
    const page = await adapter.records.page(query, new AbortController().signal);
    const all = page.records.map((text) => JSON.parse(text) as Intervention);
    return all.filter(({ type }) => type === "repair");
  };

  test("a site is its newest report, with the time of the centre and the offset of its clock", async () => {
    await report({ at: clock.wallMs() + 9_000 });
    pass(60_000);
    await report({ at: clock.wallMs() - 1_000, level: "attention", conditions: ["disk-nearly-full"] });
    const { sites, total } = await fleet.page(ALL);
    expect(total).toBe(1);
    expect(sites[0]).toMatchObject({
      level: "attention",
      reportedAtMs: clock.wallMs(),
      sinceMs: clock.wallMs(),
      clockOffsetMs: -1_000,
      silentSinceMs: null,
      report: { conditions: ["disk-nearly-full"] },
    });
  });

  test("a clock that differs by about a minute does not change the level of its site with each report", async () => {
    const levels = [];
    for (const aheadMs of [59_000, 61_000, 59_000, 51_000, -51_000, 61_000, 49_000, 59_000, 61_000]) {
      pass(60_000);
      await report({ at: clock.wallMs() + aheadMs });
      const now = (await site()) ?? expect.fail("no site");
      levels.push(`${now.level} ${hasOtherClock(now) ? "other" : "right"}`);
    }
    const [well, other] = ["well right", "attention other"];
    expect(levels).toEqual([well, other, other, other, other, other, well, well, other]);
  });

  test("a site whose clock differs by more than a minute needs attention, although it reports that it is well", async () => {
    const seen = async () => {
      const { level, sinceMs } = (await site()) ?? expect.fail("no site");
      return [level, clock.wallMs() - sinceMs];
    };
    await report({ at: clock.wallMs() + 59_000 });
    expect(await seen()).toEqual(["well", 0]);
    for (const aheadMs of [61_000, -3_600_000]) {
      pass(60_000);
      await report({ at: clock.wallMs() + aheadMs });
    }
    expect(await seen()).toEqual(["attention", 60_000]);
    pass(60_000);
    await report({ at: clock.wallMs() - 3_600_000, level: "fault" });
    expect(await seen()).toEqual(["fault", 0]);
    pass(60_000);
    await report({ at: clock.wallMs() });
    expect(await seen()).toEqual(["well", 0]);
    const id = (await site())?.id ?? 0;
    const { history } = await fleet.get(id);
    const words = history.map(({ event, detail }) => `${event} ${detail}`);
    expect(words).toEqual(["level well", "level fault", "level attention", "first-report well"]);
  });

  test("the most serious sites are first, and of a level those that have it longest", async () => {
    for (const [ref, level] of [
      ["a", "well"],
      ["b", "fault"],
      ["c", "alarm"],
      ["d", "fault"],
      ["e", "attention"],
    ] as const) {
      await report({ ref, level });
      pass(1_000);
    }
    const refs = async (query: Partial<SiteQuery>) =>
      (await fleet.page({ ...ALL, ...query })).sites.map(({ ref }) => ref).join("");
    expect(await refs({})).toBe("cbdea");
    expect(await refs({ levels: ["fault", "well"] })).toBe("bda");
    expect(await refs({ sort: "reportedAt", descending: true })).toBe("edcba");
    expect(await refs({ start: 1, end: 3 })).toBe("bd");
    expect(await fleet.counts()).toEqual({
      counts: { alarm: 1, fault: 2, attention: 1, well: 1 },
      silent: 0,
    });
  });

  test("a site is found by name and reference, without accents and case", async () => {
    await report({ ref: "dej-1", name: "Școala Gh. Lazăr" });
    await report({ ref: "turda-3", name: "Farmacia Tei" });
    const found = async (search: string) =>
      (await fleet.page({ ...ALL, search })).sites.map(({ ref }) => ref);
    expect(await found("SCOALA")).toEqual(["dej-1"]);
    expect(await found("turda")).toEqual(["turda-3"]);
  });

  test("a silence opens one repair at the objective, and the next report closes it with a note", async () => {
    await report();
    pass(SILENT_MS + 1);
    const { silent } = await look();
    const [opened] = await repairs();
    expect(silent).toEqual([{ id: expect.any(Number), ref: "hala-nord", interventionId: opened?.id }]);
    expect(opened).toMatchObject({
      name: "Site silent since 23:30: Hala Nord",
      dateStart: "2026-11-20T23:30:00",
      priority: "medium",
      status: "planned",
      objectiveId: 1,
    });
    expect(await site()).toMatchObject({ level: "fault", interventionId: opened?.id });
    pass(SILENT_MS);
    expect((await look()).silent).toEqual([]);
    expect(await repairs()).toHaveLength(1);
    await report();
    expect(await repairs()).toEqual([
      {
        ...opened,
        status: "done",
        dateEnd: "2026-11-20T23:50:00",
        notes: "The site has reported again since 2026-11-20 23:50.",
      },
    ]);
    expect(await site()).toMatchObject({ level: "well", silentSinceMs: null, interventionId: null });
    pass(60_000);
    await report();
    expect((await repairs())[0]?.notes).not.toMatch(/again.*again/s);
  });

  test("silent sites, and those that report, are listed alone", async () => {
    await report({ ref: "quiet" });
    pass(SILENT_MS + 1);
    await report({ ref: "talking" });
    await look();
    const refs = async (query: Partial<SiteQuery>) =>
      (await fleet.page({ ...ALL, ...query })).sites.map(({ ref }) => ref);
    expect(await refs({})).toEqual(["quiet", "talking"]);
    expect(await refs({ isSilent: true })).toEqual(["quiet"]);
    expect(await refs({ isSilent: false })).toEqual(["talking"]);
    expect(await refs({ isSilent: true, levels: ["well"] })).toEqual([]);
  });

  test("the next silence is another repair", async () => {
    for (let silence = 0; silence < 2; silence += 1) {
      await report();
      pass(SILENT_MS + 1);
      await look();
    }
    expect((await repairs()).map(({ status }) => status)).toEqual(["done", "planned"]);
  });

  test("what a dispatcher did with the repair is kept", async () => {
    await report();
    pass(SILENT_MS + 1);
    await look();
    const [opened] = await repairs();
    const body = { status: "done", notes: "Power cut in the street" };
    await adapter.records.change(opened?.id ?? 0, { body }, OPERATOR_USER);
    await report();
    expect((await repairs())[0]?.notes).toMatch(/^Power cut in the street\nThe site has reported again/);
    pass(SILENT_MS + 1);
    await look();
    await adapter.records.remove((await repairs())[1]?.id ?? 0, undefined, OPERATOR_USER);
    await report();
    expect(await repairs()).toHaveLength(1);
  });

  test.each([
    ["later than the report by its offset", "2026-11-20T22:30:00Z", null],
    ["earlier by its offset", "2026-11-20T23:59:00+05:00", "2026-11-20T23:40:00"],
  ])(
    "a repair that a dispatcher has moved to a start %s is closed too",
    async (_when, dateStart, dateEnd) => {
      await report();
      pass(SILENT_MS + 1);
      await look();
      const [opened] = await repairs();
      await adapter.records.change(opened?.id ?? 0, { body: { dateStart } }, OPERATOR_USER);
      await report();
      expect(await repairs()).toMatchObject([{ dateStart, dateEnd, status: "done" }]);
      expect((await site())?.silentSinceMs).toBeNull();
    },
  );

  test("a site whose objective is not known here is silent without an intervention", async () => {
    await report({ objective: "obiective/cladiri/99" });
    pass(SILENT_MS + 1);
    expect((await look()).silent).toMatchObject([{ interventionId: null }]);
    expect(await repairs()).toEqual([]);
    expect((await site())?.silentSinceMs).not.toBeNull();
    await report();
    expect((await site())?.silentSinceMs).toBeNull();
  });

  test("many sites that stop together are one outage, with one record of low priority each", async () => {
    for (let number = 0; number < 250; number += 1) {
      await report({ ref: `site-${number}` });
      pass(200);
    }
    pass(SILENT_MS - 49_000);
    const first = await lookAtAll();
    expect(first.silent.length).toBeGreaterThan(0);
    expect(first.silent.length).toBeLessThan(250);
    pass(60_000);
    const rest = await lookAtAll();
    expect(first.silent.length + rest.silent.length).toBe(250);
    expect(rest.outage).toBe(250);
    expect(await repairs()).toHaveLength(250);
    expect(new Set((await repairs()).map(({ priority }) => priority))).toEqual(new Set(["low"]));
    for (let number = 0; number < 250; number += 1) await report({ ref: `site-${number}` });
    expect((await look()).outage).toBe(0);
    expect(new Set((await repairs()).map(({ status }) => status))).toEqual(new Set(["done"]));
  });

  test("single sites that stop one after the other are no outage, however many are silent", async () => {
    const [sites, single] = [100, 12];
    const reportFrom = (first: number) =>
      Promise.all(Array.from({ length: sites - first }, (_, n) => report({ ref: `site-${first + n}` })));
    const priorities = async () => (await repairs()).map(({ priority }) => priority);
    await reportFrom(0);
    for (let stopped = 1; stopped <= single; stopped += 1) {
      pass(SILENT_MS + 1);
      await reportFrom(stopped);
      expect(await look()).toMatchObject({ silent: [{ ref: `site-${stopped - 1}` }], outage: 0 });
    }
    expect(await priorities()).toEqual(Array<string>(single).fill("medium"));

    // Ten stop together then, and one more after them.
    pass(SILENT_MS + 1);
    await reportFrom(single + 10);
    expect((await look()).outage).toBe(10);
    pass(SILENT_MS + 1);
    await reportFrom(single + 11);
    expect((await look()).outage).toBe(10);
    expect((await priorities()).slice(single)).toEqual([...Array<string>(10).fill("low"), "medium"]);
  });

  test("the history has every change, the newest first, and ends after 200", async () => {
    await report();
    await report({ version: "0.2.0", upS: 1 });
    for (let change = 0; change < 300; change += 1)
      await report({ level: change % 2 === 0 ? "fault" : "well" });
    const { history } = await fleet.get((await site())?.id ?? 0);
    expect(history).toHaveLength(200);
    expect(history[0]).toMatchObject({ event: "level", detail: "well" });
    const other = { ref: "other" };
    await report(other);
    await report({ ...other, version: "0.2.0", upS: 1 });
    expect((await fleet.get((await site("other"))?.id ?? 0)).history.map(({ event }) => event)).toEqual([
      "version",
      "restarted",
      "first-report",
    ]);
  });

  test("unknown fields of a newer site are not stored, and the account of a site reports for no other", async () => {
    await fleet.report({ ...REPORT, mood: "good" } as SiteReport, OPERATOR_USER);
    expect((await site())?.report).toEqual(REPORT);
    const account = {
      ...OPERATOR_USER,
      site: "turda-3",
      objectives: [{ type: "obiective/cladiri", id: 2 }],
    } as const;
    await expect(fleet.report(REPORT, account)).rejects.toMatchObject({ code: "forbidden" });
    await fleet.report({ ...REPORT, ref: "turda-3" }, account);
    expect((await site("turda-3"))?.report.objective).toBe("obiective/cladiri/2");
  });

  test("a removed site and its history are gone, and the event log says who did it", async () => {
    await report();
    const { id = 0 } = (await site()) ?? {};
    await fleet.remove(id, OPERATOR_USER);
    await expect(fleet.get(id)).rejects.toMatchObject({ code: "not-found" });
    await expect(fleet.remove(id, OPERATOR_USER)).rejects.toMatchObject({ code: "not-found" });
    expect(await adapter.newestEvent()).toMatchObject({ event: "site-removed", who: OPERATOR_USER.email });
  });

  test("a clock that is set back leaves no report in the future, and counts as an interruption", async () => {
    await fleet.reception(LOOKS);
    await report();
    clock.stepWall(-3_600_000);
    const { sinceMs, completeMs } = await fleet.reception(LOOKS);
    expect((await site())?.reportedAtMs).toBe(clock.wallMs());
    expect([sinceMs, completeMs]).toEqual([clock.wallMs(), clock.wallMs()]);
  });

  test("a report of a clock that was two months ahead until the centre started again counts from the first look", async () => {
    await report();
    clock.stepWall(-60 * 86_400_000);
    await fleet.reception(LOOKS);
    expect((await site())?.reportedAtMs).toBe(clock.wallMs());
  });

  test("a centre whose clock is not set yet keeps the times of earlier reports", async () => {
    await report();
    const reportedMs = clock.wallMs();
    clock.stepWall(-reportedMs + 60_000);
    await fleet.reception(LOOKS);
    expect((await site())?.reportedAtMs).toBe(reportedMs);
  });

  test("what is known of reports ends with the oldest that is on its way, and begins after the last refused one", async ({
    skip,
  }) => {
    skip(!adapter.isDirect);
    const beganMs = clock.wallMs();
    pass(60_000);
    expect(await fleet.reception(LOOKS)).toEqual({
      sinceMs: beganMs,
      stalls: [],
      completeMs: clock.wallMs(),
    });
    const stored = report();
    const arrivedMs = clock.wallMs();
    pass(60_000);
    expect(await fleet.reception(LOOKS)).toEqual({ sinceMs: beganMs, stalls: [], completeMs: arrivedMs });
    await stored;
    fleet.reportsMissed();
    const missedMs = clock.wallMs();
    pass(60_000);
    expect(await fleet.reception(LOOKS)).toEqual({
      sinceMs: missedMs,
      stalls: [],
      completeMs: clock.wallMs(),
    });
  });

  test("all sites are read in parts", async () => {
    for (let number = 0; number < 5; number += 1) await report({ ref: `site-${number}` });
    const first = await fleet.after(0, 3);
    const rest = await fleet.after(first.at(-1)?.id ?? 0, 3);
    expect([...first, ...rest].map(({ ref }) => ref)).toEqual([
      "site-0",
      "site-1",
      "site-2",
      "site-3",
      "site-4",
    ]);
  });
}
