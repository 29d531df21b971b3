import { beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "../support/accessibility-checks.ts";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage, Screen } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

/* What a phone of 360 by 740 pixels shows without scrolling, in Romanian. */

/** Where the first part of a complete screen begins. */
function topOf(screen: Screen, selector: string): Promise<number> {
  return screen.evaluate<number>(
    `part.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().top`,
  );
}

/** Height of what is left above the bottom bar. */
const BAR_TOP = 679;

describeWithBrowser("a small phone", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
    const objective = { objectiveType: "obiective/cladiri", objectiveId: 12 };
    await site.control.post("/interventii", {
      name: "Ronda",
      dateStart: "2024-01-15T02:00:00",
      ...objective,
    });
    page = await site.page("interventions", await site.context({ viewport: { width: 360, height: 740 } }));
    await page.speak("RO");
  });

  test("begins the interventions and the log in its upper half, with their filters in one row", async () => {
    const list = page.screen("interventions");
    await list.markup("td.lead >> nth=0").shown();
    expect(await topOf(list, "tbody tr")).toBeLessThan(260);
    await list
      .row(/Ușa principală/)
      .markup("time")
      .text(/^(?:acum|de \d+ min)$/)
      .shown();
    const old = list.markup('time[datetime="2024-01-15T02:00"]');
    await old.and(list.text("15.01.2024")).shown();
    expect(await old.attribute("title")).toBe("15.01.2024, 02:00");
    const log = await page.open("events");
    await log.markup("ol.log li >> nth=0").shown();
    expect(await topOf(log, "ol.log li")).toBeLessThan(300);
    await log.button("Descărcare").click();
    await log.button("CSV").shown();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.press("Escape");
  });

  test("has the three statuses of an intervention in one row", async () => {
    const screen = await page.open("interventions/1");
    await screen.markup(".three").shown();
    const boxes = await screen.evaluate<{ top: number; width: number; cut: boolean }[]>(
      `[...part.querySelectorAll(".three button")].map((one) => {
        const { top, width } = one.getBoundingClientRect();
        return { top, width, cut: one.scrollWidth > one.clientWidth };
      })`,
    );
    expect(new Set(boxes.map(({ top }) => top)).size).toBe(1);
    expect(new Set(boxes.map(({ width }) => Math.round(width))).size).toBe(1);
    expect(boxes.filter(({ cut }) => cut)).toEqual([]);
  });

  test("has the zones below the empty floor plan", async () => {
    const plan = await page.open("plan");
    await plan.markup(".plan-drawing").shown();
    await plan.tile("PIR hol").shown();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test("has a strip above the other screens during a walk test, and the first zone to test on the screen of the test", async () => {
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await site.control.post("/site/walk-test", { minutes: 5 });
    await page.open("zones");
    const strip = page.walkBanner;
    await strip.shown();
    expect(await strip.evaluate<number>("part.getBoundingClientRect().height")).toBeLessThanOrEqual(56);
    await strip.text(/Fum depozit/).hidden();
    await strip.markup("summary").click();
    await strip.text(/Fum depozit/).shown();
    expect(await accessibilityFaults(page)).toEqual([]);
    const walk = await page.open("walk-test");
    await strip.gone();
    await walk.text(/nu se transmit alarme de la Fum depozit/).shown();
    expect(await topOf(walk, ".tests li")).toBeLessThan(BAR_TOP - 150);
    expect(await accessibilityFaults(page)).toEqual([]);
    await walk.button("Oprire test").click();
    await walk.button("Oprire test").gone();
  });

  test("becomes a table with name, status and time on a tablet", async () => {
    await page.look("light", 768);
    const list = await page.open("interventions");
    for (const name of [/^Nume/, /^Stare/, /^Început/]) await list.columnHeader(name).shown();
    await list.columnHeader(/^Prioritate/).hidden();
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBe(768);
  });
});
