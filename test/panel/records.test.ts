import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { JournalEntry } from "../../src/http/site/journal-view.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

/** A centre that nobody answers for. */
const DEAD_CENTRE =
  'upstream: { baseUrl: "http://127.0.0.1:9", email: edge@site.example, passwordFile: ./upstream.password }\n';

describeWithBrowser("records in the panel", () => {
  const site = new PanelSite(DEAD_CENTRE);
  let page: Page;
  beforeAll(async () => {
    site.installation.secret("upstream.password", "correct horse battery staple");
    await site.start();
    page = await site.page("interventions");
  });
  afterAll(() => site.stop());

  async function create(name: string): Promise<void> {
    await page.goto(`${site.address}#/interventions/new`);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Find an objective").fill("HALA");
    await page.getByRole("option", { name: "Hala Nord (12)" }).waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name }).waitFor();
  }

  test("an intervention is made, worked on, edited and deleted", async () => {
    await create("Ușă forțată");
    await page.getByText("Hala Nord (building 12)").waitFor();
    await page.getByRole("button", { name: "in progress" }).click();
    await page.getByRole("button", { name: "in progress", pressed: true }).waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Start").fill("2026-11-20T23:30");
    await page.getByLabel("police").check();
    await page.getByLabel("Notes").fill("two lines\nof notes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("2026-11-20 23:30").waitFor();
    await page.getByText("two lines").first().waitFor();
    expect(await page.getByText("Hala Nord (building 12)").count()).toBe(1);
    await page
      .getByRole("row", { name: /intervention changed/ })
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete it" }).click();
    await page.getByText(/#\d+ is deleted/).waitFor();
    expect(await page.getByRole("link", { name: "Ușă forțată" }).count()).toBe(0);
  });

  test("a condition says what is wrong in the language of the person, with the daemon's own words behind it", async () => {
    await create("Ușă trântită");
    await page.goto(`${site.address}#/status`);
    const english = /the dispatch centre http:\/\/127\.0\.0\.1:9 cannot be reached: .*ECONNREFUSED/;
    await page.getByRole("listitem").getByText(english).waitFor();
    await page.getByRole("button", { name: "RO", exact: true }).click();
    const said = page.getByText(
      /^Dispeceratul http:\/\/127\.0\.0\.1:9 nu poate fi folosit acum \(.*ECONNREFUSED/,
    );
    await said.waitFor();
    expect(await said.getAttribute("title")).toMatch(english);
    await page.goto(`${site.address}#/sync`);
    await said.waitFor();
    await page.getByRole("button", { name: "EN", exact: true }).click();
    await page.getByText(english).waitFor();
  });

  test("somebody else's change in between is not overwritten", async () => {
    await create("Patrulare");
    await page.getByRole("link", { name: "Edit" }).click();
    const other = await page.context().newPage();
    await other.goto(page.url().replace("/edit", ""));
    await other.locator("input[name=email]").fill("edge@site.example");
    await other.locator("input[name=password]").fill("correct horse battery staple");
    await other.keyboard.press("Enter");
    await other.getByRole("button", { name: "done" }).click();
    await other.getByRole("button", { name: "done", pressed: true }).waitFor();
    await other.close();
    await page.getByLabel("Name").fill("Patrulare dublă");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("has changed since it was read").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Patrulare dublă");
  });

  test("the list is filtered, searched without diacritics, and sorted", async () => {
    await create("Șantier fără pază");
    await create("Alarmă hol");
    await page.getByRole("link", { name: "‹ Interventions" }).click();
    await page.getByLabel("Search").fill("santier");
    await page.getByText("1–1 of 1").waitFor();
    await page.getByRole("link", { name: "Șantier fără pază" }).waitFor();
    await page.getByLabel("Search").fill("");
    await page.getByRole("button", { name: /^Name/ }).click();
    await page
      .getByRole("columnheader", { name: /^Name/ })
      .and(page.locator("[aria-sort=ascending]"))
      .waitFor();
    await page.getByLabel("Status").selectOption("done");
    await page.getByText("1–1 of 1").waitFor();
    await page.getByLabel("Status").selectOption("");
  });

  test("what cannot be sent stands in the queue with the reason", async () => {
    await page.getByRole("link", { name: "Sync", exact: true }).click();
    await page.getByRole("cell", { name: "to be sent" }).first().waitFor();
    await page.getByRole("button", { name: "Sync now" }).click();
    await page.getByText(/Synced; \d+ are still waiting/).waitFor();
    await page.getByText("Link to the centre: DOWN").waitFor();
    await page.getByRole("img", { name: /^Up for .*, down for / }).waitFor();
    await page.getByRole("button", { name: "30 days" }).click();
    await page.getByRole("img", { name: /oldest unsent record|left at once/ }).waitFor();
  });

  test("the objectives say which zones use them", async () => {
    await page.getByRole("link", { name: "Objectives" }).click();
    await page.getByRole("row", { name: /Hala Nord.*Str. Fabricii 7.*Ușa principală/ }).waitFor();
    await page.getByRole("button", { name: "Persons" }).click();
    await page.getByText("Nothing here.").waitFor();
  });

  test("the event log grows before one's eyes and is saved as a file", async () => {
    await page.getByRole("link", { name: "Event log" }).click();
    await page.getByLabel("Kind").selectOption("alarms");
    await page.getByText("Nothing here.").waitFor();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    await page.getByRole("row", { name: /trip.*zone front-door/ }).waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "JSON" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("hala-nord-events.json");
    const entries = JSON.parse(readFileSync(await saved.path(), "utf8")) as JournalEntry[];
    expect(entries.map(({ event }) => event)).toContain("intervention-deleted");
    expect(entries.map(({ event }) => event)).toContain("trip");
  });

  test("nothing of it went anywhere else", () => {
    expect(site.strangers).toEqual([]);
    expect(site.complaints).toEqual([]);
  });
});
