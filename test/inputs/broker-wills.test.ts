import { generate } from "mqtt-packet";
import { connect } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { eventually } from "../support/eventually.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const YEAR_MS = 365 * 86_400_000;
const GATE = zoneOf({ id: "gate", input: { mqtt: "gate", open: ["lost"], normal: ["here"] } });
const YARD = zoneOf({ id: "yard", input: { mqtt: "yard", open: ["open"], normal: ["closed"] } });

let site: MonitoredZones;
let broker: BuiltInBroker | undefined;
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await broker?.stop();
});

test("a clock that is set forward publishes no last will of a connected sensor", async () => {
  // aedes looks for wills of ended brokers every four minutes; its own timers are called here.
  const intervals = vi.spyOn(globalThis, "setInterval");
  site = MonitoredZones.forTest([GATE, YARD]);
  broker = builtInBrokerOf(site);
  await broker.start();
  const every = (ms: number): (() => void)[] =>
    intervals.mock.calls.flatMap(([work, interval]) => (interval === ms ? [work] : []));
  const [heartbeat] = every(60_000);
  const [lookForWills] = every(240_000);
  if (!heartbeat || !lookForWills) throw new Error("aedes looks for wills in another way");

  const sensor = connect(brokerPort(site), "127.0.0.1");
  const will = { topic: "gate", payload: Buffer.from("lost"), qos: 1, retain: false } as const;
  const about = {
    protocolId: "MQTT",
    protocolVersion: 4,
    clean: true,
    keepalive: 0,
    clientId: "gate",
  } as const;
  sensor.write(generate({ cmd: "connect", ...about, will }));
  const message = {
    cmd: "publish",
    topic: "gate",
    payload: "here",
    qos: 0,
    retain: false,
    dup: false,
  } as const;
  sensor.write(generate(message));
  await eventually("the gate to be closed", () => site.monitor.zones()[0]?.contact === "normal");

  heartbeat();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + YEAR_MS });
  lookForWills();
  vi.useRealTimers();
  // What the sensor sends next is read after the will would have been.
  for (const [payload, contact] of [
    ["closed", "normal"],
    ["open", "open"],
  ] as const) {
    sensor.write(generate({ ...message, topic: "yard", payload }));
    await eventually(`the yard to be ${contact}`, () => site.monitor.zones()[1]?.contact === contact);
  }
  expect(site.trips.filter(({ zoneId }) => zoneId === "gate")).toEqual([]);
  expect(site.monitor.zones()[0]?.contact).toBe("normal");
  sensor.destroy();
  await eventually("the will once the sensor is gone", () =>
    site.trips.some(({ zoneId }) => zoneId === "gate"),
  );
});
