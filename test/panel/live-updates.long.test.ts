import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { interventionsOf } from "../support/installation.ts";
import type { PanelPage, Part } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("how current a page says that it is", () => {
  const site = PanelSite.running();

  /** A page without an answer to these has neither a stream nor the state. */
  const ALL_STATE = "**/site/{events,status,zones,walk-test}";
  const door = (page: PanelPage): Part => page.screen("zones").tile("Ușa principală");

  async function finishAll(): Promise<void> {
    for (const { id } of await interventionsOf(site.daemon))
      await site.daemon.run(["interventions", "set", String(id), "--status", "done"]);
  }

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
    const send = await page.holdRequests(ALL_STATE);
    await page.setHidden(false);
    await page.banner.badge("connecting…").shown();
    expect(await page.contentFilter()).toBe("grayscale(1)");
    send();
    await page.banner.badge("live").shown();
    await door(page).text("Open").shown();
    expect(await page.contentFilter()).toBe("none");
  });

  test("a page that is shown again stays grey, with its tab as it was, until the state has arrived as a whole", async () => {
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await finishAll();
    const page = await site.page("zones");
    const title = (): Promise<string> => page.evaluate("document.title");
    await eventually("a title without an alarm", async () => (await title()) === "Zones · Hala Nord");
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    await site.daemon.run(["trip", "--zone", "hall"]);
    const release = await page.holdStatus();
    const send = await page.holdRequests("**/site/{status,zones,walk-test}");
    await page.setHidden(false);
    await page.screen("zones").tile("PIR hol").text("Motion").shown();
    await page.banner.badge("connecting…").shown();
    expect([await page.contentFilter(), await title()]).toEqual(["grayscale(1)", "Zones · Hala Nord"]);
    await release();
    send();
    await page.banner.badge("live").shown();
    expect([await page.contentFilter(), await title()]).toEqual(["none", "(1) ALARM · Zones · Hala Nord"]);
    await site.daemon.run(["trip", "--zone", "hall", "--restore"]);
    await page.close();
  });

  test.each([
    ["a page of a proxy", "text/html", "<html>Sign in to the network</html>"],
    ["a stream without the state", "text/event-stream", "event: zones\ndata: []\n\n"],
  ])("behind %s a page polls, without getting grey", async (_what, contentType, body) => {
    const page = await site.page("zones");
    await page.banner.badge("live").shown();
    const stop = await page.answerRequests("**/site/events", contentType, body);
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    await page.setHidden(false);
    await page.banner.badge("every 3 s").shown();
    expect(await page.contentFilter()).toBe("none");
    await stop();
    await page.banner.badge("live").shown();
    await page.close();
  });

  test("a page of a proxy in place of every response is no connection", async () => {
    const page = await site.page("zones");
    await page.banner.badge("live").shown();
    const stop = await page.answerRequests(ALL_STATE, "text/html", "<html>Sign in to the network</html>");
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    await page.setHidden(false);
    await page.banner.badge("no connection").shown();
    expect(await page.contentFilter()).toBe("grayscale(1)");
    await stop();
    await page.banner.badge("live").shown();
    await page.close();
  });

  test.each([
    ["live", "**/site/unused"],
    ["every 3 s", "**/site/events"],
  ])("a device that wakes from its sleep shows what it has as old: %s", async (label, refused) => {
    const context = await site.context();
    await context.clock.install();
    await context.route(refused, (route) => route.fulfill({ status: 429, body: "{}" }));
    const page = await site.page("zones", context);
    await page.banner.badge(label).shown();
    const send = await page.holdRequests(ALL_STATE);
    await context.clock.setSystemTime(Date.now() + 3_600_000);
    await page.banner.badge("no connection").shown();
    expect(await page.contentFilter()).toBe("grayscale(1)");
    await context.unroute(refused);
    send();
    await page.banner.badge("live").shown();
    expect(site.pageErrors).toEqual([]);
    await context.close();
  });

  test("a hidden page asks for nothing that its screen shows", async () => {
    const context = await site.context();
    await context.clock.install();
    const page = await site.page("sync", context);
    const asked: string[] = [];
    context.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await context.clock.pauseAt(Date.now() + 10_000);
    await eventually("a question while it is shown", () => asked.includes("/site/sync"));
    await page.screen("sync").complete();
    await page.abortsRequest("/site/events", () => page.setHidden(true));
    asked.length = 0;
    await context.clock.runFor(30_000);
    await page.evaluate("fetch('./manifest.webmanifest').then(() => undefined)");
    expect(asked).toEqual(["/manifest.webmanifest"]);
    await page.setHidden(false);
    await context.clock.resume();
    await eventually("the queue of now", () => asked.includes("/site/sync"));
    await context.close();
  });

  test("a hidden page that polled before asks once a minute as well", async () => {
    const context = await site.context();
    await context.clock.install();
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    const page = await site.page("status", context);
    await page.banner.badge("every 3 s").shown();
    const states = await page.holdResponses("**/site/status");
    states.release();
    await states.held();
    await context.clock.pauseAt(Date.now() + 60_000);
    await page.banner.badge("every 3 s").shown();
    await page.setHidden(true);
    await page.banner.badge("connecting…").shown();
    for (let minute = 0; minute < 2; minute += 1) {
      const asked = states.count();
      await context.clock.runFor(60_000);
      await eventually("the state", () => states.count() > asked);
      await page.evaluate("fetch('./manifest.webmanifest').then(() => undefined)");
      expect(states.count()).toBe(asked + 1);
    }
    await context.close();
  });

  test("a hidden page learns within a minute that there is an alarm, that it is over, and that nothing is known", async () => {
    const context = await site.context();
    await context.clock.install();
    const page = await site.page("status", context);
    const title = (): Promise<string> => page.evaluate("document.title");
    const icon = (): Promise<string> => page.headLink("icon").evaluate("part.href");
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
    await finishAll();
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
    await afterAMinute("(1) ALARM · ");
    // Heard there too, and named once the page is shown.
    await page.newAlarms.present();
    await iconIs(/^blob:/);
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await finishAll();
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

  test("a page without a stream reads the log again only when there is something new in it", async () => {
    const context = await site.context();
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    const asked: string[] = [];
    context.on("request", (request) => asked.push(new URL(request.url()).pathname));
    const times = (path: string): number => asked.filter((one) => one === path).length;
    const page = await site.page("events", context);
    await page.banner.badge("every 3 s").shown();
    const polls = async (): Promise<void> => {
      const before = times("/site/status");
      await eventually("three polls", () => times("/site/status") >= before + 3);
    };
    await polls();
    const before = times("/site/journal");
    await polls();
    expect(times("/site/journal")).toBe(before);
    await site.daemon.run(["trip", "--zone", "hall"]);
    await eventually("the trip", () => times("/site/journal") > before);
    await site.daemon.run(["trip", "--zone", "hall", "--restore"]);
    await context.close();
  });
});
