import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the start of the panel", () => {
  const site = PanelSite.running();

  test("asks for the account and the texts before any of its files has arrived, and only once", async () => {
    const page = await site.page();
    await page.screen("status").complete();
    const files = await page.holdResponses("**/assets/**");
    const texts = await page.holdResponses("**/assets/en-*.js");
    const account = await page.holdResponses("**/site/account");
    const reloaded = page.reload();
    await files.held();
    await texts.held();
    await account.held();
    for (const one of [files, texts, account]) one.release();
    await reloaded;
    await page.screen("status").complete();
    await page.banner.badge("live").shown();
    expect(account.count()).toBe(1);
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  test("has the colours of the chosen theme before any of its scripts has arrived", async () => {
    const page = await site.page("status");
    const background = (): Promise<string> =>
      page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    const light = await background();
    await page.userMenu();
    await page.banner.button("Dark").click();
    await eventually("the dark theme", async () => (await background()) !== light);
    const dark = await background();
    const scripts = await page.holdResponses("**/assets/*.js");
    const reloaded = page.reload();
    await scripts.held();
    await eventually("the dark page", async () => (await background()) === dark);
    scripts.release();
    await reloaded;
    await page.screen("status").complete();
    await page.close();
  });

  test("asks without a session whether there is an account yet before any of its files has arrived", async () => {
    const page = await site.page();
    await page.screen("status").complete();
    await page.evaluate("sessionStorage.clear()");
    const files = await page.holdResponses("**/assets/**");
    const setup = await page.holdResponses("**/site/setup");
    const reloaded = page.reload();
    await setup.held();
    for (const one of [files, setup]) one.release();
    await reloaded;
    await signIn(page);
    await page.screen("status").complete();
    expect(setup.count()).toBe(1);
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });

  test("is drawn although the daemon does not say who has signed in", async () => {
    const page = await site.page();
    await page.screen("status").complete();
    const account = await page.holdResponses("**/site/account");
    const reloaded = page.reload();
    await page.screen("starting").markup(".quiet").shown();
    account.release();
    await reloaded;
    await page.screen("status").complete();
    await page.close();
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
