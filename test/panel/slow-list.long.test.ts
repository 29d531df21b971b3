import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("a list that takes long, as that of a large centre", () => {
  const site = PanelSite.running();

  test("is awaited as long as the daemon may read it, and then asked for again only by the user", async () => {
    const context = await site.context();
    await context.clock.install();
    // Without a stream, so that the clock can be moved on.
    await context.route("**/site/events", (route) => route.fulfill({ status: 429, body: "{}" }));
    let polls = 0;
    context.on("request", (request) => {
      if (request.url().endsWith("/site/status")) polls += 1;
    });
    let asked = 0;
    await context.route("**/interventii?*", () => {
      asked += 1;
    });
    const tenSeconds = async (): Promise<void> => {
      const before = polls;
      await context.clock.fastForward(10_000);
      await eventually("a poll", () => polls > before);
    };
    const page = await site.page("status", context);
    await page.banner.badge("every 3 s").shown();
    const list = await page.open("interventions");
    await eventually("the request for the list", () => asked === 1);
    for (let n = 0; n < 4; n += 1) await tenSeconds();
    expect(await list.button("Retry").isShown()).toBe(false);
    for (let n = 0; n < 2; n += 1) await tenSeconds();
    await list.button("Retry").shown();
    for (let n = 0; n < 3; n += 1) await tenSeconds();
    expect(asked).toBe(1);
    await list.button("Retry").click();
    await eventually("the request of the user", () => asked === 2);
    await context.close();
  });
});
