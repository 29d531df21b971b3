import { afterEach, beforeEach, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { PANEL_FOLDER } from "../../src/http/panel.ts";
import { describeWithBrowser, PANEL_HOST, startBrowser } from "../support/browser.ts";
import { PASSWORD, PEOPLE, TestApp, TESTER } from "../support/app.ts";

describeWithBrowser("a session in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: Page;

  beforeEach(async () => {
    site = await TestApp.make({ hosts: [PANEL_HOST], panel: { folder: PANEL_FOLDER, locale: "en" } });
    browser = await startBrowser();
    page = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await page.goto(`http://${PANEL_HOST}:${await site.listen()}/`);
  });
  afterEach(async () => {
    await browser.close();
    await site.close();
  });

  async function signIn(email: string, password: string): Promise<void> {
    await page.getByLabel("E-mail address").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  test("begins with a password of one's own where the program made the first one", async () => {
    const given = "made by the program";
    const email = "first@test.example";
    const account = { email, role: "administrator", password: given } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    await signIn(email, given);
    await page.getByRole("heading", { name: "Set your own password" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    await page.getByLabel("Password you were given").fill(given);
    await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password, again").fill(`${PASSWORD}!`);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("The two new passwords are not the same.").waitFor();
    await page.getByLabel("New password, again").fill(PASSWORD);
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("heading", { name: "Status" }).waitFor();
  });

  test("ends with its token; the page stays, asks for the password, and goes on", async () => {
    await signIn(PEOPLE.operator, PASSWORD);
    await page.getByRole("link", { name: "Zones" }).click();
    const search = page.getByRole("searchbox", { name: "Search" });
    await search.fill("half a word");
    site.clock.advance(3_601_000);
    const dialog = page.getByRole("dialog", { name: "Your session has ended" });
    await dialog.getByLabel("Password").fill("wrong horse battery staple");
    await page.keyboard.press("Enter");
    await dialog.getByText("email or password is wrong").waitFor();
    await dialog.getByLabel("Password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("banner").getByText("live").waitFor();
    expect(await search.inputValue()).toBe("half a word");
  });

  test("outlives a reload, and not a sign-out", async () => {
    await signIn(PEOPLE.viewer, PASSWORD);
    await page.getByRole("heading", { name: "Status" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Status" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });
});
