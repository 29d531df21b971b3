import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { DiscoveryView, LeftOutView } from "../../src/site/discovery-view.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { santinela } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

const listed = (count: number): unknown[] =>
  Array.from({ length: count }, (_none, index) => ({
    ieee_address: `0x${index}`,
    friendly_name: `s${index}`,
    definition: { exposes: [{ type: "binary", name: "contact", property: "contact" }] },
  }));
const parts = (count: number): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: count }, (_none, index) => [`c${index}`, { p: "button", cmd_t: `a/${index}` }]),
  );

describeWithMosquitto("a broker with more than discovery lists", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let devices: AnnouncingDevices;
  let site: DaemonProcess;

  beforeEach(async () => {
    installation = new Installation();
    broker = await startMosquitto();
    devices = await AnnouncingDevices.at(broker.url);
    site = installation.daemon("site", `http: { port: 0 }\nmqtt: { url: "${broker.url}" }\n`);
    await site.start();
  });
  afterEach(async () => {
    await devices.end();
    await installation.remove();
    await broker.stop();
  });

  const leftOut = async (): Promise<readonly LeftOutView[]> =>
    (await site.get<DiscoveryView>("/site/discovered")).leftOut;
  const discover = () =>
    santinela(["zones", "discover", "--config", join(installation.folder, "site.yaml"), "--wait", "2"], {
      cwd: installation.folder,
    });

  test("is answered without a remark while everything fits, and the command says how long it has listened", async () => {
    await devices.send("z/bridge/devices", listed(3), true);
    await eventually("three sensors", async () => {
      const { devices: found } = await site.get<DiscoveryView>("/site/discovered");
      return found.length >= 3;
    });
    expect(await leftOut()).toEqual([]);
    const { stderr } = await discover();
    expect(stderr).not.toContain("not complete");
    expect(stderr).toMatch(/listened for 2 s\. A sensor that was asleep is missing/);
  });

  test("is answered with what is missing and the remedy, over HTTP and by the command", async () => {
    await devices.send("z/bridge/devices", listed(1_001), true);
    await devices.send("homeassistant/device/a/config", { cmps: parts(1_001) }, true);
    await devices.send("homeassistant/device/b/config", { text: "x".repeat(2_200_000) }, true);
    const found = await eventually("all three", async () => {
      const view = await leftOut();
      return view.length >= 3 && view;
    });
    expect(Object.fromEntries(found.map(({ code, values }) => [code, values["limit"]]))).toEqual({
      announcements: "1",
      "bridge-devices": "1000",
      components: "1000",
    });
    for (const { text } of found) expect(text).toMatch(/ by topic$/);
    const { stderr } = await discover();
    for (const { text } of found) expect(stderr).toContain(`not complete: ${text}\n`);
  });

  test("with more unknown topics than are listed is answered with a remark", async () => {
    await leftOut();
    await eventually("it listens", async () => {
      const { listening } = await site.get<DiscoveryView>("/site/discovered");
      return listening.state === "listening";
    });
    for (let index = 0; index < 201; index += 1) await devices.send(`meter/${index}`, String(index));
    const [topics] = await eventually("the remark", async () => {
      const view = await leftOut();
      return view.length > 0 && view;
    });
    expect(topics).toMatchObject({ code: "topics", values: { limit: "200" } });
  });
});
