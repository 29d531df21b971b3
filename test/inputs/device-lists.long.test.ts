import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, interventionsOf } from "../support/installation.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const GATE = zoneOf({
  id: "gate",
  input: { mqtt: "zigbee2mqtt/backgate", path: "/contact", open: [false], normal: [true] },
  bridge: { mqtt: "zigbee2mqtt/bridge/state" },
});

describeWithMosquitto("the list of a bridge at an external broker", () => {
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make([GATE]);
  });
  afterEach(() => site.end());

  /** @param name of the sensor. @param bytes size of the whole list, as of a network with many devices */
  const publishList = (name: string, bytes: number): Promise<unknown> => {
    const exposes = "x".repeat(bytes);
    const devices = [
      { ieee_address: "0x00", friendly_name: "Coordinator", definition: { exposes } },
      { ieee_address: "0x01", friendly_name: name },
    ];
    return site.sensor.publishAsync("zigbee2mqtt/bridge/devices", JSON.stringify(devices), {
      qos: 1,
      retain: true,
    });
  };

  test.each([10_000, 100_000, 1_000_000])("is read with %i bytes", async (bytes) => {
    await publishList("backgate", bytes);
    await site.listen();
    await publishList("poarta", bytes);
    await eventually("the new name", () => site.conditions.includes("mqtt-device-renamed/gate"));
    await site.publish("zigbee2mqtt/backgate", '{"contact":true}');
    await eventually("a message of the sensor", () => site.contactOf("gate") === "normal");
    expect(site.conditions).toEqual([]);
  });

  test("that was retained before the start is read", async () => {
    await publishList("poarta", 500_000);
    await site.listen();
    await eventually("the missing sensor", () => site.conditions.includes("mqtt-device-removed/gate"));
  });
});

describe("a running daemon with its built-in broker", () => {
  const installation = new Installation();
  afterAll(() => installation.remove());

  const configuration = (topic: string): string =>
    `http: { port: 0 }
mqtt: { listen: { host: 127.0.0.1, port: 0 } }
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 12, name: Hala }] }
zones:
  - id: gate
    name: Poarta
    kind: perimeter
    objective: { type: obiective/cladiri, id: 12 }
    input: { mqtt: ${topic}, path: /contact, open: [false], normal: [true] }
    bridge: { mqtt: zigbee2mqtt/bridge/state, path: /state }
    unavailableGraceS: 1
`;

  test("reports a renamed sensor once as work for a technician, until the zone has its new topic", async () => {
    const site = installation.daemon("site", configuration("zigbee2mqtt/backgate"));
    await site.start();
    const status = (): Promise<StatusView> => site.get<StatusView>("/site/status");
    const reasons = async (): Promise<string[]> =>
      (await status()).conditions.flatMap(({ code, text }) => (code.startsWith("mqtt-device") ? [text] : []));
    const { brokerPort } = await status();
    const bridge = await connectAsync(`mqtt://127.0.0.1:${brokerPort}`);
    const publish = (topic: string, message: unknown, retain = false): Promise<unknown> =>
      bridge.publishAsync(topic, JSON.stringify(message), { qos: 1, retain });
    const list = (name: string): Promise<unknown> =>
      publish("zigbee2mqtt/bridge/devices", [{ ieee_address: "0x01", friendly_name: name }], true);
    await list("backgate");
    await publish("zigbee2mqtt/backgate", { contact: true });
    await list("poarta");
    expect(await reasons()).toEqual([
      expect.stringContaining("Set the topic of the zone to zigbee2mqtt/poarta"),
    ]);
    const repair = await eventually("the intervention", async () =>
      (await interventionsOf(site)).find(({ type }) => type === "repair"),
    );
    writeFileSync(
      join(installation.folder, "site.yaml"),
      `dataDir: ./site\n${configuration("zigbee2mqtt/poarta")}`,
    );
    await askDaemon(join(installation.folder, "site"), "POST", "/site/reload");
    await eventually("the end of the condition", async () => (await reasons()).length === 0);
    await publish("zigbee2mqtt/poarta", { contact: true });
    await publish("zigbee2mqtt/poarta", { contact: false });
    const records = await eventually("the alarm", async () => {
      const all = await interventionsOf(site);
      return all.some(({ priority }) => priority === "high") && all;
    });
    expect(records.filter(({ type }) => type === "repair").map(({ id }) => id)).toEqual([repair.id]);
    expect(await reasons()).toEqual([]);
    await bridge.endAsync(true);
  });
});
