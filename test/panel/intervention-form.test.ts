import { afterAll, beforeAll, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

const SITE = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}] }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 1, name: Arhiva }, { id: 12, name: Hala Nord }, { id: 13, name: Magazia } ] }
`;

describeWithBrowser("the form of an intervention", () => {
  const site = new PanelSite("", SITE);
  let page: PanelPage;
  beforeAll(async () => {
    await site.start();
    page = await site.page("interventions");
  });
  afterAll(() => site.stop());

  async function filled(name: string): Promise<Screen> {
    const form = await page.open("interventions/new");
    await form.field("Name").fill(name);
    await form.option("Hala Nord (12)").present();
    return form;
  }

  /** Waits until the list has exactly one intervention of this name. */
  async function isOnce(name: string): Promise<void> {
    const list = await page.open(`interventions?q=${name}`);
    await list.text("1–1 of 1").shown();
  }

  test("creates one intervention when Save is pressed twice", async () => {
    const form = await filled("dublu");
    await form.button("Save").doubleClick();
    await page.arrival(/^interventions\/\d+$/);
    await isOnce("dublu");
  });

  test("creates one intervention when the response is lost and Save is pressed again", async () => {
    const form = await filled("pierdut");
    await page.loseNextResponse("**/interventii");
    await form.button("Save").click();
    await form.text("The daemon is not responding. Try again.").shown();
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/pierdut$/).shown();
    await isOnce("pierdut");
  });

  test("creates another one when the user has changed it after a lost response", async () => {
    const form = await filled("prima");
    await page.loseNextResponse("**/interventii");
    await form.button("Save").click();
    await form.text("The daemon is not responding. Try again.").shown();
    await form.field("Name").fill("corectat");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/corectat$/).shown();
    await isOnce("prima");
  });

  test("keeps the chosen objective while the user searches for another", async () => {
    const form = await filled("căutare");
    await form.field("Objective").choose("13");
    await form.field("Find objective").fill("arhiva");
    await form.complete();
    await form.option("Hala Nord (12)").gone();
    await form.field("Objective").holds("13");
    await form.button("Save").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.text("Magazia (building 13)").shown();
    // The same when it is changed later.
    await record.link("Edit").click();
    const edit = await page.arrival(/^interventions\/\d+\/edit$/);
    await edit.option("Arhiva (1)").present();
    await edit.field("Objective").choose("1");
    await edit.field("Find objective").fill("hala");
    await edit.option("Magazia (13)").gone();
    await edit.field("Objective").holds("1");
    await edit.button("Save").click();
    await record.text("Arhiva (building 1)").shown();
  });
});
