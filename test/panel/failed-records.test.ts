import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { EDGE, Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { faultsInEveryLook } from "../support/screens.ts";

describeWithBrowser("a record that the centre does not take", () => {
  const elsewhere = new Installation();
  let site: PanelSite;
  let page: PanelPage;
  beforeAll(async () => {
    // The centre does not know the building of the site's zones.
    const { port } = await startCentre(
      elsewhere,
      "objectives: { obiective/cladiri: [ { id: 99, name: Another hall } ] }\n",
    );
    // An alarm is tried again for ten minutes before it waits for a person.
    site = new PanelSite(`${upstreamYaml(port)}profiles: { burglary: { priority: medium } }\n`);
    site.installation.secret("upstream.password", EDGE.password);
    await site.start();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("sync");
  });
  afterAll(async () => {
    await site.stop();
    await elsewhere.remove();
  });

  const row = (): Part => page.screen("sync").row(/#1 .*objective missing/);

  test("waits for a person, who has it tried again, and gives it up after a question", async () => {
    const sync = page.screen("sync");
    await row().shown();
    await sync.button("Try again #1").click();
    await page.notice.text("#1 is tried again").shown();
    await row().shown();
    await sync.button("Give up… #1").click();
    await page.dialog("Give #1 up?").shown();
    await page.press("Escape");
    await page.dialog("Give #1 up?").gone();
    await row().shown();
    const faults = await faultsInEveryLook(page, async () => {
      await sync.markup("td button.danger").click();
      await page.openDialog.shown();
    });
    expect(faults.join("\n")).toBe("");
    await page.openDialog.gone();
    await sync.button("Give up… #1").click();
    await page.dialog("Give #1 up?").button("Give up").click();
    await page.notice.text("#1 is given up; it stays here").shown();
    await sync.without(row());
    await (await page.open("interventions/1")).heading(/^#1 ./).shown();
  });
});
