import { afterAll, beforeAll, expect, test } from "vitest";
import type { Locator, Page } from "playwright-core";
import { describeWithBrowser } from "../support/browser.ts";
import { interventionsOf } from "../support/installation.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("a technician on site", () => {
  const site = new PanelSite();
  beforeAll(() => site.start());
  afterAll(() => site.stop());

  test("makes a whole walk test with the keyboard alone, and nothing is dispatched", async () => {
    const page = await site.page("status");
    await reach(page, "link", "Walk test");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Walk test" }).waitFor();
    await reach(page, "spinbutton", "Minutes");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("5");
    await reach(page, "button", "Start walk test");
    await page.keyboard.press("Enter");
    const question = page.getByRole("dialog", { name: "Walk test for 5 minutes?" });
    await question.getByText("LIFE SAFETY: no alarm is dispatched from Fum depozit.").waitFor();
    expect(await site.daemon.get("/site/walk-test")).toBeNull();
    await reach(page, "button", "Start walk test", question);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "0 of 3 zones seen" }).waitFor();

    await site.daemon.run(["trip", "--zone", "front-door"]);
    await page.getByRole("heading", { name: "1 of 3 zones seen" }).waitFor();
    await page.getByRole("listitem").filter({ hasText: "Ușa principală" }).getByText("×1").waitFor();

    await page.goto(`${site.address}#/objectives`);
    const banner = page.getByRole("region", { name: "Walk test" });
    await banner.getByText("nothing is dispatched").waitFor();
    await banner.getByText("LIFE SAFETY: no alarm is dispatched from Fum depozit.").waitFor();
    await banner.getByText(/^[0-5]:\d\d left$/).waitFor();
    await reach(page, "button", "End walk test");
    await page.keyboard.press("Enter");
    await banner.waitFor({ state: "detached" });

    await page.goto(`${site.address}#/walk-test`);
    await page.getByText(/By edge@site.example, from .* to /).waitFor();
    await page.getByRole("heading", { name: "1 of 3 zones seen" }).waitFor();
    expect(await interventionsOf(site.daemon)).toEqual([]);
    await site.daemon.run(["trip", "--zone", "front-door", "--restore"]);
  });

  test("bypasses a zone with a reason, sees until when, and puts it back", async () => {
    const page = await site.page("zones");
    const row = page.getByRole("row", { name: /Fum depozit/ });
    await page.getByRole("button", { name: "Bypass… Fum depozit" }).click();
    const dialog = page.getByRole("dialog", { name: "Bypass Fum depozit" });
    await dialog.getByText("LIFE SAFETY: no alarm is dispatched from Fum depozit.").waitFor();
    await dialog.getByLabel("Reason").fill("renovare");
    await dialog.getByLabel("For").selectOption("60");
    await dialog.getByRole("button", { name: "Bypass it" }).click();
    await row.getByText(/edge@site.example: renovare/).waitFor();
    const banner = page.getByRole("region", { name: "Life safety", exact: true });
    await banner.getByText(/no alarm is dispatched from Fum depozit \(bypass → /).waitFor();
    await page.getByRole("button", { name: "Restore Fum depozit" }).click();
    await page.getByText("Fum depozit is back in service").waitFor();
    await row.getByText("renovare").waitFor({ state: "detached" });
    await banner.waitFor({ state: "detached" });
  });

  test("sends a test signal and sees each hop of it", async () => {
    const page = await site.page("walk-test");
    await page.getByRole("button", { name: "Send a test signal" }).click();
    await page.getByText(/recorded here as #\d+/).waitFor();
    await page.getByText("the test is over").waitFor();
  });
});

/** Goes on with the tab key until the part of that role and name has the focus. */
async function reach(
  page: Page,
  role: "link" | "button" | "spinbutton",
  name: string,
  within: Page | Locator = page,
): Promise<void> {
  const part = within.getByRole(role, { name }).first();
  await part.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if ((await part.and(page.locator(":focus")).count()) > 0) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the ${role} ${name} cannot be reached with the keyboard`);
}
