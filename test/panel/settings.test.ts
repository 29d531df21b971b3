import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StatusView } from "../../src/http/site/status-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, interventionsOf } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite, signIn } from "../support/panel-site.ts";

describeWithBrowser("the settings in the panel", () => {
  const site = new PanelSite();
  beforeAll(async () => {
    await site.start();
    // At an address that stays, whatever number of runs it has.
    await site.daemon.end("SIGTERM");
    await site.startAgain();
  });
  afterAll(() => site.stop());

  const startedAt = async (): Promise<string> =>
    (await site.daemon.get<StatusView>("/site/status")).startedAt;

  async function download(page: PanelPage): Promise<string> {
    const saved = await page.downloaded(() => page.screen("settings").button("Download a copy").click());
    expect(saved.suggestedFilename()).toBe("hala-nord.db");
    return saved.path();
  }

  async function upload(page: PanelPage, path: string): Promise<void> {
    const settings = page.screen("settings");
    await settings.field("File of the copy").setFile(path);
    await settings.button("Check the copy").click();
  }

  test("show where each option was said, and hand over a copy of the database", async () => {
    const page = await site.page("settings");
    const settings = page.screen("settings");
    await settings.row(/site\.name "Hala Nord" .*site\.yaml:\d+:\d+/).shown();
    await settings.row(/log\.level "info" default/).shown();
    expect(
      readFileSync(await download(page))
        .subarray(0, 15)
        .toString(),
    ).toBe("SQLite format 3");
  });

  test("have every detail logged for half an hour", async () => {
    const page = await site.page("settings");
    await page.screen("settings").button("Log every detail for 30 minutes").click();
    await page.notice.text(/^Every detail is logged until /).shown();
    // Nobody has more than four live pages.
    await page.close();
  });

  test("put a copy back after a person has read what that changes; the records since come again", async () => {
    const page = await site.page("settings");
    const copy = await download(page);
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await eventually("the trip's record", async () => (await interventionsOf(site.daemon)).length === 1);
    await (await page.open("interventions/1")).heading(/^#1 ./).shown();
    await page.open("settings");
    await upload(page, copy);
    const dialog = page.dialog("Put this copy back?");
    await dialog.text("1 (#1)").shown();
    const before = await startedAt();
    await dialog.button("Put it back").click();
    await eventually("another start", async () => (await startedAt().catch(() => before)) !== before);
    await page.banner.badge("live").shown();
    expect(await startedAt()).not.toBe(before);
    const log = await page.open("events");
    await log.row(new RegExp(`copy restored ${EDGE.email}`)).shown();
    await (await page.open("interventions/1")).heading(/^#1 ./).shown();
  });

  test("let somebody in with a first password, and lock them out again", async () => {
    const page = await site.page("settings");
    const settings = page.screen("settings");
    await settings.text("Add somebody").click();
    await settings.field("E-mail address").fill("ion@example.ro");
    await settings.field("First password").fill("given by word of mouth");
    await settings.field("Role").choose("viewer");
    await settings.button("Add").click();
    await page.notice.text("ion@example.ro may sign in").shown();
    const other = await site.strangersPage();
    await other.openFirst();
    await signIn(other, "given by word of mouth", "ion@example.ro");
    await other.screen("first-password").heading("Set your own password").shown();
    await settings.button("Lock out ion@example.ro").click();
    await settings.row(/ion@example\.ro .*locked out/).shown();
    await Promise.all([page.close(), other.close()]);
  });

  test("refuse a file that is no copy, and change nothing", async () => {
    const page = await site.page("settings");
    const before = await startedAt();
    const path = join(site.installation.folder, "letter.txt");
    writeFileSync(path, "this is no database ".repeat(100_000));
    await upload(page, path);
    await page.notice.text(/cannot be put back/).shown();
    expect(await startedAt()).toBe(before);
  });

  test("restart the daemon, which goes on with what it has when the file has got a mistake", async () => {
    const page = await site.page("settings");
    const file = join(site.installation.folder, "site.yaml");
    const good = readFileSync(file, "utf8");
    const restart = async (): Promise<void> => {
      const before = await startedAt();
      await page.screen("settings").button("Restart…").click();
      await page.openDialog.button("Restart").click();
      // A moment without a connection may be too short to be seen; that it runs anew is what counts.
      await eventually("another start", async () => (await startedAt().catch(() => before)) !== before);
      await page.banner.badge("live").shown();
    };
    writeFileSync(file, good.replace("name: Hala Nord", "name: Hala Sud"));
    await restart();
    await page.banner.text(/Hala Sud/).shown();
    writeFileSync(file, good.replace("kind: fire", "kind: fier"));
    await restart();
    await page.follow("Status");
    const status = page.screen("status");
    await status.text(/Configuration has mistakes; its last good copy runs/).shown();
    await status.text(/site\.yaml:\d+:\d+: zones/).shown();
    await page.follow("Settings");
    writeFileSync(file, good.replace("dataDir: ./site", "dataDir: ./site.yaml/data"));
    await restart();
    await page.follow("Status");
    await status.text(/cannot make the data folder/).shown();
    await page.banner.text(/Hala Sud/).shown();
    writeFileSync(file, good);
  });
});
