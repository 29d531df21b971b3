import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { EDGE } from "../support/installation.ts";
import { PanelSite } from "../support/panel-site.ts";

const configuration = (buildings: readonly string[]): string => `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [${buildings.map((name, index) => `{ id: ${index + 1}, name: ${name} }`).join(", ")}] }
zones:
  - { id: usa, name: Ușa, kind: intrusion, objective: { type: obiective/cladiri, id: ${buildings.length} }, input: { gpio: 17 } }
`;
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_none, index) => `Hala ${String(index + 1).padStart(2, "0")}`);

describeWithBrowser("the objective of a new zone", () => {
  const site = PanelSite.running("", configuration(numbered(60)));

  test("is asked for at a site with many, of which the search finds each", async () => {
    const page = await site.page("zones");
    const found = await page.open("zones/found");
    await found.link("Simulated zone").click();
    const form = page.screen("zones/form");
    await form.field("Name").fill("Geam");
    await form.option("Hala 01 (building 1)").present();
    await form.field("Objective").holds("");
    await form.button("Review the change").click();
    await form.heading("Geam").shown();
    await form.field("Find objective").fill("Hala 57");
    await form.option("Hala 57 (building 57)").present();
    await form.field("Objective").choose("obiective/cladiri 57");
    await form.field("Find objective").fill("Hale");
    await form.text("No objective matches.").shown();
    await form.field("Objective").holds("obiective/cladiri 57");
    await form.field("Find objective").fill("Hala 02");
    await form.text("No objective matches.").gone();
    await form.option("Hala 02 (building 2)").present();
    await form.field("Objective").holds("obiective/cladiri 57");
    await form.button("Review the change").click();
    const review = page.screen("zones/review");
    await review.field("Your password").fill(EDGE.password);
    await review.button("Save").click();
    await page.screen("zones/saved").heading("Saved").shown();
    const file = readFileSync(join(site.installation.folder, "site.yaml"), "utf8");
    expect(file).toMatch(/name: Geam[^]*obiective\/cladiri[^]*id: 57/);
    // Back leads through the steps, whose form is empty by now, to where the user began.
    await page.back();
    await found.heading("New zone").shown();
    for (let step = 0; step < 2; step += 1) await page.back();
    await page.arrival(["zones"]);
    // The next zone most likely has the same objective; the field shows it.
    await page.open("zones/found");
    await found.link("Simulated zone").click();
    await form.field("Objective").holds("obiective/cladiri 57");
    await page.close();
  });

  test("of a configured zone is named although the list does not begin with it", async () => {
    const page = await site.page("zones/form?zone=usa");
    const form = page.screen("zones/form");
    await form.option("Hala 60 (building 60)").present();
    await form.field("Objective").holds("obiective/cladiri 60");
    await page.close();
  });
});
