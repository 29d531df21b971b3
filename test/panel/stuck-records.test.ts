import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { describeWithBrowser } from "../support/browser.ts";
import { EDGE, Installation, startCentre, upstreamYaml } from "../support/installation.ts";
import { PanelSite } from "../support/panel-site.ts";
import { faultsInEveryLook } from "../support/screens.ts";

describeWithBrowser("a record that the centre does not take", () => {
  const elsewhere = new Installation();
  let site: PanelSite;
  let page: Page;
  beforeAll(async () => {
    // The centre does not know the building of the site's zones.
    const { port } = await startCentre(
      elsewhere,
      "objectives: { obiective/cladiri: [ { id: 99, name: Another hall } ] }\n",
    );
    site = new PanelSite(upstreamYaml(port));
    site.installation.secret("upstream.password", EDGE.password);
    await site.start();
    await site.daemon.run(["trip", "--zone", "front-door"]);
    page = await site.page("sync");
  });
  afterAll(async () => {
    await site.stop();
    await elsewhere.remove();
  });

  const row = () => page.getByRole("row", { name: /#1 .*objective missing/ });

  test("waits for a person, who has it tried again, and gives it up after a question", async () => {
    await row().waitFor();
    await page.getByRole("button", { name: "Try again #1" }).click();
    await page.getByText("#1 is tried again").waitFor();
    await row().waitFor();
    await page.getByRole("button", { name: "Give up… #1" }).click();
    await page.getByRole("dialog", { name: "Give #1 up?" }).waitFor();
    await page.keyboard.press("Escape");
    expect(await row().count()).toBe(1);
    const faults = await faultsInEveryLook(page, async () => {
      await page.locator("td button.danger").click();
      await page.locator("dialog").waitFor();
    });
    expect(faults.join("\n")).toBe("");
    await page.getByRole("button", { name: "Give up… #1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
    await page.getByText("#1 is given up; it stays here").waitFor();
    await row().waitFor({ state: "detached" });
    await page.goto(`${site.address}#/interventions/1`);
    await page.getByRole("heading", { name: /#1/ }).first().waitFor();
  });
});
