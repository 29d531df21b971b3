import { beforeEach, describe, expect, test } from "vitest";
import { DEVICE_USER, OPERATOR_USER } from "../support/app.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, notFound } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Alarms that a centre whose link is up does not accept are reported, whatever it answers. */

let centre: InMemoryCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

async function expectReportedAfterTenMinutes(): Promise<void> {
  await site.minutes(9);
  expect(site.conditions()).toEqual([]);
  await site.minutes(2);
  expect(site.conditions()).toEqual(["upstream-rejects-alarm"]);
}

describe("an alarm", () => {
  test.each([409, 500])(
    "that is answered %i each time is reported after ten minutes, until it arrives",
    async (status) => {
      centre.instead = ({ method }) => (method === "POST" ? json(status, {}) : undefined);
      const { id } = site.create({ priority: "high" });
      await site.push.cycle();
      await expectReportedAfterTenMinutes();
      centre.instead = () => undefined;
      await site.minutes(15);
      expect(site.entry(id).phase).toBe("linked");
      expect(site.conditions()).toEqual([]);
    },
  );

  test("that was created before the clock was set back is reported without waiting for that time again", async () => {
    centre.instead = ({ method }) => (method === "POST" ? json(409, {}) : undefined);
    site.create({ priority: "high" });
    await site.push.cycle();
    site.app.clock.stepWall(-3_600_000);
    await site.minutes(2);
    expect(site.conditions()).toEqual(["upstream-rejects-alarm"]);
  });

  test("whose further trip is answered 500 each time is reported after ten minutes, until the centre has it", async () => {
    const { id } = site.create({ priority: "high", notes: "03:27 Door" });
    await site.push.cycle();
    await site.minutes(20);
    centre.instead = ({ method }) => (method === "PUT" ? json(500, {}) : undefined);
    const body = { notes: "03:27 Door\n03:41 Window" };
    site.app.interventions.change(id, { body, hasTripJoined: true }, DEVICE_USER);
    await site.push.cycle();
    await expectReportedAfterTenMinutes();
    centre.instead = () => undefined;
    await site.minutes(15);
    expect(String(centre.rows.get(1)?.["notes"])).toContain("03:41 Window");
    expect(site.conditions()).toEqual([]);
  });

  test("that a user has changed is not reported if the centre does not accept that", async () => {
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    centre.instead = ({ method }) => (method === "PUT" ? json(409, {}) : undefined);
    site.app.interventions.update(id, { crews: 2 }, OPERATOR_USER);
    await site.minutes(15);
    expect(site.conditions()).toEqual([]);
  });

  test("that waits for an objective that the centre does not know is reported as an alarm", async () => {
    centre.instead = ({ method }) => (method === "POST" ? notFound("no objective") : undefined);
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    await site.minutes(12);
    expect(site.entry(id).phase).toBe("blocked");
    expect(site.outbox.summary()).toMatchObject({ blocked: 1, rejectedAlarms: 1 });
    expect(site.conditions()).toEqual(["upstream-rejects-alarm", "upstream-rejects-records"]);
  });

  test("that the centre has is not reported, and neither is one that waits for the link", async () => {
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("linked");
    centre.instead = () => json(503, {});
    site.create({ priority: "high" });
    await site.minutes(20);
    expect(site.conditions()).toEqual(["upstream-unreachable"]);
  });
});

test("a patrol that is answered 409 each time is not reported as an alarm", async () => {
  centre.instead = ({ method }) => (method === "POST" ? json(409, {}) : undefined);
  site.create({ priority: "low" });
  await site.minutes(20);
  expect(site.conditions()).toEqual([]);
});
