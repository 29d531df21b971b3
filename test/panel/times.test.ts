import { beforeAll, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

/**
 * In the page: counts the formats of dates that the browser creates, which take a slow phone a quarter of a second, and keeps their
 * number when the alarm is drawn. The list of the latest events, which names its days, is loaded later.
 */
const COUNT_FORMATS = `
  globalThis.formats = 0;
  const original = Intl.DateTimeFormat;
  Intl.DateTimeFormat = new Proxy(original, {
    construct: (target, values) => { globalThis.formats += 1; return Reflect.construct(target, values); },
    apply: (target, self, values) => { globalThis.formats += 1; return Reflect.apply(target, self, values); },
  });
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    const method = Date.prototype[name];
    Date.prototype[name] = function (...values) { globalThis.formats += 1; return method.apply(this, values); };
  }
  new MutationObserver((_changes, observer) => {
    if (document.querySelector("main .journey li") === null) return;
    globalThis.formatsAtAlarm = globalThis.formats;
    observer.disconnect();
  }).observe(document, { childList: true, subtree: true });`;

/** The times of the delivery of the alarm, which the panel shows on Home. */
const TIMES = "[...part.querySelectorAll('.journey li')].map((one) => one.textContent).join(' ')";

const DAY_MS = 86_400_000;

describeWithBrowser("the times of the panel", () => {
  const site = PanelSite.running();
  beforeAll(async () => {
    await site.daemon.run(["trip", "--zone", "front-door"]);
  });

  test("need no format of the browser until Home shows the alarm with its time", async () => {
    const context = await site.context({ timezoneId: "Asia/Tokyo" });
    await context.addInitScript(COUNT_FORMATS);
    const page = await site.page("status", context);
    await page.screen("status").complete();
    await page.reload();
    await page.screen("status").complete();
    await page
      .screen("status")
      .listItem(/Ușa principală.*Contact\s*\d\d:\d\d/s)
      .shown();
    expect(await page.evaluate<number>("formatsAtAlarm")).toBe(0);
    await context.close();
  });

  test("have their year when they are long ago", async () => {
    const context = await site.contextWithTime();
    await context.clock.install();
    const page = await site.page("zones", context);
    const door = page.screen("zones").tile("Ușa principală");
    const day = (years: string): RegExp => new RegExp(`^\\d\\d/\\d\\d${years}$`);
    await context.clock.setSystemTime(Date.now() + 2 * DAY_MS);
    await page.open("status");
    await page.open("zones");
    await door.text(day("")).shown();
    await context.clock.setSystemTime(Date.now() + 320 * DAY_MS);
    await page.open("status");
    await page.open("zones");
    await door.text(day("/\\d{4}")).shown();
    await context.close();
  });

  test("are the same when the clocks of the site have been changed in the meantime", async () => {
    const texts = [];
    for (const hasChanged of [false, true]) {
      const page = await polledPage(site, hasChanged);
      const home = page.screen("status");
      await home.listItem(/Ușa principală.*Contact\s*\d\d:\d\d/s).shown();
      texts.push(await home.evaluate<string>(TIMES));
      await page.open("settings");
      await page
        .screen("settings")
        .text(/\d\d:\d\d:\d\d$/)
        .shown();
      await page.close();
    }
    expect(texts[0]).toMatch(/\d\d:\d\d/);
    expect(texts[1]).toBe(texts[0]);
    expect(site.pageErrors).toEqual([]);
  });
});

/** A page that polls the status. @param hasChanged as if the clocks of the site had been changed after the alarm */
async function polledPage(site: PanelSite, hasChanged: boolean): Promise<PanelPage> {
  const context = await site.context();
  await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
  const page = await site.signedOutPage(context);
  await page.changeResponses("**/site/status", 1_000, (body) => {
    const { utcOffset } = body as StatusView;
    const since = new Date(Date.now() + 60_000).toISOString();
    return hasChanged
      ? { ...body, utcOffset: { ...utcOffset, minutes: utcOffset.minutes - 60, since } }
      : body;
  });
  await page.open("status");
  await signIn(page);
  await page.screen("status").complete();
  return page;
}
