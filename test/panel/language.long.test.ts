import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the language of the panel", () => {
  const site = PanelSite.running();

  test("stays the one that was chosen while the texts of the former one were on their way", async () => {
    const page = await site.signedOutPage(await site.context({ locale: "ro-RO" }));
    const romanian = await page.holdResponses("**/assets/ro-texts*.js");
    await page.openFirst();
    await page.screen("sign-in").heading("Autentificare").shown();
    await signIn(page);
    await page.menu.link("Zone").shown();
    await romanian.held();
    await page.userMenu();
    await page.banner.button("EN").click();
    await page.menu.link("Zones").shown();
    romanian.release();
    // Its screen is drawn once these texts have arrived too.
    const zones = await page.open("zones");
    await zones.heading("Zones").shown();
    expect(await page.evaluate<string>("document.documentElement.lang")).toBe("en");
    await page.menu.link("Log").shown();
    await page.close();
  });
});
