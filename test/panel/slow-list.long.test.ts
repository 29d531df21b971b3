import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("a list that takes long, as that of a large centre", () => {
  const site = PanelSite.running();

  /** A page that polls, without a stream, so that the clock can be moved on; requests for the path get no response. */
  const waitingFor = async (path: string) => {
    const context = await site.context();
    await context.clock.install();
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    let polls = 0;
    context.on("requestfinished", (request) => {
      if (request.url().endsWith("/site/status")) polls += 1;
    });
    let count = 0;
    await context.route(path, () => {
      count += 1;
    });
    const page = await site.page("status", context);
    await page.banner.badge("every 3 s").shown();
    const tenSeconds = async (): Promise<void> => {
      const before = polls;
      await context.clock.fastForward(10_000);
      await eventually("a poll", () => polls > before);
      // Otherwise the next step would look like silence.
      await page.banner.badge("every 3 s").shown();
    };
    const loseConnection = async (): Promise<void> => {
      const failing = await page.failRequests("**/site/zones");
      await context.clock.fastForward(10_000);
      await page.staleBar.shown();
      await failing.stop();
      await page.staleBar.gone();
    };
    return { context, page, asked: () => count, tenSeconds, loseConnection };
  };

  test("is awaited as long as the daemon may read it, and then asked for again only by the user", async () => {
    const { context, page, asked, tenSeconds } = await waitingFor("**/interventii?*");
    const list = await page.open("interventions");
    await eventually("the request for the list", () => asked() === 1);
    for (let n = 0; n < 4; n += 1) await tenSeconds();
    await list.button("Retry").hidden();
    for (let n = 0; n < 2; n += 1) await tenSeconds();
    await list.button("Retry").shown();
    for (let n = 0; n < 3; n += 1) await tenSeconds();
    expect(asked()).toBe(1);
    await list.button("Retry").click();
    await eventually("the request of the user", () => asked() === 2);
    await context.close();
  });

  test("is asked for once more if the page was without a connection meanwhile", async () => {
    const { context, page, asked, tenSeconds, loseConnection } = await waitingFor("**/interventii?*");
    const list = await page.open("interventions");
    await eventually("the request for the list", () => asked() === 1);
    await loseConnection();
    for (let n = 0; n < 4; n += 1) await tenSeconds();
    expect(asked()).toBe(1);
    for (let n = 0; n < 4; n += 1) await tenSeconds();
    await eventually("the second request", () => asked() === 2);
    for (let n = 0; n < 9; n += 1) await tenSeconds();
    await list.button("Retry").shown();
    expect(asked()).toBe(2);
    await context.close();
  });

  test("is not what else a screen reads: that is asked for again by itself", async () => {
    const { context, page, asked, tenSeconds } = await waitingFor("**/site/plans");
    await page.open("plan");
    await eventually("the first request", () => asked() === 1);
    for (let n = 0; n < 3; n += 1) await tenSeconds();
    await eventually("another request", () => asked() > 1);
    await context.close();
  });
});
