import { afterEach, beforeEach, expect, test } from "vitest";
import { INITIAL_ADMIN_EMAIL } from "../../src/domain/principal.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { describeWithBrowser, PANEL_HOST, startBrowser, type Browser } from "../support/browser.ts";
import { BUILT_PANEL } from "../support/built-program.ts";
import { NO_SITE, PASSWORD, TestApp, TESTER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PanelPage } from "../support/panel-page.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const CODE = "abcde-fghjk-mnpqr-stuvw";
/** Two screens in eight variants, on a busy machine. */
const SCREENS_TIMEOUT_MS = 120_000;

describeWithBrowser("a new installation in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: PanelPage;

  beforeEach(() => start());
  afterEach(stop);

  async function start(daemon: StatusView = NO_SITE.status()): Promise<void> {
    const panel = { folder: BUILT_PANEL, locale: "en" };
    const status = () => daemon;
    site = await TestApp.make({ hosts: [PANEL_HOST], panel, site: { ...NO_SITE, status } });
    const account = { email: INITIAL_ADMIN_EMAIL, role: "administrator", password: CODE } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    browser = await startBrowser();
    const context = await browser.newContext({ locale: "en-GB" });
    page = await PanelPage.in(context, `http://${PANEL_HOST}:${await site.listen()}/`);
    await page.openFirst();
  }

  async function stop(): Promise<void> {
    await browser.close();
    await site.close();
  }

  async function createAdministrator(next = page.screen("setup").heading("Set-up")): Promise<void> {
    const form = page.screen("first-start");
    await form.field("One-time code").fill(CODE);
    await form.field("E-mail address").fill("ana@example.ro");
    await form.field("New password").fill(PASSWORD);
    await form.field("Repeat new password").fill(PASSWORD);
    await page.press("Enter");
    await next.shown();
  }

  test("is claimed with the code and guides to a configuration and a walk test", async () => {
    await page.screen("first-start").heading("Set up this installation").shown();
    await page.screen("first-start").heading("Open the panel on a phone").shown();
    await page
      .screen("first-start")
      .text(/^http:\/\/panel\.test:\d+\/$/)
      .shown();
    await page.menu.gone();
    await createAdministrator();
    const guide = page.screen("setup");
    await guide.heading("This site").click();
    await guide.text("Create a configuration").click();
    await guide.field("Site name").fill("Hala Nord");
    await guide.field("Zone name").fill("Ușa principală");
    await guide.text(/ref: "hala-nord"/).shown();
    const saved = await page.downloaded(() => guide.button("Download configuration").click());
    expect(saved.suggestedFilename()).toBe("santinela.yaml");
    await guide.heading("Walk test").click();
    await guide.link("Go to Walk test").click();
    await page.screen("walk-test").heading("Walk test").shown();
  });

  test("takes the code as it is typed: a phone corrects and capitalises nothing", async () => {
    const code = page.screen("first-start").field("One-time code");
    const names = ["autocapitalize", "autocorrect", "spellcheck"];
    const values = await Promise.all(names.map((name) => code.attribute(name)));
    expect(values).toEqual(["none", "off", "false"]);
  });

  test("says at the field of a configuration what it accepts, in the language of the user", async () => {
    await createAdministrator();
    const guide = page.screen("setup");
    await guide.heading("This site").click();
    await guide.text("Create a configuration").click();
    const reference = guide.input("site-ref");
    expect(await reference.attribute("aria-invalid")).toBeNull();
    await reference.fill("Hala Nord!");
    await guide.text("At most 32 of A–Z, a–z, 0–9, -, _ and ., beginning with a letter or digit.").shown();
    expect(await reference.attribute("aria-invalid")).toBe("true");
    await page.speak("RO");
    await guide.text(/^Cel mult 32 de caractere: A–Z, .* primul fiind o literă sau o cifră\.$/).shown();
    await page.speak("EN");
    // What is entered since is not judged yet.
    const judge = await page.holdRequests("**/site/setup/draft");
    await reference.fill("hala-nord");
    await eventually("no error", async () => (await reference.attribute("aria-invalid")) === null);
    judge();
    await guide.input("objective-id").fill("1234567890");
    await guide.text("A number from 1, of at most 9 digits.").shown();
    await page.speak("RO");
    await guide.text("Un număr începând de la 1, de cel mult 9 cifre.").shown();
    await page.speak("EN");
  });

  test("does not call the objectives done while they cannot be counted", async () => {
    const failing = await page.failRequests("**/obiective/bunuri?*");
    await createAdministrator();
    const objectives = page.screen("setup").listItem(/^Objectives/);
    await failing.failed();
    await objectives.badge("unknown").shown();
    await objectives.heading("Objectives").click();
    await objectives.button("Retry").shown();
    await failing.stop();
    await objectives.badge("unknown").gone();
  });

  test("waits for the daemon instead of asking who signs in", async () => {
    const starting = await page.failRequests("**/site/setup");
    await page.reload();
    await page.screen("starting").button("Retry").shown();
    await starting.stop();
    await page.screen("first-start").heading("Set up this installation").shown();
  });

  test("leads to Home at a dispatch centre, which has no set-up", async () => {
    await stop();
    const { headline, ...rest } = NO_SITE.status();
    const reasons = [{ code: "no-sites", level: "attention", count: 1, items: [] }] as const;
    await start({ ...rest, role: "centre", headline: { ...headline, reasons } });
    await createAdministrator(page.screen("status").heading("No site is enrolled yet"));
    await page.menu.link("Sites").shown();
    await page.speak("RO");
    await page.screen("status").heading("Încă nicio locație înrolată").shown();
    await page.speak("EN");
  });

  test("names every place of the one-time code, also those of a Raspberry Pi without a terminal", async () => {
    const first = page.screen("first-start");
    await first
      .text(/journalctl -u santinela.*on a Raspberry Pi.*screen.*santinela-code\.txt on its card/)
      .shown();
    await page.speak("RO");
    await first.text(/pe un Raspberry Pi.*ecran.*santinela-code\.txt de pe card/).shown();
    await page.speak("EN");
  });

  test("does not deny an account that was added at the command line, and signs it in", async () => {
    await site.accounts.add({ email: "ion@example.ro", role: "operator", password: PASSWORD }, TESTER);
    await page.reload();
    const first = page.screen("first-start");
    await first.text(/one-time code of this installation has not been used yet.*sign in below/).shown();
    expect(await first.words()).not.toMatch(/no account|not? .*account exists/i);
    await page.speak("RO");
    await first.button("Autentificare cu un cont existent").shown();
    expect(await first.words()).not.toMatch(/niciun cont/i);
    await page.speak("EN");
    await first.button("Sign in with an existing account").click();
    const form = page.screen("sign-in");
    await form.field("E-mail address").fill("ion@example.ro");
    await form.field("Password").fill(PASSWORD);
    await page.press("Enter");
    await page.menu.shown();
  });

  test("offers the sign-in for an existing account", async () => {
    await page.screen("first-start").button("Sign in with an existing account").click();
    await page.screen("sign-in").heading("Sign in").shown();
  });

  test(
    "is accessible and not clipped in each language, colour scheme and width",
    async () => {
      const code = page.screen("first-start").input("code");
      expect(await violationsInAllThemes(page, () => code.shown())).toEqual([]);
      await createAdministrator();
      const guide = page.screen("setup");
      await guide.markup("li:nth-child(3) > details > summary").click();
      await guide.markup("details details > summary").click();
      await guide.input("site-name").fill("Hala Nord");
      await guide.input("centre").choose("yes");
      await guide.input("zone-name").fill("Ușa principală");
      await guide.input("centre-url").fill("https://dispecerat.example.ro");
      await guide.input("centre-email").fill("hala-nord@example.ro");
      expect(await violationsInAllThemes(page, () => guide.markup("pre").shown())).toEqual([]);
    },
    SCREENS_TIMEOUT_MS,
  );
});
