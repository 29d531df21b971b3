import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, EDGE } from "../support/installation.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/* An installer enrols a site in its settings, with the link that the centre shows. */

describeWithBrowser("the enrolment of a site in its panel", () => {
  let site: PanelSite;
  let centre: DaemonProcess;
  let address: string;
  beforeAll(async () => {
    site = new PanelSite(
      "",
      `site: { ref: hala-nord, name: Hala Nord }\nhttp: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }\n` +
        "mqtt: off\ngpio: { backend: simulated }\n" +
        "zones: [ { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } } ]\n",
    );
    centre = site.installation.daemon(
      "centre",
      `site: { ref: centre }\nhttp: { port: 0, basePath: /api/v1 }\nmqtt: off\ngpio: { backend: simulated }\n${buildingsYaml(2)}`,
    );
    address = `http://127.0.0.1:${(await centre.start()).httpPort}/api/v1`;
    await site.start();
  });
  afterAll(() => site.stop());

  test("names a wrong code, and takes the link of the centre", async () => {
    const page = await site.page("settings?open=centre");
    const settings = page.screen("settings");
    const form = (): Promise<void> => settings.markup("input[name=centre]").shown();
    expect(await violationsInAllThemes(page, form, ["Hala Nord"])).toEqual([]);
    await settings.field("Address of the dispatch centre").fill(address);
    await settings.field("One-time code").fill("abcde-fghjk-mnpqr-stuvw");
    await settings.field("Your password").fill(EDGE.password);
    await settings.button("Enrol this site").click();
    await settings.text(/the one-time code is unknown here, used or expired/).shown();
    await page.speak("RO");
    await settings.button("Înrolare locație").click();
    await settings.text(/codul de unică folosință este necunoscut, folosit sau expirat/).shown();
    await page.speak("EN");

    const { value } = await askDaemon(
      join(site.installation.folder, "centre"),
      "POST",
      "/api/v1/enrolments",
      {
        site: "hala-nord",
        objectives: ["obiective/cladiri/2"],
      },
    );
    const { code } = value as EnrolmentCode;
    await settings.field("Address of the dispatch centre").fill(`${address}/#enrol=${code}`);
    await settings.field("Your password").fill(EDGE.password);
    await settings.button("Enrol this site").click();
    await settings.text(/trips would wait: gate/).shown();
    await settings.text(`The interventions of this site go to ${address}.`).shown();
    await eventually("the link", async () => {
      const { link } = await site.daemon.get<SyncView>("/site/sync");
      return link.state === "up";
    });
    expect(site.pageErrors).toEqual([]);
  });
});
