import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWithBrowser } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

describeWithBrowser("a configuration file that was changed by hand", () => {
  const site = PanelSite.running();
  const file = join(site.installation.folder, "site.yaml");

  test("is explained in the language of the user while it has an error", async () => {
    const good = readFileSync(file, "utf8");
    appendFileSync(file, "zonas: []\n");
    await expect(site.daemon.run(["reload"])).rejects.toThrow(/zonas/);
    const page = await site.page();
    await page.speak("RO");
    const home = page.screen("status");
    // Each error on a line with its place; the path is not a word that begins a sentence.
    await home.text(/^site\.yaml:\d+:1 .*opțiune necunoscută; poate ați vrut să scrieți zones/).shown();
    await home.text(/rămâne activă configurația anterioară/i).shown();
    writeFileSync(file, good);
  });

  test("is in the event log with what has changed, and without what has not", async () => {
    appendFileSync(
      file,
      "  - { id: store, name: Magazie, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }\n",
    );
    await site.daemon.run(["reload"]);
    const log = (await site.page("events")).screen("events");
    await log.text(/^added: store · /).shown();
    await log.text(/^errors: .*zonas.*unknown option/).shown();
  });
});
