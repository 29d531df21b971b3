import { afterEach, beforeEach, expect, test } from "vitest";
import { INITIAL_ADMIN_EMAIL } from "../../src/domain/principal.ts";
import { SiteSetup } from "../../src/site/site-setup.ts";
import { describeWithBrowser, PANEL_HOST, startBrowser, type Browser } from "../support/browser.ts";
import { BUILT_PANEL } from "../support/built-program.ts";
import { PASSWORD, TestApp, TESTER } from "../support/app.ts";
import { PanelPage } from "../support/panel-page.ts";
import { faultsInEveryLook } from "../support/screens.ts";

const CODE = "abcde-fghjk-mnpqr-stuvw";
/** Eight looks at two screens, on a machine that does other things too. */
const LOOK_LIMIT_MS = 120_000;

describeWithBrowser("a new installation in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: PanelPage;

  beforeEach(async () => {
    const setup = new SiteSetup({ file: null, dataDir: "/var/lib/santinela" }, { env: {}, cwd: "/" });
    const panel = { folder: BUILT_PANEL, locale: "en" };
    site = await TestApp.make({ hosts: [PANEL_HOST], panel, setup });
    const account = { email: INITIAL_ADMIN_EMAIL, role: "administrator", password: CODE } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    browser = await startBrowser();
    const context = await browser.newContext({ locale: "en-GB" });
    page = await PanelPage.in(context, `http://${PANEL_HOST}:${await site.listen()}/`);
    await page.openFirst();
  });
  afterEach(async () => {
    await browser.close();
    await site.close();
  });

  async function becomeAdministrator(): Promise<void> {
    const form = page.screen("first-start");
    await form.field("One-time code").fill(CODE);
    await form.field("Your e-mail address").fill("ana@example.ro");
    await form.field("New password").fill(PASSWORD);
    await form.field("New password, again").fill(PASSWORD);
    await page.press("Enter");
    await page.screen("setup").heading("Set-up").shown();
  }

  test("belongs to whoever has the code, who is then led on to a configuration and a walk test", async () => {
    await page.screen("first-start").heading("Set up this installation").shown();
    await page.menu.gone();
    await becomeAdministrator();
    const guide = page.screen("setup");
    await guide.text("Make a configuration of your own").click();
    await guide.field("Name of the site").fill("Hala Nord");
    await guide.field("Name of the zone").fill("Ușa principală");
    await guide.text(/ref: "hala-nord"/).shown();
    const saved = await page.downloaded(() => guide.button("Download the configuration").click());
    expect(saved.suggestedFilename()).toBe("santinela.yaml");
    await guide.link("Go to: Walk test").click();
    await page.screen("walk-test").heading("Walk test").shown();
  });

  test("leaves the door to somebody who has an account already", async () => {
    await page.screen("first-start").button("I have an account").click();
    await page.screen("sign-in").heading("Sign in").shown();
  });

  test(
    "can be set up by everybody, in each language, colour and width",
    async () => {
      const code = page.screen("first-start").input("code");
      expect(await faultsInEveryLook(page, () => code.shown())).toEqual([]);
      await becomeAdministrator();
      const guide = page.screen("setup");
      await guide.markup("summary").click();
      await guide.input("site-name").fill("Hala Nord");
      await guide.input("centre").choose("yes");
      await guide.input("zone-name").fill("Ușa principală");
      await guide.input("centre-url").fill("https://dispecerat.example.ro");
      await guide.input("centre-email").fill("hala-nord@example.ro");
      expect(await faultsInEveryLook(page, () => guide.markup("pre").shown())).toEqual([]);
    },
    LOOK_LIMIT_MS,
  );
});
