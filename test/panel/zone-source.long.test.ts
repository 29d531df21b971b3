import { join } from "node:path";
import { connectAsync } from "mqtt";
import type { ZoneView } from "../../src/site/zone-view.ts";
import { expect, test } from "vitest";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { santinela } from "../support/command-line.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const OBJECTIVE = "objective: { type: obiective/cladiri, id: 12 }";
const CONFIGURATION = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
  - { id: geam, name: Geam, kind: glass, ${OBJECTIVE}, input: { mqtt: zigbee2mqtt/geam, path: /contact, open: [false], normal: [true] }, battery: { path: /battery, below: 10 } }
  - { id: ferestre, name: Ferestre, kind: glass, ${OBJECTIVE}, input: { mqtt: ferestre/+, open: [open], normal: [closed] } }
  - { id: poarta, name: Poarta, kind: perimeter, ${OBJECTIVE}, input: { mqtt: poarta, open: [open], normal: [closed] } }
  - { id: usa, name: Ușa, kind: intrusion, ${OBJECTIVE}, input: { gpio: 17 } }
`;
const MESSAGE = '{"battery":60,"contact":true,"linkquality":23}';
const LOOKS_TIMEOUT_MS = 120_000;

describeWithBrowser("a technician in front of a sensor", () => {
  const site = PanelSite.running("", CONFIGURATION);

  test(
    "sees its topic and its last message in the sheet of the zone, also when the contact stays as it was",
    async () => {
      const page = await site.page("zones");
      const sheet = await page.openZone("Geam");
      await sheet.text("zigbee2mqtt/geam /contact").shown();
      // Its name, not its number: a technician does not know the numbers.
      await sheet.text("Hala Nord").shown();
      await sheet.text(/^none since the daemon started/).shown();
      const sensor = await connectAsync(`mqtt://127.0.0.1:${site.mqttPort}`);
      await sensor.publishAsync("zigbee2mqtt/geam", MESSAGE, { qos: 1 });
      await sheet.text(MESSAGE).shown();
      await sheet.text(/^60 %, reported at /).shown();
      const lowered = MESSAGE.replace("60", "12");
      await sensor.publishAsync("zigbee2mqtt/geam", lowered, { qos: 1 });
      await sheet.text(lowered).shown();
      await sheet.text(/^12 %, reported at /).shown();
      await sensor.endAsync();
      await page.press("Escape");
      const open = async (): Promise<void> => {
        await page.open("zones?zone=geam");
        await page.openDialog.text(lowered).shown();
      };
      expect(
        await violationsInAllThemes(page, open, ["Geam", "Ferestre", "Poarta", "Ușa", "Hala Nord"]),
      ).toEqual([]);
      await page.close();
    },
    LOOKS_TIMEOUT_MS,
  );

  test("sees which topics keep a zone of several open", async () => {
    const page = await site.page("zones");
    const sheet = await page.openZone("Ferestre");
    const sensor = await connectAsync(`mqtt://127.0.0.1:${site.mqttPort}`);
    for (const window of ["dreapta", "stanga"])
      await sensor.publishAsync(`ferestre/${window}`, "open", { qos: 1 });
    await sheet.text("ferestre/dreapta, ferestre/stanga").shown();
    await sensor.publishAsync("ferestre/dreapta", "closed", { qos: 1 });
    await sheet.text("ferestre/stanga").shown();
    await sensor.endAsync();
    await page.close();
  });

  test("sees that the value of a message has no meaning for the zone, and what to do, until one has", async () => {
    const page = await site.page("zones");
    const gate = page.screen("zones").tile("Poarta");
    await gate.text("no reading yet").shown();
    const sensor = await connectAsync(`mqtt://127.0.0.1:${site.mqttPort}`);
    await sensor.publishAsync("poarta", `opening\u001b[2J\u202e${"x".repeat(3_000)}`, { qos: 1 });
    await gate.text("unknown value").shown();
    const sheet = await page.openZone("Poarta");
    await sheet.text(/has the value “opening \[2J x{25,40}”, which the zone names neither/).shown();
    const list = ["zones", "list", "--config", join(site.installation.folder, "site.yaml")];
    expect((await santinela(list, { cwd: site.installation.folder })).stdout).toMatch(
      /unknown value[^]*poarta: the value opening \[2J x{25,40} of the last message is in neither open nor normal\./,
    );
    await sensor.publishAsync("poarta", "closed", { qos: 1 });
    await sheet.text(/names neither/).gone();
    const [zone] = (await site.control.get<ZoneView[]>("/site/zones")).filter(({ id }) => id === "poarta");
    expect(zone).toMatchObject({ contact: "normal", unnamedValue: null });
    await sensor.endAsync();
    await page.close();
  });

  test("types several values of its message, key by key", async () => {
    const page = await site.page("zones/form?zone=geam");
    const form = page.screen("zones/form");
    await form.markup("summary:has-text('Topic and value')").click();
    await form.input("input.open").click();
    await page.press("Control+A");
    await page.type("2.0, deschis , spart");
    await form.input("input.open").holds("2.0, deschis , spart");
    await form.button("Review the change").click();
    await page
      .screen("zones/review")
      .text(/^\+.*open: \[ ?2, deschis, spart/)
      .shown();
    await page.close();
  });

  test("sees the GPIO line of a wired one", async () => {
    const page = await site.page("zones");
    const sheet = await page.openZone("Ușa");
    await sheet.text("17").shown();
    await page.close();
    expect(site.pageErrors).toEqual([]);
  });
});
