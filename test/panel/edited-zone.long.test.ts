import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

/* An installer with a phone changes the zones of a site that is in use. */

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const IDS = Array.from({ length: 12 }, (_none, index) => `z${index + 1}`);
const SITE = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 12, name: Hala Nord }] }
outputs:
  - { name: sirena, on: alarm, pulseS: 180, gpio: 22 }
zones:
${IDS.map(
  (id, index) =>
    `  - { id: ${id}, name: Zona ${index + 1}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { gpio: ${index + 1} } }`,
).join("\n")}
  - { id: stinsa, name: Stinsa, kind: intrusion, disabled: true, objective: { type: obiective/cladiri, id: 12 }, input: { gpio: 25 } }
`;
/** In the page: where the middle of the button is on the screen. */
const MIDDLE = `(({ left, top, width, height }) => ({ x: left + width / 2, y: top + height / 2 }))(part.getBoundingClientRect())`;

describeWithBrowser("an installer at a site in use", () => {
  const site = new PanelSite("", SITE);
  let page: PanelPage;
  let trials = 0;
  let refused = 0;
  beforeAll(async () => {
    await site.start();
    const context = await site.context(PHONE);
    context.on("response", (response) => {
      if (!response.url().endsWith("/site/discovered/trial")) return;
      trials += 1;
      if (response.status() >= 400) refused += 1;
    });
    page = await site.page("zones", context);
  });
  afterAll(() => site.stop());

  test("is warned that the sensor of an active zone sends an alarm, unless a bypass or a walk test suppresses it", async () => {
    const form = await page.open("zones/form?zone=z1");
    const trial = form.region("Sensor test");
    const warning = trial.text(/This zone is active: an opening is dispatched\. Start a walk test first\.$/);
    await warning.shown();
    await trial.heading("Sensor test").shown();
    await trial.link("Go to the walk test").shown();
    await page.speak("RO");
    await form
      .text(/Zona este activă: o deschidere se transmite la dispecerat\. Porniți întâi un test/)
      .shown();
    await page.speak("EN");
    await site.control.post("/site/zones/z1/bypass", { minutes: 5, reason: "probă" });
    await trial.text(/^The line of a zone is not read here\. Test it in a walk test\./).shown();
    await warning.gone();
    await site.control.post("/site/zones/z1/restore");
    await warning.shown();
    await site.control.post("/site/walk-test", { minutes: 5 });
    await warning.gone();
    await site.control.post("/site/walk-test", { end: true });
    await warning.shown();
    // A disabled zone is not watched.
    await page.open("zones/form?zone=stinsa");
    await trial.text(/^This line can be read only once it is a zone/).shown();
    await warning.gone();
  });

  test("tests no line that is not entered yet, and sees at its field which output uses it", async () => {
    const before = trials;
    const found = await page.open("zones/found");
    await found.link("GPIO line").click();
    const form = page.screen("zones/form");
    await form.region("Sensor test").heading("Sensor test").shown();
    await form.field("Name").fill("Hol");
    await form.complete();
    expect([trials - before, refused]).toEqual([0, 0]);
    await form.field("GPIO line (BCM number)").fill("22");
    await form.button("Review the change").click();
    await form.text("line 22 is used by output sirena. Use another line").shown();
    expect(await form.field("GPIO line (BCM number)").attribute("aria-invalid")).toBe("true");
    expect(refused).toBe(0);
    await form.link("Cancel").click();
  });

  test("moves a zone by presses at one place of the screen", async () => {
    const edit = await page.open("zones/edit");
    await edit.button("Actions for Zona 9").shown();
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await edit.button("Actions for Zona 9").click();
    const up = edit.button("Move up");
    const { x, y } = await up.evaluate<{ x: number; y: number }>(MIDDLE);
    for (let press = 0; press < 3; press += 1) await page.pressAt(x, y);
    const order = `[...part.querySelectorAll("li[data-zone]")].map((row) => row.dataset.zone).join(" ")`;
    expect(await edit.evaluate<string>(order)).toBe("z1 z2 z3 z4 z5 z9 z6 z7 z8 z10 z11 z12 stinsa");
    await edit.text("1 change is not saved yet.").shown();
    await page.press("Escape");
    // The bar with the changes is above the bottom of the screen, wherever the list is.
    expect(await edit.button("Review the change").swipesTo()).toBe(0);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await edit.button("Actions for Stinsa").click();
    await edit.button("Delete").inFront();
    expect(await edit.link("Edit").evaluate<boolean>("part.getBoundingClientRect().top > 0")).toBe(true);
    await page.press("Escape");
    await edit.button("Discard changes").click();
  });

  test("a menu whose row cannot stay in its place closes", async () => {
    const edit = await page.open("zones/edit");
    await page.evaluate("scrollTo(0, 0)");
    await edit.button("Actions for Zona 3").click();
    const up = edit.button("Move up");
    await up.click();
    await edit.button("Delete").gone();
    expect(await edit.button("Actions for Zona 3").hasFocus()).toBe(true);
    await edit.button("Discard changes").click();
    expect(site.pageErrors).toEqual([]);
  });
});
