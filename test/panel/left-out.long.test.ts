import { afterAll, beforeAll, expect, test } from "vitest";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { describeWithBrowser, PANEL_HOST } from "../support/browser.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

/** A device with one part more than discovery reads. */
const PARTS = Object.fromEntries(
  Array.from({ length: 1_001 }, (_none, index) => [`c${index}`, { p: "button", cmd_t: `a/${index}` }]),
);
const TOO_LARGE = { text: "x".repeat(2_200_000) };
const LOOKS_TIMEOUT_MS = 120_000;

describeWithBrowser("an installer whose broker has more than discovery lists", () => {
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
      "sees no remark while the list is complete, then what is missing and what to do, in both languages",
      async () => {
        const page = await site.page("zones/found");
        const found = page.screen("zones/found");
        await devices.send("homeassistant/binary_sensor/usa/config", {
          name: "Ușa din spate",
          unique_id: "usa",
          device_class: "door",
          state_topic: "casa/usa",
        });
        await found.link(/Ușa din spate/).shown();
        const remark = found.region("This list is not complete");
        await found.without(remark);
        await devices.send("homeassistant/device/a/config", { cmps: PARTS }, true);
        await remark.text(/^A device announces more than 1000 components\. Enter .* by topic\.$/).shown();
        await devices.send("homeassistant/device/b/config", TOO_LARGE, true);
        await remark.text(/^An announcement on 1 topic was not read: .* by topic\.$/).shown();
        // The remedy is on the same screen.
        await found.link("MQTT topic").shown();
        await page.speak("RO");
        const inRomanian = found.region("Lista nu este completă");
        await inRomanian.text(/^Un echipament anunță prea multe componente \(limita: 1000\)\./).shown();
        await inRomanian.text(/^Anunțul de pe 1 topic nu a fost citit:/).shown();
        const opened = async (): Promise<void> => {
          await page.open("zones/found");
          await found.region(/^(This list is not complete|Lista nu este completă)$/).shown();
        };
        // Names of the announcing devices have no language.
        const names = (await found.region(/^Senzori găsiți$/).words()).split("\n");
        const faults = await violationsInAllThemes(page, opened, ["Ușa din spate", "Hala Nord"]);
        expect(faults.filter((fault) => !names.some((name) => fault.includes(name)))).toEqual([]);
        await page.close();
        expect(site.pageErrors).toEqual([]);
      },
      LOOKS_TIMEOUT_MS,
    );
  });
});
