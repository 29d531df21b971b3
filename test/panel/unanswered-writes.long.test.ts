import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("an action whose response never comes", () => {
  const site = PanelSite.running();

  test("ends once the page is connected again, reports it, and can be repeated", async () => {
    await site.control.post("/site/walk-test", { minutes: 30 });
    const context = await site.context();
    await context.clock.install();
    const page = await site.page("walk-test", context);
    const walk = page.screen("walk-test");
    const extend = walk.button("+15 min");
    await extend.shown();
    for (const [language, text] of [
      ["EN", "No response. Check whether it was done."],
      ["RO", "Niciun răspuns. Verificați dacă s-a executat."],
    ] as const) {
      await page.speak(language);
      await page.holdRequests("**/site/walk-test");
      await extend.click();
      await walk.markup("button:disabled").shown();
      await context.clock.fastForward(20_000);
      await page.notice.text(text).shown();
      await walk.without(walk.markup("button:disabled"));
    }
    expect(site.pageErrors).toEqual([]);
    await context.close();
  });
});
