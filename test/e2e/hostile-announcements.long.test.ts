import { afterEach, beforeEach, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { DiscoveryView } from "../../src/site/discovery-view.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";

/*
 * Retained messages of a hostile client at the broker of a site, while an administrator looks for devices. Each of
 * them kept the thread of the web panel busy for 20 s to hours, filled its memory, or ended it.
 */

const many = (count: number, entry: (index: number) => [string, unknown]): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_none, index) => entry(index)));
const components = (count: number) =>
  many(count, (index) => [`c${index}`, { p: "binary_sensor", stat_t: `a/${index}` }]);
const zigbee = (name: string, count: number) => ({
  ieee_address: name,
  definition: {
    exposes: Array.from({ length: count }, (_none, index) => ({
      type: "binary",
      name: "gas",
      property: `g${index}`,
    })),
  },
});

type Attack = readonly [what: string, messages: readonly (readonly [topic: string, message: unknown])[]];
const ATTACKS: readonly Attack[] = [
  [
    "a template of a million blanks",
    [["homeassistant/binary_sensor/a/config", { stat_t: "a", val_tpl: `{{ value_json${" ".repeat(1e6)}x` }]],
  ],
  [
    "a device of 30,000 sensors",
    [["homeassistant/device/a/config", { dev: { ids: "a" }, cmps: components(30_000) }]],
  ],
  ["30,000 devices in one message", [["homeassistant/device/a/config", { cmps: components(30_000) }]]],
  [
    "a name of 100,000 letters for 20,000 sensors",
    [
      [
        "homeassistant/device/a/config",
        { dev: { ids: "a", name: "n".repeat(100_000) }, cmps: components(20_000) },
      ],
    ],
  ],
  [
    "60,000 fields for each of 10,000 sensors",
    [
      [
        "homeassistant/device/a/config",
        { ...many(60_000, (index) => [`k${index}`, 1]), cmps: components(1e4) },
      ],
    ],
  ],
  ["a name of 100,000 letters for 25,000 values", [["z/bridge/devices", [zigbee("n".repeat(1e5), 25_000)]]]],
  [
    "17,000 devices of a bridge",
    [["z/bridge/devices", Array.from({ length: 17_000 }, (_none, index) => zigbee(String(index), 1))]],
  ],
  ["150,000 cameras", [["f/config", { cameras: many(150_000, (index) => [`c${index}`, {}]) }]]],
  [
    "a page of 500,000 components",
    [
      ["shellyplus-aabbcc/online", "true"],
      [
        "santinela/discovery/hostile/shellyplus-aabbcc/components-0/rpc",
        { result: { total: 900_000, components: Array.from({ length: 500_000 }, () => ({})) } },
      ],
    ],
  ],
];
/** As many as an administrator could look through. */
const SHOWN_MAX = 4_000;

describeWithMosquitto("an announcement of", () => {
  let installation: Installation;
  let broker: Mosquitto;
  let client: AnnouncingDevices;
  let site: DaemonProcess;

  beforeEach(async () => {
    installation = new Installation();
    broker = await startMosquitto();
    client = await AnnouncingDevices.at(broker.url);
    site = installation.daemon(
      "site",
      `site: { ref: hostile }\nhttp: { port: 0 }\nmqtt: { url: "${broker.url}" }\ngpio: { backend: simulated }\n`,
    );
    await site.start();
  });
  afterEach(async () => {
    await client.end();
    await installation.remove();
    await broker.stop();
  });

  test.each(ATTACKS)("%s hides no other device and does not stop the web panel", async (_what, messages) => {
    for (const [topic, message] of messages) await client.send(topic, message, true);
    const door = { name: "Honest door", stat_t: "honest", dev_cla: "door", dev: { ids: "honest" } };
    await eventually("the announcements to have been read", async () => {
      await client.send("homeassistant/binary_sensor/honest/config", door);
      const { devices } = await site.get<DiscoveryView>("/site/discovered");
      expect(devices.flatMap(({ proposals }) => proposals).length).toBeLessThanOrEqual(SHOWN_MAX);
      return devices.some(({ name }) => name === "Honest door");
    });
    const { conditions } = await site.get<{ conditions: { code: string }[] }>("/site/status");
    expect(conditions.map(({ code }) => code)).not.toContain("thread-failed");
  });
});
