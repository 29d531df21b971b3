import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("how current a page says that it is", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  const door = (page: PanelPage): Part => page.screen("zones").tile("Ușa principală");

  /** Three more streams of its user. */
  const STREAMS = `Promise.all([1, 2, 3].map(() => fetch("./site/events", {
    headers: { Authorization: "Bearer " + sessionStorage.getItem("santinela.token") } }))).then(() => undefined)`;

  test("a page without a stream notices that the daemon is gone, and shows the next trip once it is back", async () => {
    const context = await site.context();
    const live = await site.page("zones", context);
    await live.banner.badge("live").shown();
    // An account has four streams, so the next page polls.
    await live.evaluate(STREAMS);
    const polling = await site.page("zones", context);
    await polling.banner.badge("every 3 s").shown();
    const pages = [live, polling];
    await site.daemon.end("SIGKILL");
    for (const page of pages) {
      await page.banner.badge("no connection").shown();
      await page.staleBar.text(/This was the state at/).shown();
    }
    await site.startAgain();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    for (const page of pages) await door(page).text("Open").shown();
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    for (const page of pages) await door(page).text("Closed").shown();
    await context.close();
  });

  test("a page that is shown again is grey and not called live until it has the present state", async () => {
    const page = await site.page("zones");
    await page.banner.badge("live").shown();
    await door(page).text("Closed").shown();
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    await site.daemon.run(["trip", "--zone", "front-door"]);
    const send = await page.holdRequests("**/site/events");
    await page.setHidden(false);
    await page.banner.badge("connecting…").shown();
    expect(await page.contentFilter()).toBe("grayscale(1)");
    send();
    await page.banner.badge("live").shown();
    await door(page).text("Open").shown();
    expect(await page.contentFilter()).toBe("none");
  });
});
