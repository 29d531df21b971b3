import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";
import { faultsInEveryLook } from "../support/screens.ts";

describeWithBrowser("the home of the panel", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("says that a fire alarm is open, in both languages, until its intervention is done", async () => {
    const page = await site.page("status");
    await heading(page, "All is well");
    await site.daemon.run(["trip", "--zone", "smoke"]);
    await heading(page, "ALARM");
    const summary = page.getByRole("region", { name: "ALARM", exact: true });
    await summary.getByText("1 alarm not done", { exact: false }).waitFor();
    await summary.getByText("1 zone open while armed", { exact: false }).waitFor();
    await summary.getByRole("link", { name: /Fum depozit/ }).click();
    await page
      .getByRole("heading", { name: /Fum depozit/ })
      .first()
      .waitFor();

    await page.goto(`${site.address}#/status`);
    await heading(page, "ALARM");
    const faults = await faultsInEveryLook(page, async () => {
      await page.getByRole("heading", { name: /^(ALARM|ALARMĂ)$/ }).waitFor();
    });
    expect(faults).toEqual([]);

    await page.getByRole("button", { name: "EN", exact: true }).first().click();
    await site.daemon.run(["trip", "--zone", "smoke", "--restore"]);
    await site.daemon.run(["interventions", "set", "1", "--status", "done"]);
    await heading(page, "All is well");
  });
});

function heading(page: Page, name: string): Promise<void> {
  return page.getByRole("heading", { name, exact: true }).waitFor();
}
