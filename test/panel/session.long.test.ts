import { afterEach, beforeEach, expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST, startBrowser, type Browser } from "../support/browser.ts";
import { BUILT_PANEL } from "../support/built-program.ts";
import { NO_SITE, PASSWORD, TEST_ACCOUNTS, TestApp, TESTER } from "../support/app.ts";
import { eventually } from "../support/eventually.ts";
import { PanelPage } from "../support/panel-page.ts";
import { signIn } from "../support/panel-site.ts";

describeWithBrowser("a session in the panel", () => {
  let site: TestApp;
  let browser: Browser;
  let page: PanelPage;

  beforeEach(async () => {
    // The log has older pages, without end.
    const timeline = { ...NO_SITE.timeline, page: () => ({ entries: [], next: { event: 9, trip: 9 } }) };
    site = await TestApp.forTest({
      hosts: [PANEL_HOST],
      panel: { folder: BUILT_PANEL, locale: "en" },
      site: { ...NO_SITE, timeline },
    });
    browser = await startBrowser();
    const context = await browser.newContext({ locale: "en-GB" });
    page = await PanelPage.in(context, `http://${PANEL_HOST}:${await site.listen()}/`);
    await page.openFirst();
  });
  afterEach(() => browser.close());

  test("begins with a new password after a generated one", async () => {
    const initial = "made by the program";
    const email = "first@test.example";
    const account = { email, role: "administrator", password: initial } as const;
    await site.accounts.add(account, TESTER, { mustChangePassword: true });
    await signIn(page, initial, email);
    const form = page.screen("first-password");
    await form.heading("Set a new password").shown();
    await page.menu.gone();
    await form.field("Initial password").fill(initial);
    await form.field("New password").fill(PASSWORD);
    await form.field("Repeat new password").fill(`${PASSWORD}!`);
    await form.button("Set password").click();
    await form.text("The new passwords do not match.").shown();
    await form.field("Repeat new password").fill(PASSWORD);
    await form.button("Set password").click();
    await page.screen("status").heading("No zones yet").shown();
  });

  test("goes on after its user has changed the password in the menu", async () => {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.operator);
    await page.banner.badge("live").shown();
    await page.userMenu();
    await page.banner.button("Change password").click();
    const dialog = page.dialog("Change password");
    await dialog.field("Your current password").fill("a wrong one");
    await dialog.field("New password").fill(NEW_PASSWORD);
    await dialog.field("Repeat new password").fill(NEW_PASSWORD);
    await dialog.button("Change password").click();
    await dialog.text("your current password is incorrect").shown();
    await dialog.field("Your current password").fill(PASSWORD);
    await dialog.button("Change password").click();
    await dialog.gone();
    await page.notice.text("Password changed").shown();
    await page.follow("Objectives");
    await page.screen("objectives").complete();
    await page.dialog("Session expired").gone();
    await page.reload();
    await page.signOut();
    await page.screen("sign-in").complete();
    expect(await page.screen("sign-in").field("E-mail address").hasFocus()).toBe(true);
    await signIn(page, NEW_PASSWORD, TEST_ACCOUNTS.operator);
    await page.banner.badge("live").shown();
  });

  test("expires with its token; the page stays and continues after the password", async () => {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.operator);
    await page.follow("Objectives");
    const objectives = page.screen("objectives");
    // The stream must be open before its token expires.
    await page.banner.badge("live").shown();
    await objectives.field("Search").fill("half a word");
    site.clock.advance(3_601_000);
    const dialog = page.dialog("Session expired");
    await dialog.shown();
    expect(await page.evaluate("document.title")).toMatch(/^Session expired · /);
    await dialog.field("Password").fill("wrong horse battery staple");
    await page.press("Enter");
    await dialog.text(/email or password is wrong/).shown();
    // The browser lets a page refuse the first Escape alone.
    for (let count = 0; count < 3; count += 1) await page.press("Escape");
    await dialog.field("Password").fill(PASSWORD);
    await page.press("Enter");
    await dialog.gone();
    await page.banner.badge("live").shown();
    await objectives.field("Search").holds("half a word");
  });

  test("is not called live while it waits for the password: what the page shows may be over", async () => {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.operator);
    await page.banner.badge("live").shown();
    site.clock.advance(3_601_000);
    const dialog = page.dialog("Session expired");
    await dialog.shown();
    await page.banner.badge("connecting…").shown();
    await eventually("the grey page", async () => (await page.contentFilter()) === "grayscale(1)");
    await dialog.field("Password").fill(PASSWORD);
    await page.press("Enter");
    await page.banner.badge("live").shown();
    expect(await page.contentFilter()).toBe("none");
  });

  const NEW_PASSWORD = "another horse battery staple";

  /** An intervention that the operator saves after the password was changed elsewhere: it waits for the password. */
  async function saveWithRejectedToken(): Promise<void> {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.operator);
    await page.banner.badge("live").shown();
    const form = await page.open("interventions/new");
    await form.field("Name").fill("Ronda de noapte");
    await form.option("Hall 1 (1)").present();
    await form.field("Objective").choose("1");
    await site.accounts.setPassword(TEST_ACCOUNTS.operator, NEW_PASSWORD, TESTER);
    await form.button("Save").click();
    await page.dialog("Session expired").shown();
  }

  test("sends what waited for the password once its user gives it", async () => {
    await saveWithRejectedToken();
    await page.dialog("Session expired").field("Password").fill(NEW_PASSWORD);
    await page.press("Enter");
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/Ronda de noapte$/).shown();
  });

  test("is not ended by the late answer to a request that its former token has sent", async () => {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.operator);
    await page.banner.badge("live").shown();
    const form = await page.open("interventions/new");
    await form.field("Name").fill("Ronda de noapte");
    await form.option("Hall 1 (1)").present();
    await form.field("Objective").choose("1");
    const sendOld = await page.holdRequests("**/interventii");
    await form.button("Save").click();
    site.clock.advance(3_601_000);
    const dialog = page.dialog("Session expired");
    await dialog.field("Password").fill(PASSWORD);
    const [sendNew, asked] = [await page.holdRequests("**/site/account"), page.requested("/site/account")];
    await page.press("Enter");
    await asked;
    // The new token is there, and its user is not known yet.
    const refused = page.answered("/interventii", 401);
    sendOld();
    await refused;
    sendNew();
    const record = await page.arrival(/^interventions\/\d+$/);
    await record.heading(/Ronda de noapte$/).shown();
    await dialog.gone();
  });

  test("sends nothing that another user has entered", async () => {
    await saveWithRejectedToken();
    const expired = page.dialog("Session expired");
    const question = page.dialog("Leave without saving?");
    await expired.button("Use another account").click();
    await question.button("Keep editing").click();
    await question.gone();
    await expired.button("Use another account").click();
    await question.button("Discard changes").click();
    await signIn(page, PASSWORD, TEST_ACCOUNTS.administrator);
    await page.banner.badge("live").shown();
    const list = await page.open("interventions");
    await list.text("No interventions yet. Each alarm creates one.").shown();
    expect(await site.run("SELECT name FROM interventions")).toEqual([]);
  });

  test("waits for nothing that a screen has asked once its user signs out", async () => {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.operator);
    const log = await page.open("events");
    await log.button("Older entries").shown();
    await site.accounts.setPassword(TEST_ACCOUNTS.operator, NEW_PASSWORD, TESTER);
    await log.button("Older entries").click();
    await page.dialog("Session expired").button("Use another account").click();
    await page.screen("sign-in").complete();
  });

  test("survives a reload and ends with a sign-out", async () => {
    await signIn(page, PASSWORD, TEST_ACCOUNTS.viewer);
    await page.screen("status").heading("No zones yet").shown();
    await page.reload();
    await page.screen("status").heading("No zones yet").shown();
    // Not the description of the interface, which the daemon refuses to a viewer.
    const more = await page.open("more");
    await more.link("Sync").shown();
    await more.without(more.link("API"));
    await page.signOut();
    await page.screen("sign-in").heading("Sign in").shown();
    await page.reload();
    await page.screen("sign-in").heading("Sign in").shown();
  });
});
