import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Installation, pause } from "../support/installation.ts";
import { describeWithPostgres } from "../support/postgres.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { Balancer } from "./balancer.ts";
import { Centres } from "./centres.ts";
import { OneServer, ServerPair, type FleetDatabase } from "./databases.ts";
import { Figures, type Phase } from "./figures.ts";
import { LightSite } from "./light-site.ts";
import { eachOf, paced } from "./pace.ts";
import type { ProcessCost } from "./process-cost.ts";
import { RealSites, ZONES } from "./real-sites.ts";
import { Storm } from "./storm.ts";

/*
 * A fleet against two processes of a dispatch centre on PostgreSQL: `npm run fleet -- --sites 10000`. Light sites send what a daemon
 * sends, over its own client, from one process beside the centre on the same machine; a few sites are real daemons. In the
 * middle of a storm one process of the centre is killed and the database stopped at once, and both are started again. With `--pair`
 * the database is two servers, and the leader is killed: the standby replaces it.
 * What it cannot show: TLS, networks, and a second machine.
 */

const {
  fleetSites: SITES,
  fleetDaemons: DAEMONS,
  fleetSeconds: SECONDS,
  fleetReportS: REPORT_S,
  fleetRecords: RECORDS,
  fleetStormS: STORM_S,
  fleetPair: HAS_PAIR,
} = RUN_LENGTH;
const SILENT_S = 3 * REPORT_S;
/** Sites that stop, as without power. */
const STOPPED = Math.min(50, Math.ceil(SITES / 20));
/** The habits of a site (docs/performance.md): a sign-in each hour, 5 records a day, and a read of an open record each 150 s. */
const SIGN_INS = SITES / 3600;
const RE_READS = SITES / 150;
const RECORDS_A_DAY = 5;
/** Sites that sign in at once at the beginning: each of two processes compares two passwords at a time and lets 16 more wait. */
const SIGN_INS_AT_ONCE = 32;
const WAIT_MS = 600_000;
/** How long the cost of processes without light sites is measured. */
const IDLE_MS = Math.min(20, SECONDS) * 1000;
/** Within which each site reports, and each stopped one is found: several times what they take on a busy machine. */
const REPORTS_MS = 60_000 + 4 * REPORT_S * 1000;
const REPAIRS_MS = 180_000 + 3 * SILENT_S * 1000;
/** The zones that open during the day, and during the storm. */
const HALF = Array.from({ length: ZONES / 2 }, (_, zone) => zone);
const OTHER_HALF = HALF.map((zone) => ZONES / 2 + zone);

interface Costs {
  readonly phase: Phase;
  readonly seconds: number;
  readonly centre: ProcessCost;
  readonly database: ProcessCost;
  readonly sitesCpuMs: number;
  /** Load average of the last minute at its end: what shared the machine. */
  readonly load: number;
}

