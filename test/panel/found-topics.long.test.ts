import { afterAll, beforeAll, expect, test } from "vitest";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { PanelSite } from "../support/panel-site.ts";

const SCENARIO_TIMEOUT_MS = 60_000;

describeWithBrowser("an installer whose device has no proposed zone", () => {
  describeWithMosquitto("with Mosquitto", () => {
    let broker: Mosquitto;
    let devices: AnnouncingDevices;
    let site: PanelSite;
    beforeAll(async () => {
      broker = await startMosquitto();
      devices = await AnnouncingDevices.at(broker.url);
      site = new PanelSite(
        "",
        `site: { name: Hala Nord, ref: hala-nord }\nhttp: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }\n` +
          `mqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n`,
      );
      await site.start();
    });
    afterAll(async () => {
      await site.stop();
      await devices.end();
      await broker.stop();
    });

    test(
      "gets the kind and the values of a topic that tells them, and is asked for the values of one that does not",
      async () => {
        const page = await site.page("zones/found");
        const found = page.screen("zones/found");
        await found.text(/^\d+ other topics? (and|or) devices?$/).click();
        await devices.send("bucatarie/smoke/state", "OFF");
        await devices.send("pod/contor", { time: 1_700_000_000_000, value: 22 });
        await found.link("Use this topic bucatarie/smoke/state").click();
        const form = page.screen("zones/form");
        await form.field("Zone type").holds("fire");
        await form.field("Values that mean open").holds("ON");
        await form.field("Values that mean normal").holds("OFF");
        await page.open("zones/found");
        await found.text(/^\d+ other topics? (and|or) devices?$/).click();
        await found.link("Use this topic pod/contor").click();
        await form.field("Value").holds("/value");
        await form.field("Values that mean open").holds("");
        await page.close();
        expect(site.pageErrors).toEqual([]);
      },
      SCENARIO_TIMEOUT_MS,
    );

    test(
      "points at a value in its last message, and the form has its name, topic and path",
      async () => {
        const page = await site.page("zones/found");
        const found = page.screen("zones/found");
        await found.heading("Sensors found").shown();
        await found.text(/^\d+ other topics? (and|or) devices?$/).click();
        await found.text(/no message yet: operate it once$/).shown();
        await devices.send("zigbee2mqtt/lampa", { door_state: "closed", linkquality: 80 });
        await found.text(/no proposed zone: one of its values can be the contact$/).shown();
        await found.link("Use this topic zigbee2mqtt/lampa").click();
        const form = page.screen("zones/form");
        await form.field("Value").holds("/door_state");
        await form.field("Values that mean open").fill("open, ajar");
        const trial = form.region("Sensor test");
        await trial.text("Normal").shown();
        await devices.send("zigbee2mqtt/lampa", { door_state: "ajar", linkquality: 81 });
        await trial.heading(/^Opened at/).shown();
        await page.close();
        expect(site.pageErrors).toEqual([]);
      },
      SCENARIO_TIMEOUT_MS,
    );
  });
});
