import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A client that may publish below the filter of a zone or gate, but not on the topics of its sensors. */

const INPUT = { mqtt: "windows/+/state", open: ["open"], normal: ["closed"] };
const WINDOWS = zoneOf({ id: "windows", input: INPUT });
const HALL = zoneOf({
  id: "hall",
  input: { mqtt: "hall", open: ["open"], normal: ["closed"] },
  gate: { mqtt: "site/keypads/#", open: ["armed"], normal: ["disarmed"] },
});
const SENSOR = zoneOf({ id: "windows", input: { ...INPUT, oneSensor: true } });
const LIMIT = 256;

describe("a client that invents as many active topics as are remembered", () => {
  let site: MonitoredZones;
  let mqtt: MqttZones;

  const start = (zones: Zone[]): void => {
    site = new MonitoredZones(zones);
    mqtt = new MqttZones(site.common);
  };
  beforeEach(() => start([WINDOWS, HALL]));
  afterEach(() => site.close());

  const publish = (topic: string, text: string): Promise<void> =>
    mqtt.deliver({ topic, payload: Buffer.from(text), isRetained: false });
  async function invent(topicOf: (at: number) => string, ...texts: string[]): Promise<void> {
    for (const text of texts) for (let at = 0; at < LIMIT; at += 1) await publish(topicOf(at), text);
  }
  const window = (at: number): string => `windows/x${at}/state`;
  const keypad = (at: number): string => `site/keypads/x${at}`;
  const contact = (): string | undefined =>
    site.monitor.zones().find(({ zone }) => zone.id === "windows")?.contact;
  const isArmed = (): boolean => site.journal.zoneOverrides.gateState(gateId())?.state === "open";
  const storedTopics = (): string[] => [...site.journal.activeTopics.all().values()].flat();
  const gateId = (): string => (HALL.gate.by === "mqtt" ? HALL.gate.id : "");

  test("does not close a zone whose window is open", async () => {
    await publish("windows/left/state", "open");
    await invent(window, "open", "closed");
    expect(contact()).toBe("open");
    expect(site.conditions).toEqual(["mqtt-topics-at-limit/contact windows"]);
    await publish("windows/left/state", "closed");
    await publish("windows/left/state", "");
    expect(contact()).toBe("open");
  });

  test("does not close a zone whose window was opened after them", async () => {
    await invent(window, "open");
    expect(site.conditions).toEqual([]);
    await publish("windows/left/state", "open");
    await invent(window, "closed");
    expect(contact()).toBe("open");
    expect(site.conditions).toEqual(["mqtt-topics-at-limit/contact windows"]);
  });

  test("does not disarm a gate, also after a restart", async () => {
    await publish("site/keypads/door", "armed");
    await invent(keypad, "armed");
    site.restart();
    mqtt = new MqttZones(site.common);
    expect(site.conditions).toEqual([`mqtt-topics-at-limit/gate ${gateId()}`]);
    await invent(keypad, "disarmed");
    expect(isArmed()).toBe(true);
    await publish("site/keypads/door", "disarmed");
    expect(isArmed()).toBe(true);
    expect(site.health.list().map(({ values }) => values?.["of"])).toEqual(["site/keypads/#"]);
  });

  test("leaves a condition that names the zone", async () => {
    await publish("windows/left/state", "open");
    await invent(window, "open");
    expect(site.health.list().map(({ values }) => values?.["of"])).toEqual(["Front door"]);
    mqtt.exchange([zoneOf({ id: "windows", name: "Windows", input: INPUT }), HALL]);
    expect(site.health.list().map(({ values }) => values?.["of"])).toEqual(["Windows"]);
    mqtt.exchange([SENSOR, HALL]);
    expect(site.conditions).toEqual([]);
  });

  test("is forgotten once the zones have been out of the configuration", async () => {
    await publish("site/keypads/door", "armed");
    await invent(keypad, "armed");
    await publish("windows/left/state", "open");
    await invent(window, "open");
    mqtt.exchange([]);
    expect(site.conditions).toEqual([]);
    mqtt.exchange([WINDOWS, HALL]);
    await publish("site/keypads/door", "disarmed");
    expect(isArmed()).toBe(false);
    await publish("windows/left/state", "closed");
    expect(contact()).toBe("normal");
  });

  test("changes nothing for a sensor whose newest message decides", async () => {
    site.close();
    start([SENSOR]);
    await invent(window, "open");
    await publish("windows/left/state", "open");
    await publish("windows/left/state", "closed");
    expect(contact()).toBe("normal");
    await publish("windows/left/state", "open");
    expect(contact()).toBe("open");
    expect(mqtt.activeTopics("windows", "contact")).toEqual(["#"]);
    await publish("windows/right/state", "closed");
    expect(mqtt.activeTopics("windows", "contact")).toEqual([]);
    expect(storedTopics()).not.toContain("#");
    expect(site.conditions).toEqual([]);
  });

  test("does not keep a zone open that restores itself", async () => {
    site.close();
    start([zoneOf({ id: "windows", input: INPUT, autoRestoreS: 10 })]);
    await invent(window, "open");
    await publish("windows/left/state", "open");
    expect(storedTopics()).toContain("#");
    expect(site.conditions).toEqual([]);
    await invent(window, "closed");
    expect(storedTopics()).toEqual([]);
    expect(contact()).toBe("normal");
  });
});

test("a zone of several sensors names those that are unavailable, and is well once all of them are there again", async () => {
  // ESPHome: the last will of each board.
  const zone = zoneOf({
    id: "windows",
    input: { mqtt: "boards/+/binary_sensor/window/state", open: ["ON"], normal: ["OFF"] },
    availability: { mqtt: "boards/+/status" },
    unavailableGraceS: 60,
  });
  const site = new MonitoredZones([zone]);
  const mqtt = new MqttZones(site.common);
  const publish = (topic: string, text: string): Promise<void> =>
    mqtt.deliver({ topic: `boards/${topic}`, payload: Buffer.from(text), isRetained: false });
  const faults = (): string[] => site.journal.faults.list().map(({ fault }) => fault);
  try {
    for (const board of ["left", "right"]) {
      await publish(`${board}/status`, "online");
      await publish(`${board}/binary_sensor/window/state`, "OFF");
    }
    expect(mqtt.activeTopics("windows", "faults")).toEqual([]);
    await publish("left/status", "offline");
    site.clock.advance(61_000);
    expect(faults()).toEqual(["supervision"]);
    expect(mqtt.activeTopics("windows", "faults")).toEqual(["boards/left/status"]);
    // The other one still reports: a trip, and no end of the fault.
    await publish("right/status", "online");
    await publish("right/binary_sensor/window/state", "ON");
    expect(site.monitor.zones()[0]?.contact).toBe("open");
    expect(mqtt.activeTopics("windows", "contact")).toEqual(["boards/right/binary_sensor/window/state"]);
    expect(faults()).toEqual(["supervision"]);
    await publish("left/status", "online");
    expect(faults()).toEqual([]);
    expect(mqtt.activeTopics("windows", "faults")).toEqual([]);
  } finally {
    site.close();
  }
});
