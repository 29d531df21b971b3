import { afterEach, beforeEach, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { FIRST_ADMINISTRATOR } from "../../src/domain/principal.ts";
import { PANEL_FOLDER } from "../../src/http/panel.ts";
import { SiteSetup } from "../../src/site/site-setup.ts";
import { describeWithBrowser, PANEL_HOST, startBrowser } from "../support/browser.ts";
import { PASSWORD, TestApp, TESTER } from "../support/app.ts";
import { faultsInEveryLook } from "../support/screens.ts";

const CODE = "abcde-fghjk-mnpqr-stuvw";
/** Eight looks at two screens, on a machine that does other things too. */
const LOOK_LIMIT_MS = 120_000;

describeWithBrowser("a new installation in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: Page;

  beforeEach(async () => {
    const setup = new SiteSetup({ file: null, dataDir: "/var/lib/santinela" }, { env: {}, cwd: "/" });
    const panel = { folder: PANEL_FOLDER, locale: "en" };
    site = await TestApp.make({ hosts: [PANEL_HOST], panel, setup });
    const account = { email: FIRST_ADMINISTRATOR, role: "administrator", password: CODE } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    browser = await startBrowser();
    page = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await page.goto(`http://${PANEL_HOST}:${await site.listen()}/`);
  });
  afterEach(async () => {
    await browser.close();
    await site.close();
  });

  async function becomeAdministrator(): Promise<void> {
    await page.getByLabel("One-time code").fill(CODE);
    await page.getByLabel("Your e-mail address").fill("ana@example.ro");
    await page.getByLabel("New password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("New password, again").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Set-up" }).waitFor();
  }

  test("belongs to whoever has the code, who is then led on to a configuration and a walk test", async () => {
    await page.getByRole("heading", { name: "Set up this installation" }).waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    await becomeAdministrator();
    await page.getByText("Make a configuration of your own").click();
    await page.getByLabel("Name of the site").fill("Hala Nord");
    await page.getByLabel("Name of the zone").fill("Ușa principală");
    await page.getByText('ref: "hala-nord"').waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the configuration" }).click();
    expect((await saving).suggestedFilename()).toBe("santinela.yaml");
    await page.getByRole("link", { name: "Walk test" }).last().click();
    await page.getByRole("heading", { name: "Walk test" }).waitFor();
  });

  test("leaves the door to somebody who has an account already", async () => {
    await page.getByRole("button", { name: "I have an account" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  test(
    "can be set up by everybody, in each language, colour and width",
    async () => {
      const code = page.locator("input[name=code]");
      expect(await faultsInEveryLook(page, () => code.waitFor())).toEqual([]);
      await becomeAdministrator();
      await page.locator("summary").click();
      await page.locator("input[name=site-name]").fill("Hala Nord");
      await page.locator("select[name=centre]").selectOption("yes");
      await page.locator("input[name=zone-name]").fill("Ușa principală");
      await page.locator("input[name=centre-url]").fill("https://dispecerat.example.ro");
      await page.locator("input[name=centre-email]").fill("hala-nord@example.ro");
      expect(await faultsInEveryLook(page, () => page.locator("pre").waitFor())).toEqual([]);
    },
    LOOK_LIMIT_MS,
  );
});
