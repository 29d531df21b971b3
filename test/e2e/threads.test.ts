import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { countByObjective } from "../support/installation.ts";
import { allOf, SiteAndCentre } from "../support/site-and-centre.ts";

/* A thread of the daemon ends because of a defect, again and again, while contacts open. */

const ZONES = 12;
const zones = Array.from({ length: ZONES }, (_, index) => ({ id: `door-${index}`, building: 2 + index }));
const siteYaml = `mqtt: off\nzones:\n${zones
  .map(
    ({ id, building }) =>
      `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: ${building} }, input: { simulated: true } }\n`,
  )
  .join("")}`;

let both: SiteAndCentre;
const folderOf = (daemon: "site" | "centre"): string => join(both.installation.folder, daemon);
afterEach(() => both.remove());

async function started(failpoint: string): Promise<void> {
  both = new SiteAndCentre({ siteYaml, buildings: ZONES + 2 });
  await both.start();
  await both.site.end("SIGTERM");
  await both.site.start({ ...process.env, SANTINELA_FAILPOINT: failpoint });
}

async function openEveryDoor(): Promise<void> {
  for (const { id } of zones)
    // A thread that ends takes its requests with it; opening an open contact again changes nothing.
    await eventually(`${id} to open`, async () => {
      const order = { zone: id, contact: "open" };
      return (await askDaemon(folderOf("site"), "POST", "/site/simulate", order)).status === 200;
    });
}

/** Each door is exactly one intervention at the site and at the centre. */
async function expectOneEach(): Promise<void> {
  await eventually("one record of every door at the centre", async () => {
    const counts = countByObjective(await allOf(folderOf("centre")));
    return zones.every(({ building }) => counts.has(building));
  });
  const atSite = await eventually("the records of the site", () => allOf(folderOf("site")));
  for (const records of [await allOf(folderOf("centre")), atSite]) {
    const counts = countByObjective(records);
    expect(zones.map(({ building }) => counts.get(building))).toEqual(zones.map(() => 1));
  }
}

describe("each trip is exactly one intervention although", () => {
  test.each([
    ["a defect ends the front every 25 requests", "request:25=throw", "front"],
    ["the front fills its heap every 40 requests", "request:40=fill", "front"],
    ["a defect ends the records after every fourth commit", "record-changed:4=throw", "records"],
    ["the records fill their heap after every fifth commit", "record-changed:5=fill", "records"],
  ])("%s", async (_what, failpoint, thread) => {
    await started(failpoint);
    const { pid } = both.site;
    await openEveryDoor();
    await expectOneEach();
    await eventually("the condition", async () => {
      const { conditions } = await both.site.get<StatusView>("/site/status");
      return conditions.some(({ code, subject }) => code === "thread-failed" && subject === thread);
    });
    // The process has not been restarted: sensing went on.
    expect(both.site.pid).toBe(pid);
  });
});

test("a defect in sensing ends the process, and the next start has every trip", async () => {
  await started("journal-committed:3=throw");
  for (const { id } of zones.slice(0, 3))
    await askDaemon(folderOf("site"), "POST", "/site/simulate", { zone: id, contact: "open" }).catch(
      () => "the process ends at the third trip",
    );
  await both.site.exited();
  await both.site.start();
  await openEveryDoor();
  await expectOneEach();
});
