import { test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("a page on a bad link", () => {
  const site = PanelSite.running();

  test.each([
    ["script", "**/assets/index-*.js"],
    ["texts", "**/assets/en-*.js"],
  ])("whose %s never arrive reports it in both languages, and can be reloaded", async (_what, path) => {
    const context = await site.context();
    await context.route(path, (route) => route.abort());
    const page = await site.signedOutPage(context);
    await page.openFirst();
    await page.notLoaded.text("The page has not loaded.").hidden();
    // It waits for a slow link.
    await page.evaluate("document.getAnimations().forEach((one) => one.finish())");
    await page.notLoaded.text("Pagina nu s-a încărcat.").shown();
    await page.notLoaded.text("The page has not loaded.").shown();
    await context.unroute(path);
    await page.notLoaded.link("Reîncărcare (Reload)").click();
    await page.screen("sign-in").heading("Sign in").shown();
    await page.notLoaded.gone();
    await context.close();
  });
});
