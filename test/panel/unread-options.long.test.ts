import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { editableSite, PanelSite } from "../support/panel-site.ts";

const TAMPER = '{"path": "/tamper", "open": [true]';
const FOLDED = "details:not([open]) textarea[name=tamper]";
const NOT_JSON = /^This is not JSON\./;

describeWithBrowser("a section of a zone that is typed as JSON", () => {
  const site = PanelSite.running(
    "",
    editableSite("id: usa, name: Ușa, kind: intrusion", "id: geam, name: Geam, kind: glass"),
  );

  test("stays and is not ignored while it cannot be read, although its options are folded", async () => {
    const page = await site.page("zones/form?zone=usa");
    const form = page.screen("zones/form");
    const section = form.field("Tamper");
    await form.field("Name").fill("Ușa mare");
    await form.text("Advanced options").click();
    await section.fill(TAMPER);
    await form.text(NOT_JSON).shown();
    await form.text("Advanced options").click();
    await form.markup(FOLDED).present();
    await form.button("Review the change").click();
    await section.shown();
    expect(await section.hasFocus()).toBe(true);
    await page.isAt("#/zones/form?zone=usa");

    // It counts as input, and is still there after the question whether to leave.
    await page.follow("Home");
    await page.dialog("Leave without saving?").button("Keep editing").click();
    await section.holds(TAMPER);
    await page.close();
  });

  test("has its error in view, where the daemon rejects it", async () => {
    const page = await site.page("zones/form?zone=geam");
    const form = page.screen("zones/form");
    const section = form.field("Tamper");
    await form.text("Advanced options").click();
    await section.fill("{");
    await form.text(NOT_JSON).shown();
    await section.fill('{"path": 5}');
    await form.text(NOT_JSON).gone();
    await form.text("Advanced options").click();
    await form.markup(FOLDED).present();
    await form.button("Review the change").click();
    await section.shown();
    expect(await section.attribute("aria-invalid")).toBe("true");
    await section.fill("");
    await form.field("Name").fill("Geamul");
    await form.button("Review the change").click();
    await page
      .screen("zones/review")
      .text(/Geamul/)
      .shown();
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
});
