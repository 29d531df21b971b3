import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { accessibilityFaults, clippedParts } from "../support/accessibility-checks.ts";

const SCENARIO_TIMEOUT_MS = 240_000;
/** Of a new package: no centre, no objectives. */
const BASE = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
`;
const PHONE = { viewport: { width: 360, height: 740 } };
const GATEWAY = "zigbee2mqtt/bridge/state";

describeWithBrowser("an installer with new sensors", () => {
  const site = PanelSite.running("", BASE);
  let devices: AnnouncingDevices;
  let sensor: MqttClient;
  let page: PanelPage;
  beforeAll(async () => {
    const broker = `mqtt://127.0.0.1:${site.mqttPort}`;
    devices = await AnnouncingDevices.at(broker);
    sensor = await connectAsync(broker);
    page = await site.page("zones/found", await site.context(PHONE));
  });
  afterAll(async () => {
    await sensor.endAsync(true);
    await devices.end();
  });

  const send = async (topic: string, message: object): Promise<void> => {
    await sensor.publishAsync(topic, JSON.stringify(message), { qos: 1 });
  };
  const saved = async (password?: string): Promise<void> => {
    await page.screen("zones/form").button("Review the change").click();
    const review = page.screen("zones/review");
    await review.text("The configuration is valid").shown();
    if (password !== undefined) await review.field("Your password").fill(password);
    await review.button("Save").click();
    await page.screen("zones/saved").heading("Saved").shown();
  };

  test(
    "tests a button that never reports its release by pressing it once",
    async () => {
      await page
        .screen("zones/found")
        .button(/^Show all/)
        .click();
      await page
        .screen("zones/found")
        .link(/^buton /)
        .click();
      const trial = page.screen("zones/form").region("Sensor test");
      await trial.text(/^Press the button and reset it\. Nothing is dispatched\.$/).shown();
      await page.speak("RO");
      await page.screen("zones/form").heading("Acționați senzorul acum").shown();
      await page.speak("EN");
      await trial.heading("Operate the sensor now").shown();
      await send("zigbee2mqtt/buton", { action: "emergency" });
      await trial.heading(/^Test passed at/).shown();
      await saved(EDGE.password);
    },
    SCENARIO_TIMEOUT_MS,
  );

  test(
    "is warned once of the objective that all zones have",
    async () => {
      await page.screen("zones/saved").link("Add another zone").click();
      await page
        .screen("zones/found")
        .button(/^Show all/)
        .click();
      await page
        .screen("zones/found")
        .link(/^poarta intrusion/)
        .click();
      const form = page.screen("zones/form");
      await form.complete();
      // Once it has read what the zones of the site have.
      await form.field("Objective").shown();
      await form.button("Review the change").click();
      const review = page.screen("zones/review");
      await review.text(/^several zones: objective 1 of obiective\/cladiri is not in objectives/).shown();
      await page.speak("RO");
      await review.text(/^mai multe zone: obiectivul 1 nu este în lista „clădiri”/).shown();
      await page.speak("EN");
      await review.button("Save").click();
      await page.screen("zones/saved").heading("Saved").shown();
    },
    SCENARIO_TIMEOUT_MS,
  );

  test("reads in the log who changed the configuration, and the lines only in the details", async () => {
    const home = await page.open("status");
    const saying = /edge@site\.example changed the configuration/;
    await eventually("the entries on Home", async () => saying.test(await home.words()));
    expect(await home.words()).not.toContain("@@");
    const log = await page.open("events?q=configuration");
    await eventually("the entries of the log", async () => saying.test(await log.words()));
    expect(await log.words()).not.toContain("@@");
    await log.markup(".log > li:nth-child(1) > button.plain").click();
    await log.text(/\n\+ +- id: poarta\n/).shown();
    expect(await clippedParts(page)).toEqual([]);
  });

  test("does not take the state of the gateway for a message of the sensor", async () => {
    await send(GATEWAY, { state: "online" });
    await page.open("zones");
    const sheet = await page.openZone("poarta");
    // Whose message it is, if it is not that of the contact.
    await sheet.text("zigbee2mqtt/poarta/availability").shown();
    expect(await sheet.words()).not.toContain(GATEWAY);
    // Without a reading there is no time of it.
    expect(await sheet.words()).not.toContain("since –");
    await page.press("Escape");
  });

  test("reads in the walk test why a first opening does not count", async () => {
    const daemon = new ControlClient(join(site.installation.folder, "site"));
    await daemon.post("/site/walk-test", { minutes: 10 });
    const walk = await page.open("walk-test");
    const gate = walk.listItem(/^poarta/);
    await gate.text(/It has not reported yet, and its first message does not count: do it twice\.$/).shown();
    // A panic button trips with its first message.
    await walk
      .listItem(/^buton/)
      .text("Press the button and reset it.")
      .shown();
    await send("zigbee2mqtt/poarta", { contact: false });
    await gate.text(/It is open: return it to normal first\.$/).shown();
    await page.speak("RO");
    await gate.text(/Este deschisă: readuceți-o mai întâi la normal\.$/).shown();
    expect([...(await accessibilityFaults(page)), ...(await clippedParts(page))]).toEqual([]);
    await page.speak("EN");
    await send("zigbee2mqtt/poarta", { contact: true });
    await gate.text(/^Open it and close it again\.$/).shown();
    await send("zigbee2mqtt/poarta", { contact: false });
    await gate.badge("tested").shown();
    expect(site.pageErrors).toEqual([]);
  });
});
