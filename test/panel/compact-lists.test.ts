import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const NAMES = [/Zona .* declanșată la [\d.]+ [\d:]+\./g, "Alarmă de efracție", "Hala Nord", "Ușa principală"];
/** Eight looks, on a busy machine. */
const LOOKS_TIMEOUT_MS = 180_000;
/** A search, and one row of choices below it: 44 pixels each, and the space between them. */
const FILTERS_MAX_PX = 100;

describeWithBrowser("long lists on a small screen", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("interventions", await site.context({ viewport: { width: 360, height: 740 } }));
  });

  test("the filters of the interventions take one row below the search on a phone", async () => {
    for (const language of ["RO", "EN"]) {
      await page.speak(language);
      const list = page.screen("interventions");
      await list.field(language === "RO" ? "Stare" : "Status").shown();
      const height = await list
        .markup(".filter-chips")
        .evaluate<number>("part.getBoundingClientRect().height");
      expect(height, language).toBeLessThanOrEqual(FILTERS_MAX_PX);
    }
  });

  test("an intervention is its name with its facts and a line below on a phone, a row of 44 pixels with all columns on a laptop", async () => {
    await page.speak("EN");
    const list = page.screen("interventions");
    const heights = "[...part.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)";
    await list.text("#1 · Hala Nord · other · high priority").shown();
    const [first = 0] = await list.evaluate<number[]>(heights);
    // The name takes two lines at this width, its facts one, also in Romanian.
    expect(first).toBeLessThanOrEqual(117);
    await page.speak("RO");
    await list.text("#1 · Hala Nord · alt tip · prioritate ridicată").shown();
    expect((await list.evaluate<number[]>(heights))[0]).toBeLessThanOrEqual(117);
    await page.speak("EN");
    await page.look("light", 1000);
    await list
      .columnHeader(/^Priority/)
      .button(/^Priority/)
      .click();
    await page.isAt("#/interventions?sort=priority&order=desc");
    await page.open("interventions");
    await page.look("light", 1280);
    await list.columnHeader("Objective").shown();
    await list.columnHeader("Type").hidden();
    await page.look("light", 1440);
    for (const name of ["Type", "Objective"]) await list.columnHeader(name).shown();
    await list.row(/Ușa principală 1 other Hala Nord planned high/).shown();
    const [row = 0] = await list.evaluate<number[]>(heights);
    expect(row).toBeLessThanOrEqual(45);
    await page.look("light", 360);
  });

  test("the interventions are sorted on a phone by a list of the columns and a direction", async () => {
    const list = await page.open("interventions");
    await list.field("Sort by").holds("status");
    await list.field("Sort by").choose("name");
    await page.isAt("#/interventions?sort=name&order=asc");
    await list.button("Order: ascending").click();
    await page.isAt("#/interventions?sort=name&order=desc");
    await list.button("Order: descending").shown();
    await page.look("light", 1000);
    await list.columnHeader(/^Name/).shown();
    await list.field("Sort by").hidden();
    await page.look("light", 360);
    await page.open("interventions");
  });

  test("a filter stays after a reload, and one press removes all", async () => {
    const list = await page.open("interventions");
    await list.link(/Alarmă de efracție/).shown();
    await list.field("Status").choose("done");
    await list.without(list.link(/Alarmă de efracție/));
    await page.reload();
    await list.field("Status").holds("done");
    await list.field("Priority").choose("low");
    // The empty list offers the same.
    await list.markup(".empty").button("All interventions").shown();
    await list.markup(".filter-chips").button("All interventions").click();
    await list.link(/Alarmă de efracție/).shown();
    await list.field("Status").holds("");
    await list.field("Priority").holds("");
    await list.without(list.button("All interventions"));
  });

  test(
    "the interventions with an active filter are accessible in every look",
    async () => {
      const open = async (): Promise<void> => {
        const list = await page.open("interventions?status=open&type=repair");
        await list.markup(".filter-chips .one-row > button").shown();
        await list.complete();
      };
      expect(await violationsInAllThemes(page, open, NAMES)).toEqual([]);
    },
    LOOKS_TIMEOUT_MS,
  );

  test("the API is a list of resources, of which one is open", async () => {
    const api = await page.open("api");
    await api.heading("/interventii").click();
    await api.text("GET /interventii").click();
    await api.markup("details details[open] .facts").shown();
    await api.heading("/site/zones").click();
    await api.text("GET /site/zones").shown();
    const openResources = "part.querySelectorAll('details[name=resource][open]').length";
    expect(await api.evaluate<number>(openResources)).toBe(1);
    await api.text("GET /interventii").hidden();
  });

  test("the API is in the language of the panel, with the fields of a body", async () => {
    const api = await page.open("api");
    const english = "[...part.querySelectorAll('[lang=en]')].map(({ textContent }) => textContent)";
    const openField = "part.querySelector('details details[open] .facts div:nth-child(2)').textContent";
    for (const [language, name] of [
      ["RO", "name corpNumele intervenției: de la 1 la 200 de caractere, nu numai spații.text, obligatoriu"],
      ["EN", "name bodyName of the intervention: 1 to 200 characters, not blank.text, required"],
    ]) {
      await page.speak(language ?? "");
      await api.complete();
      // The name of the contract.
      expect(await api.evaluate<string[]>(english)).toEqual(["Intervention Request Service"]);
      if (language === "RO") await api.heading("/interventii").click();
      if (language === "RO") await api.text("POST /interventii").click();
      await api.markup("details details[open] .facts").shown();
      expect(await api.evaluate<string>(openField)).toBe(name);
    }
  });
});
