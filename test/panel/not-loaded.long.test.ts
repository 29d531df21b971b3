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

  test("shows the API in English, marked as English, if only its Romanian texts do not arrive", async () => {
    const context = await site.context();
    await context.route("**/assets/ro-api-*.js", (route) => route.abort());
    const page = await site.page("status", context);
    await page.speak("RO");
    const api = await page.open("api");
    await api.heading("/interventii").click();
    await api.text("POST /interventii").click();
    await api.text("Create an intervention").and(api.markup("[lang=en]")).shown();
    await api.text("The created intervention").and(api.markup("[lang=en]")).shown();
    await context.close();
  });
});
