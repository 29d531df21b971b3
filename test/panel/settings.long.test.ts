import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { PersonView } from "../../src/site/administration-view.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { accessibilityFaults } from "../support/accessibility-checks.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, interventionsOf } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the settings in the panel", () => {
  const site = PanelSite.running();
  beforeAll(async () => {
    // Restart with a fixed port, which later restarts keep.
    await site.daemon.end("SIGTERM");
    await site.startAgain();
  });

  const startedAt = async (): Promise<string> =>
    (await site.daemon.get<StatusView>("/site/status")).startedAt;

  async function download(page: PanelPage): Promise<string> {
    const saved = await page.downloaded(() => page.screen("settings").button("Download backup").click());
    expect(saved.suggestedFilename()).toBe("hala-nord.db");
    return saved.path();
  }

  async function uploadBackup(page: PanelPage, path: string): Promise<void> {
    const settings = page.screen("settings");
    await settings.field("Backup file").setFile(path);
    await settings.button("Check backup").click();
  }

  test("show the source of each option, and download a backup", async () => {
    const page = await site.page("settings?open=configuration.backup");
    const settings = page.screen("settings");
    await settings.row(/site\.name "Hala Nord" .*site\.yaml:\d+:\d+/).shown();
    await settings.row(/log\.level "info" default/).shown();
    expect(
      readFileSync(await download(page))
        .subarray(0, 15)
        .toString(),
    ).toBe("SQLite format 3");
  });

  test("are a list of subjects on a phone, each opened with one press, also after Back", async () => {
    const page = await site.page("settings");
    await page.look("light", 390);
    const settings = page.screen("settings");
    await settings.complete();
    expect(await page.evaluate<number>("document.documentElement.scrollHeight / 740")).toBeLessThan(2);
    await settings.heading("Accounts").click();
    await settings.row(new RegExp(EDGE.email)).shown();
    await settings.heading("Effective configuration").click();
    await settings.text("log.level").shown();
    await eventually("both in the address", async () =>
      (await page.evaluate<string>("location.hash")).endsWith("open=accounts.configuration"),
    );
    await page.follow("Home");
    await page.screen("status").complete();
    await page.back();
    await settings.row(new RegExp(EDGE.email)).shown();
    await settings.heading("Accounts").click();
    await eventually("one in the address", async () =>
      (await page.evaluate<string>("location.hash")).endsWith("open=configuration"),
    );
    await page.close();
  });

  test("enable debug logging for 30 minutes", async () => {
    const page = await site.page("settings");
    await page.screen("settings").button("Enable debug logging for 30 minutes").click();
    await page.notice.text(/^Debug logging is enabled until /).shown();
    // An account has at most four streams.
    await page.close();
  });

  test("restore a backup after a confirmation; later trips are dispatched again", async () => {
    const page = await site.page("settings?open=backup");
    const copy = await download(page);
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await eventually("the trip's record", async () => (await interventionsOf(site.daemon)).length === 1);
    await (await page.open("interventions/1")).heading(/^#1 ./).shown();
    await page.open("settings?open=restore");
    await uploadBackup(page, copy);
    const dialog = page.dialog("Restore this backup?");
    await dialog.text("1 (#1)").shown();
    const before = await startedAt();
    const uploads = () =>
      page.evaluate<number>(
        'performance.getEntriesByType("resource").filter(({ name }) => name.includes("/restore/pieces")).length',
      );
    const uploaded = await uploads();
    expect(uploaded).toBeGreaterThan(0);
    await dialog.field("Your current password").fill("mistyped");
    await dialog.button("Restore").click();
    await dialog.text(/your current password is incorrect/).shown();
    await dialog.field("Your current password").fill(EDGE.password);
    await dialog.button("Restore").click();
    await page.notice.text(/^The backup is being restored/).shown();
    expect(await uploads()).toBe(uploaded);
    await eventually("another start", async () => (await startedAt().catch(() => before)) !== before);
    await page.banner.badge("live").shown();
    expect(await startedAt()).not.toBe(before);
    const log = await page.open("events");
    await log.listItem(new RegExp(`${EDGE.email} restored the database from a backup`)).shown();
    // Its number is not given to another record.
    await (await page.open("interventions/2")).heading(/^#2 ./).shown();
  });

  test("add an account with an initial password, and disable it", async () => {
    const page = await site.page("settings?open=accounts");
    const settings = page.screen("settings");
    await settings.text("Add account").click();
    await settings.field("E-mail address").fill("ion@example.ro");
    await settings.field("Initial password").fill("given by word of mouth");
    await settings.field("Role").choose("viewer");
    await settings.field("Your current password").fill(EDGE.password);
    await settings.button("Add").click();
    await page.notice.text("Account ion@example.ro added").shown();
    const other = await site.signedOutPage();
    await other.openFirst();
    await signIn(other, "given by word of mouth", "ion@example.ro");
    await other.screen("first-password").heading("Set a new password").shown();
    await settings.button("Disable ion@example.ro").click();
    const dialog = page.dialog("Disable: ion@example.ro");
    await dialog.field("Your current password").fill("a wrong one");
    await dialog.button("Disable").click();
    await dialog.text("your current password is incorrect").shown();
    await dialog.field("Your current password").fill(EDGE.password);
    const lost = await page.loseNextResponse("**/site/accounts/*", "PUT");
    await dialog.button("Disable").click();
    await lost();
    await dialog.text(/is not responding/).shown();
    expect(await dialog.field("Your current password").value()).toBe(EDGE.password);
    await dialog.button("Disable").click();
    await dialog.gone();
    await settings.row(/ion@example\.ro .*disabled/).shown();
    await Promise.all([page.close(), other.close()]);
  });

  test("give an account a new initial password, with which its user sets another", async () => {
    const account = { email: "vasile@example.ro", role: "viewer", password: "forgotten by its user" };
    await site.control.post("/site/accounts", account);
    const page = await site.page("settings?open=accounts");
    const settings = page.screen("settings");
    await settings.button(`New initial password: ${account.email}`).click();
    const dialog = page.dialog(`New initial password: ${account.email}`);
    await dialog.field("Initial password").fill("given again by mouth");
    await dialog.field("Your current password").fill("a wrong one");
    await dialog.button("New initial password").click();
    await dialog.text("your current password is incorrect").shown();
    await dialog.field("Your current password").fill(EDGE.password);
    await dialog.button("New initial password").click();
    await dialog.gone();
    await page.notice.text(/vasile@example\.ro has a new initial password/).shown();
    const other = await site.signedOutPage();
    await other.openFirst();
    await signIn(other, "given again by mouth", account.email);
    await other.screen("first-password").heading("Set a new password").shown();
    await Promise.all([page.close(), other.close()]);
  });

  test("change the role of an account only when asked to, and take it back", async () => {
    const email = "ana@example.ro";
    const page = await site.page("settings?open=accounts");
    const settings = page.screen("settings");
    const role = async (): Promise<string | undefined> =>
      (await site.daemon.get<PersonView[]>("/site/accounts")).find((one) => one.email === email)?.role;
    await settings.text("Add account").click();
    await settings.field("E-mail address").fill(email);
    await settings.field("Initial password").fill("given by word of mouth");
    await settings.field("Role").choose("viewer");
    await settings.field("Your current password").fill(EDGE.password);
    await settings.button("Add").click();
    const list = settings.field(`Role ${email}`);
    await list.holds("viewer");

    // As with an arrow key: it chooses each role that it passes.
    await list.choose("operator");
    await list.choose("administrator");
    await settings.button(`Change role ${email}`).shown();
    expect(await role()).toBe("viewer");
    await settings.button("Cancel").click();
    await list.holds("viewer");
    await list.choose("administrator");
    await page.follow("Home");
    await page.dialog("Leave without saving?").button("Keep editing").click();
    await settings.button(`Change role ${email}`).click();
    const dialog = page.dialog(`Change role: ${email}`);
    await dialog.field("Your current password").fill(EDGE.password);
    await dialog.button("Change role").click();
    await eventually("the new role", async () => (await role()) === "administrator");
    await page.notice.button("Undo").click();
    await eventually("the former role", async () => (await role()) === "viewer");
    await list.holds("viewer");
    await settings.without(settings.button(`Change role ${email}`));
    await page.close();
  });

  test("reject a file that is not a backup, and change nothing", async () => {
    const page = await site.page("settings?open=restore");
    const before = await startedAt();
    const path = join(site.installation.folder, "letter.txt");
    writeFileSync(path, "not a database ".repeat(100_000));
    await uploadBackup(page, path);
    await page
      .screen("settings")
      .text(/cannot be restored/)
      .shown();
    expect(await startedAt()).toBe(before);
  });

  test("say an error until it is closed, or until its user leaves, and a result for six seconds", async () => {
    const context = await site.context();
    await context.clock.install();
    const page = await site.page("settings", context);
    const settings = page.screen("settings");
    const enable = settings.button(/debug logging/i);
    const failing = await page.failRequests("**/site/log-level");
    await enable.click();
    const error = page.notice.text(/is not responding/);
    await error.shown();
    await context.clock.fastForward(10_000);
    await error.shown();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.notice.button("Close").click();
    await error.gone();

    await failing.stop();
    await enable.click();
    const result = page.notice.text(/^Debug logging is enabled until /);
    await result.shown();
    await context.clock.fastForward(6_000);
    await result.gone();

    await page.failRequests("**/site/log-level");
    await enable.click();
    await error.shown();
    await page.signOut();
    await page.screen("sign-in").heading("Sign in").shown();
    await error.gone();
    await context.close();
  });

  test("restart the daemon, which keeps the last good configuration if the file is invalid", async () => {
    const page = await site.page("settings");
    const file = join(site.installation.folder, "site.yaml");
    const good = readFileSync(file, "utf8");
    const restart = async (): Promise<void> => {
      const before = await startedAt();
      await page.screen("settings").button("Restart…").click();
      await page.openDialog.button("Restart").click();
      // The interruption may be too short for the badge, so compare the start times.
      await eventually("another start", async () => (await startedAt().catch(() => before)) !== before);
      await page.banner.badge("live").shown();
    };
    writeFileSync(file, good.replace("name: Hala Nord", "name: Hala Sud"));
    await restart();
    await page.banner.text(/Hala Sud/).shown();
    writeFileSync(file, good.replace("kind: fire", "kind: fier"));
    await restart();
    await page.follow("Home");
    const status = page.screen("status");
    await status.text(/Configuration invalid; last good configuration active/).shown();
    await status.listItem(/^site\.yaml:\d+:\d+ zones/).shown();
    await status
      .text("Correct the file, check it with santinela check-config, then run santinela reload.")
      .shown();
    await page.follow("Settings");
    writeFileSync(file, good.replace("dataDir: ./site", "dataDir: ./site.yaml/data"));
    await restart();
    await page.follow("Home");
    await status.text(/cannot create the data directory/).shown();
    await page.banner.text(/Hala Sud/).shown();
    writeFileSync(file, good);
  });
});
