import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import { NonconformingCentre } from "../support/nonconforming-centre.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import type { SyncRecordStatus } from "../../src/site/sync-view.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

describeWithBrowser("a record rejected by the dispatch centre", () => {
  const elsewhere = Installation.temporary(afterAll);
  let site: PanelSite;
  let page: PanelPage;
  beforeAll(async () => {
    // The dispatch centre does not have the building of the site's zones.
    const { port } = await startCentre(
      elsewhere,
      "objectives: { obiective/cladiri: [ { id: 99, name: Another hall } ] }\n",
    );
    // An alarm is retried for ten minutes before it needs attention, so the priority is lower here.
    site = new PanelSite(`${upstreamYaml(port)}profiles: { burglary: { priority: medium } }\n`);
    await site.start();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("sync");
  });
  afterAll(() => site.stop());

  const row = (): Part => page.screen("sync").row(/#1 .*objective missing/);

  test("is retried, and no longer sent after a confirmation", async () => {
    const sync = page.screen("sync");
    await row().shown();
    const menu = sync.button("Actions for #1");
    await menu.click();
    await sync.button("Retry").click();
    await page.notice.text(/^Not sent\. .*\. Call the dispatch centre\.$/).shown();
    // While the record is sent again it has no actions, and an open menu goes with its row.
    const stop = sync.button("Stop sending…");
    await eventually("the question whether to stop", async () => {
      if (await stop.isShown()) await stop.click();
      else if (await menu.isShown()) await menu.click();
      return page.dialog("Stop sending #1?").isShown();
    });
    await page.press("Escape");
    await page.dialog("Stop sending #1?").gone();
    await row().shown();
    const asked = async (): Promise<void> => {
      await sync.markup("td .menu > button").click();
      await sync.markup("td button.danger").click();
      await page.openDialog.shown();
    };
    // A notice stays in the language in which it was shown.
    const faults = await violationsInAllThemes(page, asked, ["Retrying #1"]);
    expect(faults.join("\n")).toBe("");
    await page.openDialog.gone();
    await menu.click();
    await sync.button("Stop sending…").click();
    await page.dialog("Stop sending #1?").button("Stop sending").click();
    await page.notice.text("#1 will not be sent; the local record is kept").shown();
    await sync.without(row());
    await (await page.open("interventions/1")).heading(/^#1 ./).shown();
  });
});

describeWithBrowser("an alarm for which the dispatch centre always fails", () => {
  const centre = new NonconformingCentre();
  let site: PanelSite;
  beforeAll(async () => {
    const port = Number(new URL(await centre.start()).port);
    site = new PanelSite(upstreamYaml(port));
    await site.start();
  });
  afterAll(async () => {
    await site.stop();
    await centre.stop();
  });

  test("has the number of its next attempt in the list, also after a further one", async () => {
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const list = (await site.page("interventions")).screen("interventions");
    for (const least of [1, 2])
      await eventually(
        `the attempts of the daemon, at least ${least}`,
        async () => {
          const [record] = await site.daemon.get<SyncRecordStatus[]>("/site/sync/records?ids=1");
          const attempts = record?.attempts ?? 0;
          const shown = list.row(new RegExp(`Fum depozit.*\\battempt ${attempts + 1}\\b`));
          return attempts >= least && (await shown.isShown());
        },
        120_000,
      );
  });
});
