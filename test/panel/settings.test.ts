import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { StatusView } from "../../src/http/site/status-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import { PanelSite } from "../support/panel-site.ts";

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

  async function download(page: Page): Promise<string> {
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download a copy" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("hala-nord.db");
    return saved.path();
  }

  async function handIn(page: Page, path: string): Promise<void> {
    await page.getByLabel("File of the copy").setInputFiles(path);
    await page.getByRole("button", { name: "Check the copy" }).click();
  }

  test("show where each option was said, and hand over a copy of the database", async () => {
    const page = await site.page("settings");
    await page.getByRole("row", { name: /site\.name "Hala Nord" .*site\.yaml:\d+:\d+/ }).waitFor();
    await page.getByRole("row", { name: /log\.level "info" default/ }).waitFor();
    expect(
      readFileSync(await download(page))
        .subarray(0, 15)
        .toString(),
    ).toBe("SQLite format 3");
  });

  test("have every detail logged for half an hour", async () => {
    const page = await site.page("settings");
    await page.getByRole("button", { name: "Log every detail for 30 minutes" }).click();
    await page.getByText(/^Every detail is logged until /).waitFor();
    // Nobody has more than four live pages.
    await page.close();
  });

  test("put a copy back after a person has read what that changes; the records since come again", async () => {
    const page = await site.page("settings");
    const copy = await download(page);
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await page.goto(`${site.address}#/interventions/1`);
    await page.getByRole("heading", { name: /#1/ }).first().waitFor();
    await page.goto(`${site.address}#/settings`);
    await handIn(page, copy);
    const dialog = page.getByRole("dialog", { name: "Put this copy back?" });
    await dialog.getByText("1 (#1)").waitFor();
    const before = await startedAt();
    await dialog.getByRole("button", { name: "Put it back" }).click();
    await eventually("another start", async () => (await startedAt().catch(() => before)) !== before);
    await page.getByRole("banner").getByText("live").waitFor();
    expect(await startedAt()).not.toBe(before);
    await page.goto(`${site.address}#/events`);
    await page.getByRole("row", { name: new RegExp(`copy restored ${EDGE.email}`) }).waitFor();
    await page.goto(`${site.address}#/interventions/1`);
    await page.getByRole("heading", { name: /#1/ }).first().waitFor();
  });

  test("let somebody in with a first password, and lock them out again", async () => {
    const page = await site.page("settings");
    await page.getByText("Add somebody").click();
    await page.getByLabel("E-mail address").fill("ion@example.ro");
    await page.getByLabel("First password").fill("given by word of mouth");
    await page.getByLabel("Role", { exact: true }).selectOption("viewer");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("ion@example.ro may sign in").waitFor();
    const other = await (await site.context()).newPage();
    await other.goto(site.address);
    await other.locator("input[name=email]").fill("ion@example.ro");
    await other.locator("input[name=password]").fill("given by word of mouth");
    await other.keyboard.press("Enter");
    await other.getByRole("heading", { name: "Set your own password" }).waitFor();
    await page.getByRole("button", { name: "Lock out ion@example.ro" }).click();
    await page.getByRole("row", { name: /ion@example\.ro .*locked out/ }).waitFor();
    await Promise.all([page.context().close(), other.context().close()]);
  });

  test("refuse a file that is no copy, and change nothing", async () => {
    const page = await site.page("settings");
    const before = await startedAt();
    const path = join(site.installation.folder, "letter.txt");
    writeFileSync(path, "this is no database ".repeat(100_000));
    await handIn(page, path);
    await page.getByText(/cannot be put back/).waitFor();
    expect(await startedAt()).toBe(before);
  });

  test("restart the daemon, which goes on with what it has when the file has got a mistake", async () => {
    const page = await site.page("settings");
    const file = join(site.installation.folder, "site.yaml");
    const good = readFileSync(file, "utf8");
    const restart = async (): Promise<void> => {
      const before = await startedAt();
      await page.getByRole("button", { name: "Restart…" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Restart" }).click();
      // A moment without a connection may be too short to be seen; that it runs anew is what counts.
      await eventually("another start", async () => (await startedAt().catch(() => before)) !== before);
      await page.getByRole("banner").getByText("live").waitFor();
    };
    writeFileSync(file, good.replace("name: Hala Nord", "name: Hala Sud"));
    await restart();
    await page.getByRole("banner").getByText("Hala Sud").waitFor();
    writeFileSync(file, good.replace("kind: fire", "kind: fier"));
    await restart();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText("Configuration has mistakes; its last good copy runs").waitFor();
    await page.getByText(/site\.yaml:\d+:\d+: zones/).waitFor();
    await page.getByRole("link", { name: "Settings" }).click();
    writeFileSync(file, good.replace("dataDir: ./site", "dataDir: ./site.yaml/data"));
    await restart();
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByText(/cannot make the data folder/).waitFor();
    await page.getByRole("banner").getByText("Hala Sud").waitFor();
    writeFileSync(file, good);
  });
});
