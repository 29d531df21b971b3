import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { interventionsOf } from "../support/installation.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("how current a page says that it is", () => {
  const site = PanelSite.running();

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

  test("a page notices within 20 seconds that the daemon hangs, with its connection open", async () => {
    const page = await site.page("zones");
    await page.banner.badge("live").shown();
    const beganMs = performance.now();
    process.kill(site.daemon.pid ?? 0, "SIGSTOP");
    try {
      await page.banner.badge("no connection").shown();
      expect(performance.now() - beganMs).toBeLessThan(20_000);
    } finally {
      process.kill(site.daemon.pid ?? 0, "SIGCONT");
    }
    await page.banner.badge("live").shown();
    expect(site.pageErrors).toEqual([]);
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

  test("a hidden page learns within a minute that there is an alarm, that it is over, and that nothing is known", async () => {
    const context = await site.context();
    await context.clock.install();
    const page = await site.page("status", context);
    const title = (): Promise<string> => page.evaluate("document.title");
    const icon = (): Promise<string> => page.evaluate("document.querySelector('link[rel=icon]').href");
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    for (const { id } of await interventionsOf(site.daemon))
      await site.daemon.run(["interventions", "set", String(id), "--status", "done"]);
    await eventually("a title without an alarm", async () => (await title()) === "Home · Hala Nord");
    // The icon follows the title once its script has arrived.
    const iconIs = (kind: RegExp): Promise<unknown> =>
      eventually(`the icon ${kind.source}`, async () => kind.test(await icon()));
    await iconIs(/\.svg$/);
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    await site.daemon.run(["trip", "--zone", "smoke"]);
    const afterAMinute = async (expected: string): Promise<void> => {
      await context.clock.fastForward(60_000);
      await eventually(expected, async () => (await title()) === `${expected}Home · Hala Nord`);
    };
    await afterAMinute("ALARM · ");
    await iconIs(/^blob:/);
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    for (const { id } of await interventionsOf(site.daemon))
      await site.daemon.run(["interventions", "set", String(id), "--status", "done"]);
    await afterAMinute("");
    await iconIs(/\.svg$/);
    await site.daemon.end("SIGKILL");
    await afterAMinute("State unknown · ");
    await iconIs(/^blob:/);
    await site.startAgain();
    await page.setHidden(false);
    await page.banner.badge("live").shown();
    await eventually("the title of now", async () => (await title()) === "Home · Hala Nord");
    expect(site.pageErrors).toEqual([]);
    await context.close();
  });
});
