import { afterEach, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/** More alarms than the headline names, all of them more urgent than those that follow. */
const EARLIER = 21;

/** Counts the tones. For a browser, what a test evaluates is a press. */
const UNPRESSED = `
  Object.defineProperty(navigator, "userActivation", { value: { hasBeenActive: false } });
  globalThis.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { tones += 1; return start.apply(this, when); };`;

describeWithBrowser("the bar of new alarms at a dispatch centre", () => {
  const centre = PanelSite.running(
    "",
    `site: { ref: centre, name: Dispecerat }\nhttp: { port: 0, hosts: [${PANEL_HOST}] }\n` +
      "objectives: { obiective/cladiri: [ { id: 1, name: Hala Nord, address: Str. Fabricii 7, city: Cluj, phone: 0264 555 012 } ] }\n",
    "centre",
  );
  afterEach(() => expect(centre.pageErrors).toEqual([]));

  let made = 0;
  const alarm = async (change: object = {}): Promise<number> => {
    await centre.control.post("/interventii", {
      name: "Efracție: Hol",
      type: "other",
      status: "planned",
      priority: "low",
      objectiveType: "obiective/cladiri",
      objectiveId: 1,
      crews: 1,
      ...change,
    });
    made += 1;
    return made;
  };
  const titleOf = (page: PanelPage, title: string): Promise<unknown> =>
    eventually(title, async () => (await page.evaluate<string>("document.title")) === title);

  test("names each alarm that comes after the page, on every screen, until it is opened or dismissed", async () => {
    for (let n = 0; n < EARLIER; n += 1) await alarm({ priority: "high", ambulance: true });
    const page = await centre.page("objectives");
    const objectives = page.screen("objectives");
    await objectives.text("Hala Nord").shown();
    await page.banner.badge("live").shown();
    await titleOf(page, `(${EARLIER}) ALARM · Objectives · Dispecerat`);
    await objectives.without(page.newAlarms);

    const first = await alarm();
    await page.newAlarms.listItem(new RegExp(`#${first} Efracție: Hol`)).shown();
    await titleOf(page, `(${first}) ALARM · Objectives · Dispecerat`);
    expect(await page.alert.words()).toBe(`New alarm: #${first} Efracție: Hol`);
    const second = await alarm({ name: "Efracție: Birou" });
    await page.newAlarms.listItem(new RegExp(`#${second} Efracție: Birou`)).shown();
    // Only what is new is announced again.
    expect(await page.alert.words()).toBe(`New alarm: #${second} Efracție: Birou`);

    await page.newAlarms.link(`Open #${first}`).click();
    const one = page.screen(`interventions/${first}`);
    await one.heading(`#${first} Efracție: Hol`).shown();
    await titleOf(page, `(${second}) ALARM · #${first} Efracție: Hol · Dispecerat`);
    await one.text("Str. Fabricii 7, Cluj").shown();
    expect(await one.link("0264 555 012").attribute("href")).toBe("tel:0264555012");
    await page.newAlarms.listItem(new RegExp(`#${first} `)).gone();
    await page.newAlarms.button("Dismiss").click();
    await page.newAlarms.gone();
    await one.link("Hala Nord").click();
    await page
      .screen("objectives")
      .row(/Hala Nord/)
      .shown();
    await page.reload();
    await page.screen("objectives").text("Hala Nord").shown();
    await page.banner.badge("live").shown();
    await page.screen("objectives").without(page.newAlarms);
    await page.close();
  });

  test("names what has come while there was no connection, and forgets what is done", async () => {
    const page = await centre.page("objectives");
    await page.banner.badge("live").shown();
    await page.screen("objectives").complete();
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    const id = await alarm();
    await page.setHidden(false);
    await page.newAlarms.listItem(new RegExp(`#${id} `)).shown();
    await centre.control.put(`/interventii/${id}`, { status: "done" });
    await page.newAlarms.gone();
    await page.close();
  });

  test("has no faults of accessibility in any look, with more alarms than it names", async () => {
    const page = await centre.page("objectives");
    await page.banner.badge("live").shown();
    await page.screen("objectives").complete();
    for (let n = 0; n < 5; n += 1) await alarm({ name: "Alarmă de efracție: Ușa de la intrarea în depozit" });
    await page.newAlarms.link("and 2 more").shown();
    const names = [
      "Dispecerat",
      "Hala Nord",
      "Str. Fabricii 7",
      "Cluj",
      "Alarmă de efracție: Ușa de la intrarea în depozit",
    ];
    expect(await violationsInAllThemes(page, () => page.newAlarms.shown(), names)).toEqual([]);
    await page.close();
  });

  test("shows on Home that an alarm is taken, which can be undone at once", async () => {
    const page = await centre.page(`interventions/${EARLIER}`);
    const other = await centre.page("status");
    const card = other
      .screen("status")
      .listItem(new RegExp(`Hala Nord · Str\\. Fabricii 7 · Cluj · #${EARLIER} ·`));
    await card.badge("planned").shown();
    const one = page.screen(`interventions/${EARLIER}`);
    await one.button("in progress").click();
    await card.badge("in progress").shown();
    await page.notice.text(`#${EARLIER} Efracție: Hol: in progress`).shown();
    await page.notice.button("Undo").click();
    await card.badge("planned").shown();
    await one.pressedButton("planned").shown();
    const form = await page.open("interventions/new");
    await form.text("An intervention of type “other” counts as an alarm until it is done.").shown();
    await page.close();
    await other.close();
  });

  test("plays a sound once the page was pressed, unless the sound is turned off", async () => {
    const context = await centre.context();
    await context.addInitScript({ content: UNPRESSED });
    const page = await centre.page("status", context);
    await page.banner.badge("live").shown();
    const home = page.screen("status");
    await home.complete();
    const tones = (): Promise<number> => page.evaluate<number>("tones");
    await home.text("The browser plays it only after a press on this page.").shown();
    await page.press("Shift");
    await home.text("The browser plays it only after a press on this page.").gone();
    const id = await alarm();
    await page.newAlarms.listItem(new RegExp(`#${id} `)).shown();
    await eventually("three tones", async () => (await tones()) === 3);
    await home.field("Sound for new alarms").click();
    const silent = await alarm();
    await page.newAlarms.listItem(new RegExp(`#${silent} `)).shown();
    expect(await tones()).toBe(3);
    await context.close();
  });
});
