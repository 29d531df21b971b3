import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones } from "../support/monitored-zones.ts";

/* A condition names every client that has reached a limit of the built-in broker. */

const MESSAGE_BYTES = 2_000_000;
/** Of that size. */
const RETAINED_MAX = 8;

let site: MonitoredZones;
let broker: BuiltInBroker;
let clients: MqttClient[];

beforeEach(async () => {
  site = MonitoredZones.forTest([]);
  clients = [];
  broker = builtInBrokerOf(site);
  await broker.start();
});
afterEach(async () => {
  for (const client of clients) await client.endAsync(true);
  await broker.stop();
});

async function clientOf(clientId: string, clean = true): Promise<MqttClient> {
  const url = `mqtt://127.0.0.1:${brokerPort(site)}`;
  const client = await connectAsync(url, { clientId, clean, reconnectPeriod: 0 }, false);
  client.on("error", () => "the broker ends it on purpose");
  clients.push(client);
  return client;
}

/** Subscribes to more filters than a client may have, and waits until the broker has ended it. */
async function exceedMemory(clientId: string): Promise<void> {
  const client = await clientOf(clientId);
  const filters = Array.from({ length: 30_000 }, (_, index) => index.toString(36));
  void client.subscribeAsync(filters, { qos: 0 }).catch(() => "the broker ends it on purpose");
  await eventually("its end", () => !client.connected);
}

function conditionText(): string {
  expect(site.conditions).toHaveLength(1);
  return (site.health.list()[0]?.text ?? "").replaceAll("::ffff:", "");
}

describe("clients that exceed the memory limit one after the other", () => {
  test("are all named, each of them once", async () => {
    for (const clientId of ["camera", "logger", "camera"]) await exceedMemory(clientId);
    expect(conditionText()).toMatch(
      /^the client "camera" at 127\.0\.0\.1 was disconnected .*Zones are not affected\. Also at this limit: the client "logger" at 127\.0\.0\.1\.$/,
    );
  });

  test("are named up to a number for each address, with the remark that there are others", async () => {
    for (const clientId of ["a", "b", "c", "d", "e"]) await exceedMemory(clientId);
    expect(conditionText()).toMatch(
      / Also at this limit: the client "b" at 127\.0\.0\.1; the client "c" at 127\.0\.0\.1; and others\.$/,
    );
  });

  test("are named again once the condition has cleared", async () => {
    for (const clientId of ["camera", "logger"]) await exceedMemory(clientId);
    site.clock.advance(600_000);
    expect(site.conditions).toEqual([]);
    await exceedMemory("logger");
    expect(conditionText()).toMatch(/^the client "logger" .*Zones are not affected\.$/);
  });
});

/** Publishes retained messages of 2 MB each. */
async function retain(publisher: MqttClient, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await publisher.publishAsync(`camera/${index}`, Buffer.alloc(MESSAGE_BYTES, "x"), {
      qos: 1,
      retain: true,
    });
}

describe("the memory for all clients", () => {
  test("is enough for two that get all retained messages at the same time", async () => {
    await retain(await clientOf("camera"), RETAINED_MAX);
    let received = 0;
    for (const clientId of ["display", "logger"]) {
      const client = await clientOf(clientId);
      client.on("message", () => (received += 1));
      void client.subscribeAsync("#", { qos: 1 });
    }
    await eventually("all messages", () => received === 2 * RETAINED_MAX);
    expect(site.conditions).toEqual([]);
  });

  test("is less by the retained messages, which stay", async () => {
    for (const clientId of ["display", "logger", "bridge"]) {
      const session = await clientOf(clientId, false);
      await session.subscribeAsync("queue", { qos: 1 });
      await session.endAsync();
    }
    const camera = await clientOf("camera");
    for (let index = 0; index < 7; index += 1)
      await camera.publishAsync("queue", Buffer.alloc(MESSAGE_BYTES, "x"), { qos: 1 });
    expect(site.conditions).toEqual([]);
    await retain(camera, 7);
    expect(conditionText()).toMatch(
      /^the client "\w+" at 127\.0\.0\.1 was .* held 13 MiB for it, the largest share of the total limit: mostly messages that it does not collect/,
    );
    const panel = await clientOf("panel");
    const received: string[] = [];
    panel.on("message", (topic) => received.push(topic));
    await panel.subscribeAsync("camera/#", { qos: 1 });
    await eventually("all retained messages", () => received.length === 7);
  });
});

test("a client whose retained message does not fit is named, with its topic", async () => {
  const camera = await clientOf("camera");
  await retain(camera, RETAINED_MAX + 1);
  expect(conditionText()).toMatch(
    /"camera\/8" from the client "camera" at 127\.0\.0\.1 was forwarded but not/,
  );
});
