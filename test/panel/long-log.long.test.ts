import { beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite } from "../support/panel-site.ts";

/** Two entries each: more than an open log keeps. */
const BYPASSES = 560;
/** What an open log keeps when something happens. */
const KEPT_MAX = 1_000;
const PAGE_SIZE = 100;
/** The bypasses take most of it, on a busy machine. */
const TIMEOUT_MS = 240_000;

describeWithBrowser("an event log that is open for weeks", () => {
  const site = PanelSite.running();
  beforeAll(async () => {
    for (let n = 0; n < BYPASSES; n += 1) await site.bypassBriefly("front-door");
  }, TIMEOUT_MS);

  test(
    "keeps a thousand entries, and begins with the newest page again beyond that",
    async () => {
      const page = await site.page("events");
      const log = page.screen("events");
      const shown = (): Promise<number> => log.evaluate("part.querySelectorAll('.log > li').length");
      const readTo = async (least: number): Promise<void> => {
        while ((await shown()) < least) {
          const before = await shown();
          await log.button("Older entries").click();
          await eventually("older entries", async () => (await shown()) > before);
        }
      };
      await log.button("Older entries").shown();
      await readTo(KEPT_MAX - PAGE_SIZE);
      const kept = await shown();
      await page.evaluate("scrollTo(0, 0)");
      await site.bypassBriefly("smoke");
      await eventually("two more", async () => (await shown()) === kept + 2);

      await readTo(KEPT_MAX + 10);
      await page.evaluate("scrollTo(0, 0)");
      await site.bypassBriefly("hall");
      await eventually("the newest page", async () => (await shown()) <= PAGE_SIZE + 10);
      expect(await log.words()).toContain("PIR hol");
      await page.close();
    },
    TIMEOUT_MS,
  );
});
