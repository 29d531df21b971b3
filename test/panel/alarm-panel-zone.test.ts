import { expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { PanelSite } from "../support/panel-site.ts";

const OBJECTIVE = "objective: { type: obiective/cladiri, id: 12 }";
const SITE = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
dc09: { port: 0, accounts: [ { account: "12AB", plain: true, from: [127.0.0.1], ${OBJECTIVE} } ] }
zones:
  - { id: usa, name: Ușa, kind: intrusion, ${OBJECTIVE}, input: { gpio: 17 } }
  - { id: panou, name: Zona 4 a panoului, kind: intrusion, ${OBJECTIVE}, input: { dc09: "12AB", zone: 4 } }
`;

describeWithBrowser("the form of a zone of an alarm panel", () => {
  const site = PanelSite.running("", SITE);

  test("does not offer the filters that the daemon rejects there", async () => {
    const page = await site.page("zones/form?zone=usa");
    const form = page.screen("zones/form");
    await form.text("Advanced options").click();
    await form.field("Debounce (ms)").shown();
    await page.open("zones/form?zone=panou");
    await form.heading("Zona 4 a panoului").shown();
    await form.text("Advanced options").click();
    await form.field("Entry delay (s)").shown();
    for (const filter of ["Debounce (ms)", "Minimum open time (ms)", "Confirmation time (ms)"])
      await form.without(form.field(filter));
    expect(site.pageErrors).toEqual([]);
  });
});
