import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

/** Counts the tones and, as a phone over TLS would allow it, what keeps the screen on. */
const PHONE = `
  globalThis.tones = 0;
  globalThis.locks = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { tones += 1; return start.apply(this, when); };
  const request = async () => { locks += 1; return { release: async () => { locks -= 1; } }; };
  Object.defineProperty(navigator, "wakeLock", { value: { request } });`;

describeWithBrowser("a technician with a phone in a walk test", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeEach(async () => {
    page = await site.page("walk-test");
    await page.evaluate(PHONE);
  });
  afterEach(async () => {
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
  const number = (name: "tones" | "locks"): Promise<number> => page.evaluate<number>(name);

  test("hears each trip, and the screen stays on until the test ends", async () => {
    const walk = page.screen("walk-test");
    await walk.button("Start walk test").click();
    await page.openDialog.button("Start walk test").click();
    await walk.heading("0 of 3 zones tested").shown();
    await walk.field("sound").and(walk.markup(":checked")).shown();
    await eventually("a screen that stays on", async () => (await number("locks")) === 1);
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await walk.heading("1 of 3 zones tested").shown();
    await eventually("a tone", async () => (await number("tones")) === 1);
    await page.open("objectives");
    await page.screen("objectives").complete();
    expect(await number("locks")).toBe(0);
  });

  test("sees that a reload has ended the sound, and enables it with a press", async () => {
    const walk = page.screen("walk-test");
    await walk.heading("1 of 3 zones tested").shown();
    await walk.field("sound").and(walk.markup(":not(:checked)")).shown();
    await walk.field("sound").check();
    await site.daemon.run(["trip", "--zone", "smoke"]);
    await walk.heading("2 of 3 zones tested").shown();
    await eventually("a tone", async () => (await number("tones")) === 1);
    // The test may have been shown before this page counted.
    const before = await number("locks");
    await page.setHidden(true);
    await page.setHidden(false);
    await eventually("a screen that stays on again", async () => (await number("locks")) === before + 1);
  });

  test("is asked before the end of the test, because both zones are still open and would be dispatched", async () => {
    const walk = page.screen("walk-test");
    await walk
      .listItem(/Fum depozit/)
      .badge("still open")
      .shown();
    await walk.button("End walk test").click();
    const question = page.dialog("End the walk test?");
    await question.text(/^These zones are still open, .*: Ușa principală, Fum depozit\./).shown();
    await question.button("Cancel").click();
    await walk.heading("2 of 3 zones tested").shown();
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await walk.button("End walk test").click();
    await question.text(/^Ușa principală is still open: an intervention is dispatched/).shown();
    await question.button("End walk test").click();
    await walk.heading(/^Walk test report/).shown();
  });
});
