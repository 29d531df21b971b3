import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connectAsync, type MqttClient } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { MonitoredZones } from "../support/monitored-zones.ts";

/*
 * Messages of real devices and bridges, as published by vendors and users, and their expected result. A client
 * publishes them in order to the zones of device-zones.yaml.
 */

interface DeviceMessage {
  readonly id: string;
  readonly meaning: string;
  readonly topic: string;
  readonly payload: string;
  readonly expected: "trip" | "restore" | "tamper" | "battery" | "availability" | "ignore";
  readonly retain?: boolean;
  readonly ok?: boolean;
  readonly available?: boolean;
}

const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const messages = readFileSync(pathOf("device-messages.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as DeviceMessage);

describe("the message of a device", () => {
  let site: MonitoredZones;
  let broker: BuiltInBroker;
  let device: MqttClient;

  beforeAll(async () => {
    const { zones } = loadConfiguration({ file: pathOf("device-zones.yaml"), env: {}, cwd: "/" });
    site = new MonitoredZones(zones);
    const restoring = new Set(["paradox-front-door", "shelly-door-2"]);
    for (const { id } of zones) site.monitor.read(id, restoring.has(id) ? "open" : "normal", { live: true });
    site.clock.advance(10_000);
    site.logLines.length = 0;
    broker = builtInBrokerOf(site);
    await broker.start();
    device = await connectAsync(`mqtt://127.0.0.1:${brokerPort(site)}`);
  });
  afterAll(async () => {
    await device.endAsync(true);
    await broker.stop();
    site.close();
  });

  test.each(messages)(
    "$id: $meaning",
    async ({ topic, payload, expected, retain = false, ok, available }) => {
      site.clock.advance(60_000);
      const before = site.logLines.length;
      // An acknowledgement means that the message was processed.
      await device.publishAsync(topic, payload, { qos: 1, retain });
      site.clock.advance(5_000);
      const outcomes = new Set(site.logLines.slice(before).flatMap(outcomeOf));
      const isWell = ok === true || available === true;
      expect([...outcomes].filter((outcome) => isWell || outcome !== "well")).toEqual(
        expected === "ignore" ? [] : [isWell ? "well" : expected],
      );
    },
  );
});

/** Result of a message according to a log line. */
function outcomeOf(line: Record<string, unknown>): string[] {
  switch (line["event"]) {
    case "zone-trip":
      return ["trip"];
    case "zone-restore":
      // Sensors that never report normal are restored automatically.
      return line["zone"] === "tasmota-pir" ? [] : ["restore"];
    case "mqtt-signal": {
      const isWell = line["open"] === false || line["low"] === false || line["up"] === true;
      return [isWell ? "well" : String(line["kind"])];
    }
    default:
      return [];
  }
}
