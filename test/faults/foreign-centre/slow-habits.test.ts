import { afterAll, describe, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { RUN_LENGTH } from "../../support/run-length.ts";
import { ForeignSite, wrongAt } from "./foreign-site.ts";

/* Tests that take minutes, because the site waits before it accepts a change: npm run faults -- --foreign 1 */

const sites: ForeignSite[] = [];
afterAll(async () => {
  for (const site of sites) await site.remove();
});

async function siteAt(habits: Readonly<Record<string, unknown>> = {}): Promise<ForeignSite> {
  const site = new ForeignSite();
  sites.push(site);
  await site.start({ addsFields: true, ownDates: true, trims: true, ...habits });
  return site;
}

describe.runIf(RUN_LENGTH.foreign > 0)("at a third-party dispatch centre, after minutes", () => {
  test.concurrent("a request that a proxy delivers twice is one record", async () => {
    const site = await siteAt();
    await site.order("twice", [{ method: "POST", path: "^/interventii$", times: 2 }]);
    const records = [
      await site.create({ name: "Twice" }),
      await site.create({ name: "Again", priority: "high" }),
    ];
    await site.settle();
    for (const record of records) expect(await site.copiesOf(record)).toHaveLength(2);
    await eventually(
      "one of each",
      async () => {
        await site.now();
        return (await wrongAt(site)).length === 0;
      },
      240_000,
    );
  }, 300_000);

  test.concurrent("a record deleted there counts as deleted after the second read, and is created again only by a manual retry", async () => {
    const site = await siteAt({ readLagMs: 3_000 });
    const [deleted] = [await site.create({ name: "Deleted there" }), await site.create({ name: "Kept" })];
    await site.settle();
    const { rows } = await site.state();
    await site.order("remove", { id: rows.find(({ name }) => name === "Deleted there")?.id });
    await eventually("the second read", async () => (await site.now()).summary.gone === 1, 240_000);
    await site.ask(200, "POST", `/site/sync/${deleted.id}/retry`);
    await site.settle(60_000);
    expect(await wrongAt(site)).toEqual([]);
  }, 300_000);

  test.concurrent("an alarm that cannot be confirmed at the dispatch centre is a condition, and a manual retry sends it again", async () => {
    const site = await siteAt({ ignoresStart: true, ignoresSort: true, pageRows: 10 });
    for (let index = 0; index < 30; index += 1)
      await site.type({ name: `Old ${index}`, objectiveType: "obiective/cladiri", objectiveId: 2 });
    await site.order("spoil", [{ method: "POST", path: "^/interventii$", times: 1, kind: "reset" }]);
    const record = await site.create({ name: "Panic", priority: "high" });
    await eventually(
      "the condition",
      async () => {
        await site.now();
        const { conditions } = await site.status();
        const found = conditions.find(({ code }) => code === "upstream-alarm-unproved");
        if (found) expect(found.text).toContain(`santinela sync retry ${record.id}`);
        return found !== undefined;
      },
      55_000,
    );
    expect(await site.copiesOf(record)).toHaveLength(0);
    await site.ask(200, "POST", `/site/sync/${record.id}/retry`);
    await site.settle();
    expect(await site.copiesOf(record)).toHaveLength(1);
    expect((await site.status()).conditions).toEqual([]);
  });

  test.concurrent("a dead idle link is detected within five minutes and one response time-out", async () => {
    const site = await siteAt();
    await eventually("the link to be up", async () => (await site.status()).link.state === "up");
    await site.order("deaf", { isDeaf: true });
    await eventually("the link to be down", async () => (await site.status()).link.state === "down", 310_000);
  }, 400_000);
});
