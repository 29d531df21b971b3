import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the start of the panel", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("asks for the account and the texts while its scripts are still on their way, and only once", async () => {
    const page = await site.page();
    await page.screen("status").complete();
    const scripts = await page.holdResponses("**/assets/index-*.js");
    const texts = await page.holdResponses("**/assets/en-*.js");
    const account = await page.holdResponses("**/site/account");
    const reloaded = page.reload();
    await scripts.held();
    await texts.held();
    await account.held();
    for (const one of [scripts, texts, account]) one.release();
    await reloaded;
    await page.screen("status").complete();
    await page.banner.badge("live").shown();
    expect(account.count()).toBe(1);
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  test("does not use what it asked for with a token that has ended", async () => {
    const page = await site.page();
    await page.screen("status").complete();
    await page.evaluate("sessionStorage.setItem('santinela.token', 'an ended one')");
    await page.reload();
    await signIn(page);
    await page.screen("status").complete();
    await page.banner.badge("live").shown();
    await page.close();
  });
});
