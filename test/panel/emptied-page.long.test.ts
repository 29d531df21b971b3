import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

/** One more than a page of interventions. */
const RECORDS = 21;

describeWithBrowser("a list whose last page has lost its rows", () => {
  const site = PanelSite.running();
  const dataDir = (): string => join(site.installation.folder, "site");
  beforeAll(async () => {
    for (let count = 1; count <= RECORDS; count += 1) {
      const record = { name: `Ronda ${count}`, objectiveType: "obiective/cladiri", objectiveId: 12 };
      expect((await askDaemon(dataDir(), "POST", "/interventii", record)).status).toBe(201);
    }
  });

  test("shows the page before it when the last record has left the filter", async () => {
    const page = await site.page("interventions?status=planned&start=20");
    const list = page.screen("interventions");
    await list.text("21–21 of 21").shown();
    const record = { name: "Ronda 1", objectiveType: "obiective/cladiri", objectiveId: 12, status: "done" };
    expect((await askDaemon(dataDir(), "PUT", "/interventii/1", record)).status).toBe(200);
    await list.text("1–20 of 20").shown();
    await list.row(/Ronda 21/).shown();
    await page.isAt("#/interventions?status=planned");
    await page.close();
  });

  test("is left for a record that is changed and deleted, and found again with its filter", async () => {
    const address = "#/interventions?status=planned&q=Ronda";
    const page = await site.page(address.slice(2));
    const list = page.screen("interventions");
    await list.link("Ronda 20").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.link("Edit").click();
    const form = await page.arrival(/^interventions\/\d+\/edit$/);
    await form.field("Notes").fill("verificat");
    await form.button("Save").click();
    await record.markup(".facts").text("verificat").shown();
    expect(await record.link("Interventions").attribute("href")).toBe(address);
    await record.button("More actions").click();
    await record.button("Delete…").click();
    await page.openDialog.button("Delete").click();
    await list.row(/Ronda 19/).shown();
    await page.isAt(address);
    await page.close();
  });

  test("is not filtered for a record that was opened elsewhere, nor for the next user", async () => {
    const filtered = "#/interventions?q=Ronda+1";
    const page = await site.page(filtered.slice(2));
    const list = page.screen("interventions");
    await list.link("Ronda 10").click();
    const record = await page.arrival(/^interventions\/\d+$/);
    const back = record.link("Interventions");
    const leadsTo = (address: string) =>
      eventually(`a way back to ${address}`, async () => (await back.attribute("href")) === address);
    await leadsTo(filtered);
    await (await page.open("status")).complete();
    await page.open(record.address);
    await leadsTo("#/interventions");
    await page.open(filtered.slice(2));
    await list.link("Ronda 10").click();
    await record.present();
    await page.signOut();
    await signIn(page, EDGE.password);
    await record.present();
    await leadsTo("#/interventions");
    await back.click();
    await list.text("1–20 of 20").shown();
    await page.isAt("#/interventions");
    await page.close();
  });

  test("is found at an old address: of interventions and of objectives", async () => {
    const page = await site.page("interventions?start=400");
    await page.screen("interventions").text("1–20 of 20").shown();
    await page.open("objectives?start=100");
    await page.screen("objectives").text("1–1 of 1").shown();
    await page.screen("objectives").text("Hala Nord").shown();
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
});
