import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser, startBrowser, type Browser } from "../support/browser.ts";
import { FirstBoot } from "../support/first-boot.ts";
import { PanelPage } from "../support/panel-page.ts";

const PASSWORD = "hala nord 2026 toamna";
/** Three changes, each on trial for three seconds, on a busy machine. */
const SCENARIO_TIMEOUT_MS = 120_000;

describeWithBrowser("the name of a new site", () => {
  const pi = new FirstBoot();
  let browser: Browser;
  let page: PanelPage;
  beforeAll(async () => {
    await pi.start();
    browser = await startBrowser();
    const context = await browser.newContext({ locale: "en-GB", ignoreHTTPSErrors: true });
    page = await PanelPage.in(context, pi.scannedAddress());
  });
  afterAll(async () => {
    await browser?.close();
    await pi.stop();
  });

  test(
    "is asked in the set-up, and changed in the settings",
    async () => {
      await page.openFirst();
      const first = page.screen("first-start");
      await first.field("E-mail address").fill("ana@example.ro");
      await first.field("New password").fill(PASSWORD);
      await first.field("Repeat new password").fill(PASSWORD);
      await first.button("Create administrator account").click();
      await page.banner.text("New site").shown();

      const guide = page.screen("setup");
      const asked = guide.region("What is this site called?");
      await asked.field("Site name").fill("Hala Nord");
      await asked.button("Review the change").click();
      const review = page.screen("zones/review");
      await review.text("The configuration is valid").shown();
      // The password of the account that has just been created is not asked for again.
      await review.without(review.field("Your password"));
      await review.text("+  name: Hala Nord").shown();
      await review.text(/^From line \d+$/).shown();
      await review.button("Save").click();
      await page.banner.text("Hala Nord").shown();
      await guide.without(asked);

      await page.follow("Settings");
      const settings = page.screen("settings");
      await settings.heading("This site").click();
      await settings.field("Site name").holds("Hala Nord");
      await settings.field("Site name").fill("Hala: Sud");
      await settings.input("site-timezone").choose("Europe/Chisinau");
      await settings.button("Review the change").click();
      await review.text("Takes effect after a restart: site.timezone").shown();
      await review.button("Save").click();
      await page.banner.text("Hala: Sud").shown();
      await page.notice.text("Takes effect after a restart: site.timezone").shown();
      const written = readFileSync(pi.configFile, "utf8");
      expect(written).toContain('\n  name: "Hala: Sud"\n  ref: new-site # short and unique;');
      expect(written).toContain("\n  timezone: Europe/Chisinau\n");
    },
    SCENARIO_TIMEOUT_MS,
  );
});
