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

  test("report at each of them which options differ, until they are the same", async () => {
    const first = start({});
    const second = start({
      site: { ...SITE, timezone: "UTC", locale: "ro" },
      fleet: { silentS: 600, sites: { shed: 90_000, bank: 30 } },
    });
    for (const one of [first, second, first]) await one.look();
    for (const one of [first, second])
      expect(one.text()).toContain("has other values of fleet.sites, site.locale, site.timezone.");
    // The second one starts again with the file of the first, whose order does not matter.
    const again = start({ fleet: { sites: { shed: 90_000, bank: 20 }, silentS: 600 } });
    for (let look = 0; look < 5; look += 1) {
      centre.clock.advance(LOOKS.signMs);
      for (const one of [first, again]) await one.look();
    }
    expect([first.text(), again.text()]).toEqual([undefined, undefined]);
  });

  test("are not compared with one of a release that does not tell its options, or has others", async () => {
    const first = start({});
    await centre.connections.writes.query(
      "INSERT INTO report_reception(process, began_at, complete_at) VALUES('earlier', 0, $1)",
      [centre.clock.wallMs()],
    );
    const later = start({ site: { ...SITE, newOption: 1 } });
    for (const one of [first, later, first]) await one.look();
    expect([first.text(), later.text()]).toEqual([undefined, undefined]);
  });
});
