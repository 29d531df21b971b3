import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

const DAY_MS = 86_400_000;
/** The daemon's clock too is three days later. */
const DAEMON_LATER = `{
  const { get } = Headers.prototype;
  Headers.prototype.get = function (name) {
    const text = get.call(this, name);
    return name === "Date" && text ? new Date(Date.parse(text) + ${3 * DAY_MS}).toUTCString() : text;
  };
}`;

describeWithBrowser("a time of another day", () => {
  const site = PanelSite.running();
  let context: Awaited<ReturnType<PanelSite["context"]>>;
  let page: PanelPage;
  beforeAll(async () => {
    const bypass = ["zones", "bypass", "--zone", "smoke", "--reason", "zugrav", "--minutes", "10080"];
    await site.daemon.run(bypass);
    await site.daemon.run(["trip", "--zone", "front-door"]);
    context = await site.context();
    page = await site.page("status", context);
    await page.screen("status").complete();
    // Three days later the alarm is still unfinished.
    await context.clock.setSystemTime(Date.now() + 3 * DAY_MS);
    await page.evaluate(DAEMON_LATER);
    await page.open("zones");
    await page.screen("zones").complete();
    await page.open("status");
  });

  test("has its date in the delivery of an alarm", async () => {
    await page
      .screen("status")
      .listItem(/Ușa principală.*Contact\s*\d\d\/\d\d, \d\d:\d\d\s*Journal.*Record\s*\d\d\/\d\d, \d\d:\d\d/s)
      .shown();
  });

  test("has its date on the tile of a zone that is bypassed for a week", async () => {
    await page
      .screen("status")
      .tile("Fum depozit")
      .text(/^until \d\d\/\d\d, \d\d:\d\d$/)
      .shown();
    await page.look("light", 360);
    const status = page.screen("status");
    const lines = await status
      .markup("[data-zone=smoke] .when")
      .evaluate<number>("part.getClientRects().length");
    expect(lines).toBe(1);
    const [right = Infinity, edge = 0] = await status
      .markup("[data-zone=smoke]")
      .evaluate<number[]>(
        "[part.querySelector('.when'), part].map((one) => one.getBoundingClientRect().right)",
      );
    expect(right).toBeLessThanOrEqual(edge);
  });

  test("has its date in the settings: the last start", async () => {
    await page.look("light", 1100);
    await page.open("settings");
    await page
      .screen("settings")
      .text(/^\d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d$/)
      .shown();
  });

  test("is none of today for a browser whose clock alone is days ahead of that of the site", async () => {
    const ahead = await site.context();
    await ahead.clock.setSystemTime(Date.now() + 3 * DAY_MS);
    const open = await site.page("status", ahead);
    await open
      .screen("status")
      .listItem(/Ușa principală.*Contact\s*\d\d:\d\d:/s)
      .shown();
    await ahead.close();
  });

  test("has its date in the bar of a page that has lost its daemon overnight, and in what the page still shows", async () => {
    await page.open("status");
    await page.reload();
    await page.screen("status").complete();
    await page.banner.badge("live").shown();
    const today = await site.context();
    await today.clock.install();
    const open = await site.page("status", today);
    await open
      .screen("status")
      .listItem(/Ușa principală.*Contact\s*\d\d:\d\d:/s)
      .shown();
    await open.screen("status").complete();
    await site.daemon.end("SIGKILL");
    await open.staleBar.shown();
    await today.clock.setSystemTime(Date.now() + DAY_MS);
    await today.clock.fastForward(60_000);
    await open
      .screen("status")
      .listItem(/Ușa principală.*Contact\s*\d\d\/\d\d, \d\d:\d\d/s)
      .shown();
    await page.staleBar.text(/This was the state at \d\d:\d\d:\d\d\./).shown();
    await context.clock.setSystemTime(Date.now() + 4 * DAY_MS);
    await context.clock.fastForward(60_000);
    await page.staleBar.text(/This was the state at \d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d\./).shown();
    expect(site.pageErrors).toEqual([]);
  });
});
