import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Installation, pause } from "../support/installation.ts";
import { describeWithPostgres } from "../support/postgres.ts";
import { report, RUN_LENGTH } from "../support/run-length.ts";
import { Centres } from "./centres.ts";
import { OneServer } from "./databases.ts";
import { Figures, type Kind } from "./figures.ts";
import { LightSite } from "./light-site.ts";
import { eachOf, paced } from "./pace.ts";

/*
 * Processor time of one process of a dispatch centre on PostgreSQL for each kind of request, and for the mix of ten thousand sites:
 * `npm run fleet -- --costs`. What an idle process uses is measured first and subtracted.
 */

const { fleetSites: SITES, fleetSeconds: SECONDS } = RUN_LENGTH;
/** Requests per second of ten thousand sites (docs/performance.md). */
const MIX: Readonly<Record<Kind, number>> = {
  report: 10_000 / 60,
  "re-read": 10_000 / 150,
  "sign-in": 10_000 / 3600,
  record: (10_000 * 5) / 86_400,
};
/** Alone, the rare ones are sent often enough to be measured. */
const RATE_MIN = 10;
/** One process compares two passwords at a time and lets 16 more wait; a refused sign-in would wait for minutes. */
const SIGN_INS_AT_ONCE = 16;
const KINDS = Object.keys(MIX) as readonly Kind[];

interface Cost {
  readonly what: string;
  readonly requests: number;
  readonly seconds: number;
  readonly centreMs: number;
  readonly databaseMs: number;
  readonly sitesMs: number;
  readonly load: number;
}

describeWithPostgres("the processor time of a dispatch centre", () => {
  const installation = new Installation();
  const figures = new Figures();
  const sites: LightSite[] = [];
  let server: OneServer;
  let centre: Centres;

  beforeAll(async () => {
    server = await OneServer.start();
    centre = await Centres.start(installation, server, { buildings: SITES, silentS: 600, processes: 1 });
    for (const [index, account] of (await centre.addLightAccounts(SITES)).entries())
      sites.push(new LightSite({ ...account, number: index + 1, addresses: centre.addresses, figures }));
  }, 600_000);
  afterAll(async () => {
    for (const site of sites) site.close();
    await centre.stop();
    await installation.remove();
    await server.stop();
  });

  const next: Record<Kind, number> = { report: 0, "re-read": 0, "sign-in": 0, record: 0 };
  function send(kind: Kind): Promise<void> {
    const number = (next[kind] += 1);
    const site = sites[number % SITES] as LightSite;
    if (kind === "report") return site.report();
    if (kind === "sign-in") return site.signIn();
    return kind === "record" ? site.create(`Record ${number}`) : site.readAgain();
  }

  /** @param perSecond rates of the kinds, all at once */
  async function atRates(perSecond: Partial<Record<Kind, number>>): Promise<void> {
    const rates = Object.entries(perSecond) as [Kind, number][];
    await Promise.all(
      rates.map(([kind, rate]) => paced(rate, { count: Math.ceil(rate * SECONDS) }, () => send(kind))),
    );
  }

  async function costOf(what: string, work: () => Promise<unknown>): Promise<Cost> {
    const before = { centre: centre.cost(), database: server.cost(), own: process.cpuUsage() };
    const [answered, startMs] = [figures.total(), performance.now()];
    await work();
    const own = process.cpuUsage(before.own);
    const cost = {
      what,
      requests: figures.total() - answered,
      seconds: (performance.now() - startMs) / 1000,
      centreMs: centre.cost().cpuMs - before.centre.cpuMs,
      databaseMs: server.cost().cpuMs - before.database.cpuMs,
      sitesMs: (own.user + own.system) / 1000,
      load: loadavg()[0] ?? NaN,
    };
    report(`${what}: ${cost.requests} requests in ${cost.seconds.toFixed(1)} s`);
    return cost;
  }

  test(
    "of each kind of request is measured, the idle time subtracted",
    async () => {
      figures.begin("ordinary");
      const idle = await costOf("idle", () => pause(SECONDS * 1000));
      const costs = [
        await costOf("first sign-in", () => eachOf(sites, SIGN_INS_AT_ONCE, (site) => site.signIn())),
      ];
      // Each site has a row and a record before the measurement of the others.
      await eachOf(sites, SIGN_INS_AT_ONCE, (site) => site.report());
      await eachOf(sites, SIGN_INS_AT_ONCE, (site) => site.create("Prepared"));
      costs.push(await costOf("the mix", () => atRates(MIX)));
      for (const kind of KINDS)
        costs.push(await costOf(kind, () => atRates({ [kind]: Math.max(MIX[kind], RATE_MIN) })));
      figures.end();
      for (const { what, requests } of costs) expect(requests, what).toBeGreaterThan(0);
      publish(idle, costs);
    },
    600_000 + 8 * SECONDS * 1000,
  );

  function publish(idle: Cost, costs: readonly Cost[]): void {
    const rows = costs.map(({ what, requests, seconds, centreMs, databaseMs, sitesMs, load }) => {
      const share = seconds / idle.seconds;
      const each = (ms: number, idleMs: number): string => ((ms - idleMs * share) / requests).toFixed(2);
      const busy = (centreMs / 10 / seconds).toFixed(1);
      const cells = [what, requests, (requests / seconds).toFixed(1), each(centreMs, idle.centreMs)];
      return `| ${[...cells, each(databaseMs, idle.databaseMs), each(sitesMs, idle.sitesMs), `${busy} %`, load.toFixed(0)].join(" | ")} |`;
    });
    const lines = [
      `${SITES} sites at one process, ${SECONDS} s each. Idle: centre ${(idle.centreMs / 10 / idle.seconds).toFixed(2)} %, PostgreSQL ${(idle.databaseMs / 10 / idle.seconds).toFixed(2)} % of a core.`,
      "",
      "| request | answered | /s | centre, ms each | PostgreSQL, ms each | light sites, ms each | centre, of a core | load |",
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
      ...rows,
    ];
    for (const line of lines) report(line);
    const out = process.env["PROOF_FLEET_OUT"];
    if (out === undefined) return;
    mkdirSync(resolve(out), { recursive: true });
    writeFileSync(join(resolve(out), "costs.md"), `${lines.join("\n")}\n`);
  }
});
