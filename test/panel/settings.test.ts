import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("the settings in the panel", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("show where each option was said, and hand over a copy of the database", async () => {
    const page = await site.page("settings");
    await page.getByRole("row", { name: /site\.name "Hala Nord" .*site\.yaml:\d+:\d+/ }).waitFor();
    await page.getByRole("row", { name: /log\.level "info" default/ }).waitFor();
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download a copy" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe("hala-nord.db");
    expect(
      readFileSync(await saved.path())
        .subarray(0, 15)
        .toString(),
    ).toBe("SQLite format 3");
  });
});
