import { afterEach, beforeEach, test } from "vitest";
import { describeWithBrowser, PANEL_HOST, startBrowser, type Browser } from "../support/browser.ts";
import { BUILT_PANEL } from "../support/built-program.ts";
import { PASSWORD, PEOPLE, TestApp, TESTER } from "../support/app.ts";
import { PanelPage } from "../support/panel-page.ts";
import { signIn } from "../support/panel-site.ts";

describeWithBrowser("a session in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: PanelPage;

  beforeEach(async () => {
    site = await TestApp.make({ hosts: [PANEL_HOST], panel: { folder: BUILT_PANEL, locale: "en" } });
    browser = await startBrowser();
    const context = await browser.newContext({ locale: "en-GB" });
    page = await PanelPage.in(context, `http://${PANEL_HOST}:${await site.listen()}/`);
    await page.openFirst();
  });
  afterEach(async () => {
    await browser.close();
    await site.close();
  });

  test("begins with a password of one's own where the program made the first one", async () => {
    const given = "made by the program";
    const email = "first@test.example";
    const account = { email, role: "administrator", password: given } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    await signIn(page, given, email);
    const form = page.screen("first-password");
    await form.heading("Set your own password").shown();
    await page.menu.gone();
    await form.field("Password you were given").fill(given);
    await form.field("New password").fill(PASSWORD);
    await form.field("New password, again").fill(`${PASSWORD}!`);
    await form.button("Set password").click();
    await form.text("The two new passwords are not the same.").shown();
    await form.field("New password, again").fill(PASSWORD);
    await form.button("Set password").click();
    await page.screen("status").heading("Status").shown();
  });

  test("ends with its token; the page stays, asks for the password, and goes on", async () => {
    await signIn(page, PASSWORD, PEOPLE.operator);
    await page.follow("Zones");
    const zones = page.screen("zones");
    // The stream has to be there before its token ends.
    await page.banner.badge("live").shown();
    await zones.field("Search").fill("half a word");
    site.clock.advance(3_601_000);
    const dialog = page.dialog("Your session has ended");
    await dialog.field("Password").fill("wrong horse battery staple");
    await page.press("Enter");
    await dialog.text(/email or password is wrong/).shown();
    await dialog.field("Password").fill(PASSWORD);
    await page.press("Enter");
    await dialog.gone();
    await page.banner.badge("live").shown();
    await zones.field("Search").holds("half a word");
  });

  test("outlives a reload, and not a sign-out", async () => {
    await signIn(page, PASSWORD, PEOPLE.viewer);
    await page.screen("status").heading("Status").shown();
    await page.reload();
    await page.screen("status").heading("Status").shown();
    await page.banner.button("Sign out").click();
    await page.screen("sign-in").heading("Sign in").shown();
    await page.reload();
    await page.screen("sign-in").heading("Sign in").shown();
  });
});
