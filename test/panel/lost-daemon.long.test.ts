import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

/** Filters of the parts that show the state of the site; `main` has the headline. */
const GREY = `["main", "dialog[open]", ".banner.s-fault", "nav .count"]
  .map((one) => one + " " + getComputedStyle(part.ownerDocument.querySelector(one)).filter)`;

/** What a screen shows that the page has not read yet; its bar has the reason and the button. */
const WHEN_BACK = "Loads when the connection is back.";

describeWithBrowser("a page whose daemon does not answer", () => {
  const site = PanelSite.running();
  let page: PanelPage;
  beforeAll(async () => {
    await site.daemon.run(["zones", "bypass", "--zone", "smoke", "--reason", "zugrav", "--minutes", "60"]);
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("objectives");
    await page.screen("objectives").text("Hala Nord").shown();
    await page.open("zones");
    await page.banner.badge("live").shown();
    await page.lifeSafetyBanner.text(/from Fum depozit \(bypass until .*\d\d:\d\d\)\.$/).shown();
    const sheet = await page.openZone("PIR hol");
    await sheet.button("Bypass…").click();
    await page.dialog("Bypass PIR hol").field("Reason").fill("zugrav");
    await site.daemon.end("SIGKILL");
    await page.staleBar.shown();
  });

  test("is grey in all parts: it may no longer be true", async () => {
    expect(await page.screen("zones").evaluate<string[]>(GREY)).toEqual([
      "main grayscale(1)",
      "dialog[open] grayscale(1)",
      ".banner.s-fault grayscale(1)",
      "nav .count grayscale(1)",
    ]);
  });

  test("disables each action, says why, and keeps what is typed", async () => {
    const reason = /^No connection to the daemon\. This was the state at \d\d:\d\d:\d\d\.$/;
    const question = page.dialog("Bypass PIR hol");
    await question.markup("> p.quiet").text(reason).shown();
    const action = question.button("Bypass zone");
    expect(await action.attribute("aria-disabled")).toBe("true");
    await question.field("Reason").evaluate("part.focus()");
    await page.press("Enter");
    await question.markup(".notice").text(reason).shown();
    expect(await question.field("Reason").value()).toBe("zugrav");
    await page.press("Escape");
    await question.gone();
    const bypass = page.dialog("PIR hol").button("Bypass…");
    expect(await bypass.attribute("aria-disabled")).toBe("true");
    await page.press("Enter");
    expect(await bypass.hasFocus()).toBe(true);
    await page.press("Escape");
  });

  test("keeps what it shows and the focus when a retry fails too", async () => {
    const retry = page.staleBar.button("Retry");
    await retry.click();
    const asked = page.abortsRequest("/site/events", () => retry.click());
    await asked;
    await page.staleBar.text(/This was the state at/).shown();
    await page.screen("zones").tile("Ușa principală").shown();
    expect(await retry.hasFocus()).toBe(true);
  });

  test("has its bar in two rows on a phone: the sentence beside its icon, and the button", async () => {
    await page.look("light", 360);
    const height = await page.staleBar.markup("p").evaluate<number>("part.getBoundingClientRect().height");
    expect(height).toBeLessThanOrEqual(44);
    await page.look("light", 1100);
  });

  test("loads what has failed once the daemon is back, and the focus is in the content", async () => {
    const objectives = await page.open("objectives");
    const whenBack = objectives.markup(`.filters + p:text-is("${WHEN_BACK}")`);
    await whenBack.shown();
    await objectives.without(objectives.button("Retry"));
    await page.staleBar.button("Retry").click();
    await site.startAgain();
    await page.staleBar.gone();
    await objectives.text("Hala Nord").shown();
    await objectives.without(whenBack);
    await eventually(
      "the focus in the content",
      async () => (await page.evaluate<string>("document.activeElement.id")) === "content",
    );
  });

  test("loads a screen whose script could not be loaded once the daemon is back", async () => {
    await site.daemon.end("SIGKILL");
    const log = await page.open("events");
    await page.staleBar.shown();
    await log.text(WHEN_BACK).shown();
    await log.button("Retry").hidden();
    await site.startAgain();
    await log.markup("ol.log li >> nth=0").shown();
    await page.staleBar.gone();
  });
});

describeWithBrowser("a browser in another time zone that does not know the state of the site", () => {
  const site = PanelSite.running();

  test("names the time zone of its times, and calls none the time of the site", async () => {
    const context = await site.context({ timezoneId: "Asia/Tokyo" });
    const page = await site.page("more", context);
    const more = page.screen("more");
    await more.text(/^edge@site.example · Site time \d\d:\d\d \(here \d\d:\d\d\)$/).shown();
    await context.route("**/site/{events,status,zones,walk-test}", (route) =>
      route.fulfill({ status: 502, body: "" }),
    );
    await page.reload();
    await page.banner.badge("no connection").shown();
    await more.text("edge@site.example").shown();
    const log = await page.open("events");
    await log.markup("ol.log time, ol.log li >> nth=0").shown();
    expect(await log.words()).toMatch(/\d\d:\d\d:\d\d (?:GMT\+9|JST)/);
    await context.close();
  });
});
