import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { deadCentre, PanelSite } from "../support/panel-site.ts";

const RECORDS = 201;
describeWithBrowser("a queue that is longer than its list", () => {
  const site = PanelSite.running(deadCentre());
  beforeAll(async () => {
    const dataDir = join(site.installation.folder, "site");
    for (let count = 1; count <= RECORDS; count += 1) {
      const record = { name: `Ronda ${count}`, objectiveType: "obiective/cladiri", objectiveId: 12 };
      expect((await askDaemon(dataDir, "POST", "/interventii", record)).status).toBe(201);
    }
  });

  test("is counted as a whole, and no record in it is called synced", async () => {
    const page = await site.page("sync");
    const sync = page.screen("sync");
    await sync.heading("201 records queued").shown();
    await sync.text("The list shows the first 200.").shown();
    await sync
      .markup("tbody tr:first-child .badge.s-attention:has(path[d^='M5 22h14'])")
      .and(sync.markup(".badge"))
      .shown();
    const list = await page.open("interventions");
    await list.row(/Ronda 201/).shown();
    await list.without(list.badge("synced"));
    await list
      .row(/Ronda 201/)
      .badge("to be sent")
      .shown();
    await page.speak("RO");
    await page.open("sync");
    await sync.heading("201 înregistrări în așteptare").shown();
    await sync.text("Lista conține primele 200.").shown();
  });
});
