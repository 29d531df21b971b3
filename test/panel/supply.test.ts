import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import { describeWithBrowser } from "../support/browser.ts";
import { upstreamYaml } from "../support/installation.ts";
import type { PanelPage } from "../support/panel-page.ts";
import { PanelSite } from "../support/panel-site.ts";
import { violationsInAllThemes } from "../support/accessibility-checks.ts";

const OBJECTIVE = "kind: power, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true }";
/** No centre listens there: records that wait for one delay the power-off of a low battery, so that it can be seen. */
const UNUSED_PORT = 9;
const ZONES = `
  - { id: mains, name: UPS 230 V, ${OBJECTIVE} }
  - { id: battery, name: UPS 24 V, ${OBJECTIVE} }
onBattery: { mains: mains, batteryLow: battery, powerOffAfterS: 3600 }
${upstreamYaml(UNUSED_PORT)}`;
/** One screen in eight variants, on a busy machine. */
const SCREENS_TIMEOUT_MS = 120_000;

describeWithBrowser("the power supply in the panel", () => {
  const site = new PanelSite(ZONES);
  const control = new ControlClient(join(site.installation.folder, "site"));
  let page: PanelPage;
  beforeAll(async () => {
    const { folder } = site.installation;
    // First in the path of the daemon: whatever it orders, this machine stays on.
    writeFileSync(join(folder, "systemctl"), "#!/bin/sh\nexit 1\n");
    chmodSync(join(folder, "systemctl"), 0o755);
    await site.start({ ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` });
    page = await site.page("status");
  });
  afterAll(() => site.stop());

  const simulate = (zone: string, contact: "open" | "normal"): Promise<unknown> =>
    control.post("/site/simulate", { zone, contact });

  test(
    "follows mains and the battery of a UPS",
    async () => {
      const home = page.screen("status");
      await simulate("mains", "normal");
      await simulate("battery", "normal");
      const card = home.markup("section[data-supply=sufficient]");
      await card.shown();
      expect(await violationsInAllThemes(page, () => card.shown())).toEqual([]);
      await simulate("mains", "open");
      await home.markup("section[data-supply=on-battery]").shown();
      await home.text("on battery").shown();
      await home.text(/^mains lost · since /).shown();
      await home.text("The machine is powered off after 60 minutes without mains.").shown();
      await simulate("battery", "open");
      await home.markup("section[data-supply=battery-low]").shown();
      await simulate("mains", "normal");
      await home.markup("section[data-supply=charging]").shown();
    },
    SCREENS_TIMEOUT_MS,
  );
});
