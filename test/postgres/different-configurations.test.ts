import { afterAll, beforeAll, expect, test } from "vitest";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { ComparedConfiguration } from "../../src/postgres/compared-configuration.ts";
import { PostgresFleet } from "../../src/postgres/postgres-fleet.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const SITE = { name: "Centre", ref: "centre", timezone: "Europe/Bucharest", locale: "en", dispeceratId: 7 };
const CONFIG = {
  site: SITE,
  fleet: { silentS: 600, sites: { bank: 20, shed: 90_000 } },
  objectives: { "obiective/cladiri": [{ id: 1, name: "Hall" }] },
};
const LOOKS = { silentMs: 600_000, signMs: 15_000 };

describeOnPostgres("the processes of a centre", (server) => {
  let centre: PostgresCentre;
  let processes = 0;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
  });
  afterAll(() => centre.close());

  /** One process, whose looks for silent sites the test makes. */
  function start(config: object) {
    const { clock, log, connections } = centre;
    const conditions = new ConditionRegistry(clock, log);
    const fleet = new PostgresFleet({
      ...SITE,
      locale: "en",
      connections,
      clock,
      newUid: () => `process ${(processes += 1)}`,
      nowMs: () => clock.wallMs(),
      configuration: new ComparedConfiguration({ ...CONFIG, ...config }, conditions),
    });
    const look = () => fleet.reception(LOOKS);
    const text = () => conditions.list().find(({ code }) => code === "configurations-differ")?.text;
    return { look, text };
  }

  type Process = ReturnType<typeof start>;

  /** All of them look several times, at their usual interval. @returns what they have reported meanwhile */
  async function looks(running: readonly Process[], count: number): Promise<(string | undefined)[]> {
    const texts: (string | undefined)[] = [];
    for (let look = 0; look < count; look += 1) {
      centre.clock.advance(LOOKS.signMs);
      for (const one of running) {
        await one.look();
        texts.push(one.text());
      }
    }
    return [...new Set(texts)];
  }

  test("report at each of them which options differ, until they are the same", async () => {
    const first = start({});
    const second = start({
      site: { ...SITE, timezone: "UTC", locale: "ro" },
      fleet: { silentS: 600, sites: { shed: 90_000, bank: 30 } },
    });
    await looks([first, second], 8);
    for (const one of [first, second])
      expect(one.text()).toContain("has other values of fleet.sites, site.locale, site.timezone.");
    // The second one starts again with the file of the first, whose order does not matter.
    const again = start({ fleet: { sites: { shed: 90_000, bank: 20 }, silentS: 600 } });
    await looks([first, again], 5);
    expect([first.text(), again.text()]).toEqual([undefined, undefined]);
  });

  const CHANGED = { fleet: { ...CONFIG.fleet, silentS: 900 } };

  test("report nothing when the only one is restarted with other options", async () => {
    await looks([start({})], 3);
    expect(await looks([start(CHANGED)], 10)).toEqual([undefined]);
  });

  test("report nothing when they are restarted with other options one after the other", async () => {
    const [first, second] = [start({}), start({})];
    await looks([first, second], 8);
    const changed = start(CHANGED);
    expect(await looks([changed, second], 3)).toEqual([undefined]);
    expect(await looks([changed, start(CHANGED)], 10)).toEqual([undefined]);
  });

  test("report those that stay different when the clock of the database is set back meanwhile", async () => {
    const running = [start({}), start(CHANGED)];
    await looks(running, 1);
    centre.clock.stepWall(-3_600_000);
    await looks(running, 8);
    for (const one of running) expect(one.text()).toContain("has other values of fleet.silentS.");
  });

  test("are not compared with one of a release that does not tell its options, or has others", async () => {
    const first = start({});
    await centre.connections.writes.query(
      "INSERT INTO report_reception(process, began_at, complete_at) VALUES('earlier', 0, $1)",
      [centre.clock.wallMs()],
    );
    const later = start({ site: { ...SITE, newOption: 1 } });
    await looks([first, later], 8);
    expect([first.text(), later.text()]).toEqual([undefined, undefined]);
  });
});