describeWithPostgres("a fleet with a failover in the middle of a storm", () => {
  const installation = new Installation();
  const figures = new Figures();
  const sites: LightSite[] = [];
  const costs: Costs[] = [];
  const ending = new AbortController();
  const storm = new Storm(STORM_S);
  let database: FleetDatabase;
  let centres: Centres;
  let balancer: Balancer;
  let real: RealSites;
  let ordinary: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    database = HAS_PAIR ? await ServerPair.start() : await OneServer.start();
    const buildings = SITES + DAEMONS * ZONES;
    centres = await Centres.start(installation, database, { buildings, silentS: SILENT_S });
    balancer = new Balancer(centres.ports);
    const baseUrl = `http://127.0.0.1:${await balancer.start()}`;
    const { addresses } = centres;
    for (const [index, account] of (await centres.addLightAccounts(SITES)).entries())
      sites.push(new LightSite({ ...account, number: index + 1, addresses, figures }));
    const daemons = { count: DAEMONS, firstBuilding: SITES + 1, baseUrl, reportS: REPORT_S };
    real = await RealSites.start(installation, centres, daemons);
  }, WAIT_MS);
  afterAll(async () => {
    ending.abort();
    for (const site of sites) site.close();
    await ordinary.catch(() => {});
    await balancer.stop();
    await installation.remove();
    await database.stop();
  });

  const siteAt = (number: number): LightSite => sites[number % SITES] as LightSite;
  /** What the sites do all the time. */
  function live(signal: AbortSignal): Promise<unknown> {
    const running = (site: LightSite, work: () => Promise<void>): Promise<void> =>
      site.isStopped ? Promise.resolve() : work();
    const random = (work: (site: LightSite) => Promise<void>) => (): Promise<void> => {
      const site = siteAt(Math.floor(Math.random() * SITES));
      return running(site, () => work(site));
    };
    const records = random((site) => site.create("Ordinary"));
    return Promise.all([
      paced(SITES / REPORT_S, { signal }, (number) => running(siteAt(number), () => siteAt(number).report())),
      paced(
        SIGN_INS,
        { signal },
        random((site) => site.signIn()),
      ),
      paced(
        RE_READS,
        { signal },
        random((site) => site.readAgain()),
      ),
      paced((SITES * RECORDS_A_DAY) / 86_400, { signal }, records),
    ]);
  }

  async function phase(name: Phase, work: () => Promise<unknown>): Promise<void> {
    figures.begin(name);
    const before = { centre: centres.cost(), database: database.cost(), own: process.cpuUsage() };
    await work();
    const [centre, servers, own] = [centres.cost(), database.cost(), process.cpuUsage(before.own)];
    costs.push({
      phase: name,
      seconds: figures.secondsOf(name),
      centre: { ...centre, cpuMs: centre.cpuMs - before.centre.cpuMs },
      database: { ...servers, cpuMs: servers.cpuMs - before.database.cpuMs },
      sitesCpuMs: (own.user + own.system) / 1000,
      load: loadavg()[0] ?? NaN,
    });
    report(`${name}: ${figures.secondsOf(name).toFixed(1)} s`);
  }

  async function aDaysRecords(seconds: number): Promise<void> {
    const count = SITES * RECORDS;
    await paced(count / seconds, { count }, (number) => siteAt(number).create(`Record ${number}`));
    await real.trip(HALF);
  }

  async function alarms(): Promise<void> {
    const alarmed = sites.filter(({ isStopped }) => !isStopped);
    await Promise.all([storm.run(alarmed, centres, database), real.trip(OTHER_HALF)]);
    await real.delivered(WAIT_MS);
  }

  async function recordCount(): Promise<number> {
    const [row] = await centres.rows<{ count: string }>("SELECT count(*) AS count FROM interventions");
    return Number(row?.count);
  }

  const repairs = (): Promise<{ building: string; status: string }[]> =>
    centres.rows(`SELECT "objectiveId" AS building, status FROM interventions WHERE type = 'repair'`);

  function stoppedHaveRepairs(found: readonly { readonly building: string }[]): boolean {
    const buildings = new Set(found.map(({ building }) => Number(building)));
    return sites.every(({ isStopped }, index) => !isStopped || buildings.has(index + 1));
  }

  test(
    "every acknowledged record and every trip is there once, and each stopped site has one repair",
    async () => {
      await phase("no light sites", () => pause(IDLE_MS));
      await phase("power is back", () => eachOf(sites, SIGN_INS_AT_ONCE, (site) => site.signIn()));
      ordinary = live(ending.signal);
      // First, because the ordinary habits include reading a record again.
      const bytesBefore = await centres.bytes();
      await phase("a day's records", () => aDaysRecords(SECONDS / 3));
      const bytesPerRecord = ((await centres.bytes()) - bytesBefore) / (await recordCount());
      await phase("ordinary", () => pause((SECONDS * 2000) / 3));
      // A site that has never reported cannot become silent.
      await eventually(
        "a report of each site",
        async () => (await centres.rows("SELECT 1 FROM sites")).length === SITES + DAEMONS,
        REPORTS_MS,
      );
      const stopped = sites.slice(-STOPPED);
      for (const site of stopped) site.isStopped = true;
      await phase("storm", alarms);
      await phase("silence", async () => {
        await eventually(
          "each stopped site has a repair",
          async () => stoppedHaveRepairs(await repairs()),
          REPAIRS_MS,
        );
        // A site that was called silent wrongly would be so within this time.
        await pause(SILENT_S * 1000);
      });
      const all = (await repairs()).map(({ building }) => Number(building)).toSorted((a, b) => a - b);
      // A machine that cannot keep up: these did not even try to report for that long.
      const late = all.filter((building) => {
        const site = sites[building - 1];
        return site !== undefined && !site.isStopped && site.longestPauseMs >= SILENT_S * 1000;
      });
      for (const building of late)
        report(
          `site ${building} was late: ${((sites[building - 1]?.longestPauseMs ?? 0) / 1000).toFixed(0)} s between two reports`,
        );
      const silent = all.filter((building) => !late.includes(building));
      expect(silent).toEqual(Array.from({ length: STOPPED }, (_, index) => SITES - STOPPED + 1 + index));
      for (const site of stopped) site.isStopped = false;
      await eventually(
        "the repairs are closed by the next reports",
        async () => (await repairs()).every(({ status }) => status === "done"),
        REPORTS_MS,
      );
      expect(await repairs()).toHaveLength(STOPPED + late.length);
      ending.abort();
      await ordinary;
      figures.end();

      const acknowledged = sites.flatMap((site) => site.acknowledged);
      expect(sites.flatMap((site) => site.begun)).toHaveLength(acknowledged.length);
      const there = await centres.rows<{ id: string; building: number; name: string }>(
        `SELECT id, "objectiveId"::int AS building, name FROM interventions WHERE type <> 'repair' AND deleted_at IS NULL`,
      );
      const ofLight = there.filter(({ building }) => building <= SITES).map(({ id }) => Number(id));
      const byId = (a: number, b: number): number => a - b;
      expect(ofLight.toSorted(byId)).toEqual(acknowledged.map(({ id }) => id).toSorted(byId));
      const ofReal = there.filter(({ building }) => building > SITES).map(({ building }) => building);
      const zones = Array.from({ length: DAEMONS * ZONES }, (_, index) => SITES + 1 + index);
      expect(ofReal.toSorted(byId)).toEqual(zones);
      publish([
        `Acknowledged records ${acknowledged.length}, at the centre once each; trips of ${DAEMONS} daemons ${zones.length}, once each; ` +
          `sites stopped ${STOPPED}, repairs ${silent.length}, false silences 0; late sites of the simulation ${late.length}.`,
        `The database grew by ${bytesPerRecord.toFixed(0)} bytes with each record of the day, everything else that the sites sent included.`,
      ]);
    },
    WAIT_MS + 4 * SECONDS * 1000 + 20 * SILENT_S * 1000,
  );

  function publish(sentences: readonly string[]): void {
    const costLines = costs.map(({ phase: name, seconds, centre, database, sitesCpuMs, load }) => {
      const share = (cpuMs: number): string => `${(cpuMs / 10 / seconds).toFixed(0)} %`;
      const cells = [seconds.toFixed(1), share(centre.cpuMs), share(database.cpuMs), share(sitesCpuMs)];
      const memory = [centre, database].map(({ memoryMb }) => memoryMb.toFixed(0));
      return `| ${[name, ...cells, ...memory, load.toFixed(0)].join(" | ")} |`;
    });
    const lines = [
      `${SITES} sites and ${DAEMONS} daemons, reports each ${REPORT_S} s, ${RECORDS} records of each, a storm of ${STORM_S} s, two processes of the centre, ${database.title}.`,
      "",
      ...figures.lines(),
      "",
      "The storm, from the time that each alarm rang:",
      "",
      ...storm.lines(figures.unavailabilityOf("storm")),
      "",
      "| phase | s | centre, of a core | PostgreSQL, of a core | light sites, of a core | centre MB | PostgreSQL MB | load |",
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
      ...costLines,
      "",
      ...sentences,
    ];
    for (const line of lines) report(line);
    const out = process.env["PROOF_FLEET_OUT"];
    if (out === undefined) return;
    mkdirSync(resolve(out), { recursive: true });
    writeFileSync(join(resolve(out), "fleet.md"), `${lines.join("\n")}\n`);
  }
});
