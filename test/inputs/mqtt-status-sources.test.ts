import { connectAsync } from "mqtt";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { MqttSite } from "../support/mqtt-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const GATE = zoneOf({
  id: "gate",
  input: { mqtt: "bridge/gate", path: "/contact", open: [false], normal: [true] },
  tamper: { path: "/tamper", open: [true] },
  battery: { path: "/battery", below: 15 },
  availability: { mqtt: "bridge/gate/availability", path: "/state" },
  bridge: { mqtt: "bridge/state" },
});
const WINDOWS = zoneOf({
  id: "windows",
  input: { mqtt: "windows/+/state", open: ["open"], normal: ["closed"] },
});
const WIRE = zoneOf({ id: "wire", input: { gpio: 4 }, bridge: { mqtt: "bridge/state" } });

const YARD = zoneOf({
  id: "yard",
  input: { mqtt: "yard", open: ["open"] },
  gate: { mqtt: "alarm/armed", open: ["armed"], normal: ["disarmed"] },
});

describeWithMosquitto("a broker with many topics", () => {
  let site: MqttSite;

  beforeEach(async () => {
    site = await MqttSite.make([GATE, WINDOWS, WIRE, YARD]);
  });
  afterEach(() => site.end());

  /** Status reports of the zones other than contacts. */
  function statusReports(): Record<string, unknown>[] {
    return site
      .logged("mqtt-signal")
      .map(({ zone, kind, open, low, up, bridge }) =>
        JSON.parse(JSON.stringify({ zone, kind, open, low, up, bridge })),
      );
  }

  test("reads contact, tamper and battery from one message", async () => {
    await site.listen();
    await site.publish("bridge/gate", '{"contact":true,"tamper":false,"battery":80}');
    await site.publish("bridge/gate", '{"contact":false,"tamper":true,"battery":"9"}');
    await eventually("the trip", () => site.trips.some(({ type }) => type === "trip"));
    await eventually("the battery", () => statusReports().length === 4);
    expect(statusReports().slice(2)).toEqual([
      { zone: "gate", kind: "tamper", open: true },
      { zone: "gate", kind: "battery", low: true },
    ]);
  });

  test("applies the last will of a bridge to every zone behind it, with one record", async () => {
    await site.listen();
    const bridge = await connectAsync(site.broker.url, {
      reconnectPeriod: 0,
      will: { topic: "bridge/state", payload: Buffer.from("offline"), qos: 1, retain: true },
    });
    await bridge.publishAsync("bridge/state", "online", { qos: 1, retain: true });
    await eventually("the bridge", () => statusReports().length === 2);
    bridge.stream.destroy();
    await eventually("its last will", () => statusReports().length === 4);
    expect(statusReports()).toEqual([
      { zone: "gate", kind: "availability", up: true, bridge: "bridge/state" },
      { zone: "wire", kind: "availability", up: true, bridge: "bridge/state" },
      { zone: "gate", kind: "availability", up: false, bridge: "bridge/state" },
      { zone: "wire", kind: "availability", up: false, bridge: "bridge/state" },
    ]);
    await bridge.endAsync(true);
  });

  test("reads from retained messages which sensors are offline", async () => {
    await site.sensor.publishAsync("bridge/gate/availability", '{"state":"offline"}', {
      qos: 1,
      retain: true,
    });
    await site.listen();
    await eventually("the sensor's absence", () => statusReports().length === 1);
    expect(statusReports()).toEqual([{ zone: "gate", kind: "availability", up: false }]);
  });

  test("keeps a zone of several windows open while one of them is", async () => {
    await site.listen();
    const window = (name: string, state: string): Promise<unknown> =>
      site.publish(`windows/${name}/state`, state);
    await window("left", "closed");
    await window("right", "closed");
    await window("left", "open");
    await eventually("the trip", () => site.trips.length === 1);
    await window("right", "closed");
    await window("left", "open");
    await window("left", "closed");
    await eventually("the windows to be closed", () => site.contactOf("windows") === "normal");
    await window("right", "open");
    await eventually("the next trip", () => site.trips.length === 2);
    expect(site.logged("zone-restore")).toHaveLength(1);
  });

  test("records the status of a sensor, and reads the arming condition before the trips", async () => {
    await site.sensor.publishAsync("alarm/armed", "disarmed", { qos: 1, retain: true });
    await site.listen();
    await site.publish("yard", "closed");
    await site.publish("yard", "open");
    await eventually("the first trip", () => site.trips.length === 1);
    await site.sensor.publishAsync("alarm/armed", "ARMED", { qos: 1, retain: true });
    await site.publish("alarm/armed", "on its way");
    await site.publish("yard", "closed");
    await site.publish("yard", "open");
    await site.publish("bridge/gate", '{"contact":true,"tamper":true,"battery":9}');
    await eventually("the faults", () => site.trips.length === 4);
    expect(site.trips.map(({ zoneId, cause, state }) => [zoneId, cause, state])).toEqual([
      ["yard", "edge", "gated"],
      ["yard", "edge", "waiting"],
      ["gate", "tamper", "waiting"],
      ["gate", "battery", "waiting"],
    ]);
  });
});
