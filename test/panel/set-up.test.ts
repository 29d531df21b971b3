import { afterEach, beforeEach, expect, test } from "vitest";
import type { Browser, Page } from "playwright-core";
import { FIRST_ADMINISTRATOR } from "../../src/domain/principal.ts";
import { PANEL_FOLDER } from "../../src/http/panel.ts";
import { SiteSetup } from "../../src/site/site-setup.ts";
import { describeWithBrowser, PANEL_HOST, startBrowser } from "../support/browser.ts";
import { PASSWORD, TestApp, TESTER } from "../support/app.ts";
import { accessibilityFaults, clippedParts } from "../support/screens.ts";

const CODE = "abcde-fghjk-mnpqr-stuvw";
const LOOKS = (["light", "dark"] as const).flatMap((colorScheme) =>
  [360, 1100].flatMap((width) => ["RO", "EN"].map((language) => ({ colorScheme, width, language }))),
);
/** Eight looks at two screens, on a machine that does other things too. */
const LOOK_LIMIT_MS = 120_000;

describeWithBrowser("a new installation in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: Page;
  let address = "";

  beforeEach(async () => {
    const setup = new SiteSetup({ file: null, dataDir: "/var/lib/santinela" }, { env: {}, cwd: "/" });
    const panel = { folder: PANEL_FOLDER, locale: "en" };
    site = await TestApp.make({ hosts: [PANEL_HOST], panel, setup });
    const account = { email: FIRST_ADMINISTRATOR, role: "administrator", password: CODE } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    browser = await startBrowser();
    address = `http://${PANEL_HOST}:${await site.listen()}/`;
    page = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await page.goto(address);
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
      const faults: string[] = [];
      const pages = await Promise.all(
        LOOKS.map(async (look) => {
          const { width, colorScheme } = look;
          const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
          return { ...look, page: await context.newPage() };
        }),
      );
      const see = async (screen: string): Promise<void> => {
        for (const { page: seen, language, colorScheme, width } of pages)
          for (const fault of [...(await accessibilityFaults(seen)), ...(await clippedParts(seen))])
            faults.push(`${screen} ${language} ${colorScheme} ${width}: ${fault}`);
      };
      for (const { page: seen, language } of pages) {
        await seen.goto(address);
        await seen.getByRole("button", { name: language, exact: true }).click();
        await seen.locator("input[name=code]").waitFor();
      }
      await see("set-up");
      await becomeAdministrator();
      const token = await page.evaluate("sessionStorage.getItem('santinela.token')");
      for (const { page: seen } of pages) {
        await seen.evaluate(`sessionStorage.setItem('santinela.token', ${JSON.stringify(token)})`);
        await seen.goto(`${address}#/setup`);
        await seen.reload();
        await seen.locator("summary").click();
        await seen.locator("input[name=site-name]").fill("Hala Nord");
        await seen.locator("select[name=centre]").selectOption("yes");
        await seen.locator("input[name=zone-name]").fill("Ușa principală");
        await seen.locator("input[name=centre-url]").fill("https://dispecerat.example.ro");
        await seen.locator("input[name=centre-email]").fill("hala-nord@example.ro");
        await seen.locator("pre").waitFor();
      }
      await see("guide");
      expect(faults).toEqual([]);
    },
    LOOK_LIMIT_MS,
  );
});
