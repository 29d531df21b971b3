import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { REPORT } from "../support/fleet.ts";
import { PanelSite } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/screens.ts";

describeWithBrowser("the panel of a dispatch centre", () => {
  let centre: PanelSite;
  beforeAll(async () => {
    centre = new PanelSite(
      "",
      `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
        "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\n",
      "centre",
    );
    await centre.start();
    const dataDir = join(centre.installation.folder, "site");
    for (const report of [
      REPORT,
      { ...REPORT, ref: "depozit", name: "Depozit Sud", level: "alarm" },
      {
        ...REPORT,
        ref: "sediu",
        name: "Sediu central",
        level: "fault",
        conditions: ["upstream-unreachable"],
        faults: [{ zone: "Hol", fault: "tamper" }],
        backlog: { records: 3, oldestS: 900 },
      },
    ])
      expect((await askDaemon(dataDir, "POST", "/site-reports", report)).status).toBe(204);
  });
  afterAll(() => centre.stop());

  test("has sites by trouble with their history, and no zones", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.row(/Depozit Sud.*ALARM/s).shown();
    await sites.row(/Sediu central.*Fault.*Hol: tamper.*3 records waiting for 15 min/s).shown();
    await page.menu.link("Zones").gone();
    await page.menu.link("Sync").gone();
    for (const theme of ["light", "dark"] as const)
      for (const width of [360, 1100]) {
        await page.look(theme, width);
        expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
      }
    await sites.field("Search").fill("sediu");
    await sites.row(/Depozit Sud/).gone();
    await sites.link("Sediu central").click();
    const site = page.screen("sites/3");
    await site.row(/First report: Fault/).shown();
    await page.look("light", 360);
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    expect(centre.pageErrors).toEqual([]);
  });

  test("settles with an explanation before the first record", async () => {
    const page = await centre.page("status");
    await page.screen("status").text("No unfinished interventions").shown();
  });
});
