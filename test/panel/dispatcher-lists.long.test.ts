import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import { PanelSite } from "../support/panel-site.ts";

/** Three pages of interventions and a record of an alarm. */
const PLANNED = 60;
const FIRE = 1;

describeWithBrowser("a dispatcher with many planned interventions and a fire", () => {
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Dispecerat, locale: ro }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
      "fleet: { silentS: 2 }\n" +
      "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord }, { id: 2, name: Sediu Est } ] }\n",
    "centre",
  );
  const ask = async (path: string, body: object): Promise<void> => {
    const { status } = await askDaemon(join(centre.installation.folder, "site"), "POST", path, body);
    expect([path, status < 300]).toEqual([path, true]);
  };
  beforeAll(async () => {
    const at = { objectiveType: "obiective/cladiri", objectiveId: 1 };
    await ask("/interventii", { ...at, name: "Incendiu", type: "other", priority: "high", firetruck: true });
    for (let n = 1; n <= PLANNED; n += 1)
      await ask("/interventii", {
        ...at,
        name: `Revizie ${n}`,
        objectiveId: 2,
        priority: n % 2 === 0 ? "low" : "medium",
      });
    const of = { ...reportNow(), objective: "obiective/cladiri/2" };
    await ask("/site-reports", { ...of, ref: "nord", name: "Hala Nord", level: "alarm" });
    await ask("/site-reports", { ...of, ref: "est", name: "Sediu Est" });
  });

  test("has the fire at the top of the list, and each page from its beginning", async () => {
    // Wide enough for the column of the numbers.
    const context = await centre.context({ viewport: { width: 1500, height: 800 } });
    const page = await centre.page("interventions", context);
    const list = page.screen("interventions");
    await list.text(/^1–20 of \d+$/).shown();
    await list.markup("tbody tr:first-child").link("Incendiu").shown();
    await page.evaluate("scrollTo(0, document.body.scrollHeight)");
    await list.button("Next").click();
    await list.text(/^21–40 of/).shown();
    const top = (): Promise<number> =>
      list.evaluate("part.querySelector('table').getBoundingClientRect().top");
    expect(await top()).toBeGreaterThanOrEqual(0);
    await list.button("Last page").click();
    await list.text(/^61–/).shown();
    await list.button("First page").click();
    await list.markup("tbody tr:first-child").link("Incendiu").shown();
    await list.button(/^#/).click();
    await list.columnHeader(/^#/).and(list.markup("[aria-sort=descending]")).shown();
    await page.close();
  });

  test("returns from an intervention to its row, as a page of the list was left", async () => {
    const page = await centre.page("interventions");
    const list = page.screen("interventions");
    await list.complete();
    await page.look("light", 1000);
    const row = list.markup("tbody tr:nth-child(16)").markup("a");
    for (const back of ["browser", "link"]) {
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      const before = await page.evaluate<number>("scrollY");
      expect(before).toBeGreaterThan(0);
      await row.click();
      const record = await page.arrival(/^interventions\/\d+$/);
      await record.complete();
      await eventually("the top of the intervention", async () => (await page.evaluate("scrollY")) === 0);
      if (back === "browser") await page.back();
      else await record.markup("a.button.plain").click();
      await list.complete();
      // The records of silent sites may have moved it.
      const opened = list.markup(`a[href="#/${record.address}"]`);
      await eventually("the row", () => opened.hasFocus());
      expect(await page.evaluate("scrollY")).toBe(before);
    }
    await page.close();
  });

  test("finds the fire by its number and by the name of its objective", async () => {
    const page = await centre.page("interventions");
    const list = page.screen("interventions");
    await list.field("Search").fill(`#${FIRE}`);
    await list.text("1–1 of 1").shown();
    await list.row(/Incendiu/).shown();
    await list.field("Search").fill(`${FIRE}`);
    await list.link(`#${FIRE} Incendiu`).shown();
    await list.field("Search").fill("hala nord");
    await list.button("Interventions at Hala Nord").click();
    await list.text("1–1 of 1").shown();
    await list.row(/Incendiu/).shown();
    await page.isAt("#/interventions?objective=obiective%2Fcladiri%2F1");
    await list.pressedButton("Hala Nord").click();
    await list.text(/^1–20 of/).shown();
    await page.close();
  });

  test("has alarms and silent sites in the log, and no suppressed trips", async () => {
    const page = await centre.page("events");
    const log = page.screen("events");
    await log.button("alarms").click();
    await log.listItem(/created intervention.*#1/s).shown();
    expect(await log.words()).not.toContain(`#${PLANNED}`);
    const saved = await page.downloaded(() => log.button("CSV").click());
    expect(saved.suggestedFilename()).toMatch(/^centre-events-\d{4}-\d\d-\d\d\.csv$/);
    expect(readFileSync(await saved.path(), "utf8")).toMatch(
      /"localTime","sentence"\r\n.*"intervention-created".*created intervention[^,]*"\r\n$/,
    );
    await log.button("suppressed").gone();
    await log.button("faults").click();
    await eventually("the silence", async () => /created intervention/.test(await log.words()));
    await page.close();
  });

  test("has a site with five of its unfinished interventions above its history, and a way to all", async () => {
    const page = await centre.page("sites");
    const sites = page.screen("sites");
    await sites.button("Name").click();
    await sites.columnHeader(/^Name/).and(sites.markup("[aria-sort=ascending]")).shown();
    await page.isAt("#/sites?sort=name&order=asc");
    await sites.button("Name").click();
    await sites.markup("tbody tr:first-child").link("Sediu Est").click();
    const site = await page.arrival(/^sites\/\d+$/);
    await site.link("All unfinished interventions").shown();
    expect(await site.evaluate("part.querySelector('table').querySelectorAll('tbody tr').length")).toBe(5);
    await site.link("All unfinished interventions").click();
    const list = page.screen("interventions");
    await list.pressedButton("Sediu Est").shown();
    await list.text(/^1–20 of 6\d$/).shown();
    await page.close();
    expect(centre.pageErrors).toEqual([]);
  });
});
