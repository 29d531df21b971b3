import { expect, test } from "vitest";
import { SiteSync } from "../../src/site/sync.ts";
import { linkStatusAt } from "../../src/sync/sync-port.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

test("the next attempt of a record is that of the link: an alarm is tried within a minute, the others are not", async () => {
  const centre = new InMemoryCentre();
  const site = await SyncingSite.at(centre);
  const { clock } = site.app;
  const view = new SiteSync({
    config: { upstream: {}, zones: [] },
    clock,
    outbox: site.outbox,
    linkSamples: {},
    sync: { link: async () => linkStatusAt(site.link.state, clock.wallMs()) },
  } as unknown as ConstructorParameters<typeof SiteSync>[0]);
  const alarm = site.create({ priority: "high" }).id;
  const patrol = site.create({ priority: "low" }).id;
  centre.instead = () => json(503, {}, { "Retry-After": "600" });
  await site.push.cycle();

  const secondsTo = (at: string | null | undefined): number =>
    (Date.parse(at ?? "") - clock.wallMs()) / 1_000;
  const { records, link } = await view.view();
  const [first, second] = [alarm, patrol].map((id) =>
    secondsTo(records.find(({ interventionId }) => interventionId === id)?.nextAttemptAt),
  );
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThanOrEqual(60);
  expect(second).toBeGreaterThanOrEqual(600);
  // The alarm is what the link is tried for next.
  expect(link.nextAttemptAt).toBe(link.alarmNextAttemptAt);
  expect(await view.recordOf(alarm)).toMatchObject({
    nextAttemptAt: link.alarmNextAttemptAt,
    isSynced: false,
  });

  centre.instead = () => undefined;
  await site.cycleAfterWait();
  await site.cycleAfterWait();
  expect(await view.recordsOf([alarm, patrol])).toMatchObject([{ isSynced: true }, { isSynced: true }]);
  expect((await view.view()).link).toMatchObject({ nextAttemptAt: null, alarmNextAttemptAt: null });
});
