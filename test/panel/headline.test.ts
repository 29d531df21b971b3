import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";
import { faultsInEveryLook } from "../support/screens.ts";

describeWithBrowser("the status screen", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("shows a fire alarm in both languages until its intervention is done", async () => {
    const page = await site.page("status");
    const home = page.screen("status");
    await home.heading("All is well").shown();
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const summary = home.region("ALARM");
    await summary.text(/1 alarm not done.*1 zone open while armed/).shown();
    await summary.link("Open intervention #1").click();
    await (await page.arrival(/^interventions\/\d+$/)).heading(/Fum depozit/).shown();

    await page.open("status");
    await page.speak("RO");
    // Named after the record that it leads to: an opening is what a contact does.
    await home.region("ALARMĂ").link("Intervenția #1").shown();
    await page.speak("EN");
    const raised = () => home.heading(/^(ALARM|ALARMĂ)$/).shown();
    // The name of the intervention is in the language of the site.
    const faults = await faultsInEveryLook(page, raised, [/Alarmă incendiu/g]);
    expect(faults).toEqual([]);

    await page.speak("EN");
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await site.daemon.run(["interventions", "set", "1", "--status", "done"]);
    await home.heading("All is well").shown();
  });
});
