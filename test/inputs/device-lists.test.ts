import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A sensor behind zigbee2mqtt that gets another name, or leaves: its zone would receive nothing, without any sign of it. */

const BASE = "zigbee2mqtt";
const LIST = `${BASE}/bridge/devices`;
const CONTACT = { path: "/contact", open: [false], normal: [true] } as const;
const behindBridge = (id: string, topic: string, more: Partial<Parameters<typeof zoneOf>[0]> = {}): Zone =>
  zoneOf({
    id,
    name: id,
    input: { mqtt: topic, path: CONTACT.path, open: [false], normal: [true] },
    bridge: { mqtt: `${BASE}/bridge/state`, path: "/state" },
    ...more,
  });
const GATE = behindBridge("gate", `${BASE}/backgate`, {
  availability: { mqtt: `${BASE}/backgate/availability`, path: "/state" },
});
const YARD = behindBridge("yard", `${BASE}/yard/left`);
const WITHOUT_BRIDGE = zoneOf({
  id: "shed",
  name: "shed",
  input: { mqtt: `${BASE}/shed`, path: CONTACT.path, open: [false], normal: [true] },
});
const COORDINATOR = { ieee_address: "0x00124b00", friendly_name: "Coordinator", type: "Coordinator" };
const ADDRESSES = { gate: "0x01", yard: "0x02", shed: "0x03" };
type Names = Readonly<Partial<Record<keyof typeof ADDRESSES, string>>>;
const EVERYONE = { gate: "backgate", yard: "yard/left", shed: "shed" };

describe("a list of devices", () => {
  let site: MonitoredZones;
  let mqtt: MqttZones;

  beforeEach(() => {
    site = new MonitoredZones([GATE, YARD, WITHOUT_BRIDGE]);
    mqtt = new MqttZones(site.common);
  });
  afterEach(() => site.close());

  const publish = (topic: string, payload: unknown, isRetained = false): Promise<void> => {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    return mqtt.deliver({ topic, payload: Buffer.from(text), isRetained });
  };
  const list = (names: Names, isRetained = false): Promise<void> => {
    const devices = Object.entries(names).map(([id, name]) => ({
      ieee_address: ADDRESSES[id as keyof typeof ADDRESSES],
      friendly_name: name,
      type: "EndDevice",
    }));
    return publish(LIST, [COORDINATOR, ...devices], isRetained);
  };
  const faults = (): string[] => site.journal.faults.list().map(({ owner, fault }) => `${owner} ${fault}`);
  const texts = (): string[] => site.health.list().map(({ text }) => text);

  test("with another name for the sensor of a zone names it, and makes the zone unavailable after its grace period", async () => {
    await list(EVERYONE);
    expect(site.conditions).toEqual([]);
    await list({ ...EVERYONE, gate: "poarta" });
    expect(site.conditions).toEqual(["mqtt-device-renamed/gate"]);
    expect(texts()[0]).toContain(`now called poarta at its bridge: nothing arrives on ${BASE}/backgate`);
    expect(texts()[0]).toContain(`Set the topic of the zone to ${BASE}/poarta`);
    expect(faults()).toEqual([]);
    site.clock.advance(60_000);
    expect(faults()).toEqual(["gate supervision"]);
    expect(site.trips.map(({ zoneId, body }) => `${zoneId} ${body.type}`)).toEqual(["gate repair"]);
  });

  test("with the former name again ends both", async () => {
    await list(EVERYONE);
    await list({ ...EVERYONE, gate: "poarta" });
    site.clock.advance(60_000);
    await list(EVERYONE);
    expect(site.conditions).toEqual([]);
    expect(faults()).toEqual([]);
    expect(site.events.map(({ event, subject }) => `${event} ${subject}`)).toEqual([
      "blind-interval mqtt-device-renamed gate",
    ]);
  });

  test("that misses a sensor for less than its grace period makes no intervention", async () => {
    await list(EVERYONE);
    await list({ ...EVERYONE, gate: "poarta" });
    site.clock.advance(59_000);
    await list(EVERYONE);
    site.clock.advance(60_000);
    expect(site.trips).toEqual([]);
  });

  test("without the sensor of a zone is a condition and a fault", async () => {
    await list(EVERYONE);
    await list({ gate: "backgate", shed: "shed" });
    expect(site.conditions).toEqual(["mqtt-device-removed/yard"]);
    site.clock.advance(60_000);
    expect(faults()).toEqual(["yard supervision"]);
  });

  test("does not count once its topic has a new message", async () => {
    await list(EVERYONE);
    await list({});
    site.clock.advance(60_000);
    await publish(`${BASE}/backgate`, { contact: true }, true);
    await publish(`${BASE}/backgate`, "");
    expect(faults()).toContain("gate supervision");
    await publish(`${BASE}/backgate`, { contact: true });
    expect(faults()).toEqual(["shed supervision", "yard supervision"]);
    expect(site.conditions).toEqual(["mqtt-device-removed/yard", "mqtt-device-removed/shed"]);
  });

  test("is not contradicted by an old state of availability", async () => {
    await list(EVERYONE);
    await list({ ...EVERYONE, gate: "poarta" });
    site.clock.advance(60_000);
    await publish(`${BASE}/backgate/availability`, { state: "online" }, true);
    expect(faults()).toEqual(["gate supervision"]);
    await publish(`${BASE}/backgate/availability`, { state: "offline" });
    await list(EVERYONE);
    expect(faults()).toEqual(["gate supervision"]);
    await publish(`${BASE}/backgate/availability`, { state: "online" });
    expect(faults()).toEqual([]);
  });

  test("is known from the retained message after a start, and its loss lasts", async () => {
    await list(EVERYONE);
    await list({ shed: "magazie" });
    site.clock.advance(60_000);
    site.restart();
    mqtt = new MqttZones(site.common);
    await list({ shed: "magazie" }, true);
    expect(site.conditions).toEqual([
      "mqtt-device-removed/gate",
      "mqtt-device-removed/yard",
      "mqtt-device-removed/shed",
    ]);
    await list(EVERYONE, true);
    expect(faults()).toEqual([]);
    expect(site.conditions).toEqual([]);
  });

  test("names the sensor that had only its address before a start", async () => {
    const zones = [behindBridge("gate", `${BASE}/0x01`)];
    mqtt = new MqttZones({ ...site.common, zones });
    await list({ gate: "poarta" }, true);
    expect(texts()[0]).toContain(`Set the topic of the zone to ${BASE}/poarta`);
  });

  test("does not concern a topic that no bridge is known to publish", async () => {
    await list({ gate: "backgate", yard: "yard/left" });
    expect(site.conditions).toEqual([]);
    await list(EVERYONE);
    await list({ gate: "backgate", yard: "yard/left" });
    expect(site.conditions).toEqual(["mqtt-device-removed/shed"]);
  });

  test("misses a sensor although the name of another one begins alike", async () => {
    await list({ ...EVERYONE, gate: "yard" });
    await list({ ...EVERYONE, gate: "yard", yard: "curte" });
    expect(site.conditions).toContain("mqtt-device-renamed/yard");
    expect(texts().join()).toContain(`Set the topic of the zone to ${BASE}/curte`);
  });

  test("has another sensor under the name of one that it replaces", async () => {
    mqtt = new MqttZones({
      ...site.common,
      zones: [GATE, YARD, behindBridge("shed", `${BASE}/shed/contact`)],
    });
    await list(EVERYONE);
    await publish(LIST, [
      COORDINATOR,
      { ieee_address: "0x99", friendly_name: "backgate" },
      { ieee_address: ADDRESSES.yard, friendly_name: "yard/left" },
      { ieee_address: "0x98", friendly_name: "shed" },
    ]);
    expect(site.conditions).toEqual([]);
  });

  test("has the device of a value with a topic of its own", async () => {
    const zones = [behindBridge("gate", `${BASE}/backgate/contact`)];
    mqtt = new MqttZones({ ...site.common, zones });
    await list(EVERYONE);
    expect(site.conditions).toEqual([]);
    await list({ ...EVERYONE, gate: "poarta" });
    expect(texts()[0]).toContain(`Set the topic of the zone to ${BASE}/poarta/contact`);
  });

  test.each([
    ["an empty message", ""],
    ["half a list", '[{"ieee_address":"0x09","friendly_name":"lamp"'],
    ["entries of another kind", '[{"ieee_address":"0x09","friendly_name":"lamp"},null]'],
    ["an object", '{"gate":"poarta"}'],
  ])("is left alone if it is %s", async (_title, payload) => {
    await list(EVERYONE);
    await publish(LIST, payload);
    expect(site.conditions).toEqual([]);
  });

  const entries = (count: number, more: object = {}): object[] =>
    Array.from({ length: count }, (_, at) => ({ ieee_address: `0x1${at}`, ...more }));

  test.each([
    ["half of one", '[{"ieee_address":"0x09"'],
    ["with more devices than a network can have", entries(2_001)],
    ["with more values than its devices can have", entries(1, { definition: Array(150_001).fill(0) })],
    ["that nests deep", "[".repeat(200_000) + "]".repeat(200_000)],
    ["with an empty name", [{ ieee_address: "0x09", friendly_name: "" }]],
    ["with a name that no topic has", [{ ieee_address: "0x09", friendly_name: "a".repeat(1_025) }]],
  ])("is refused and counted %s", async (_title, payload) => {
    await list(EVERYONE);
    await publish(LIST, payload);
    expect(site.conditions).toEqual([]);
    expect(mqtt.counts.list()).toEqual([{ topic: LIST, reason: "not-a-device-list", count: 1 }]);
  });

  test("is not counted if it is empty, or of a network without zones", async () => {
    await publish(LIST, "");
    await publish("other/bridge/devices", "{}");
    expect(mqtt.counts.list()).toEqual([]);
  });

  test("may have two thousand devices", async () => {
    await list(EVERYONE);
    await publish(LIST, entries(2_000));
    expect(site.conditions).toContain("mqtt-device-removed/gate");
    expect(mqtt.counts.list()).toEqual([]);
  });

  test("ends for a zone that gets the new topic", async () => {
    await list(EVERYONE);
    await list({ ...EVERYONE, gate: "poarta" });
    site.clock.advance(60_000);
    const zones = [behindBridge("gate", `${BASE}/poarta`), YARD, WITHOUT_BRIDGE];
    const { news } = mqtt.filtersOf(zones);
    expect(news).toContain(LIST);
    site.zoneService.exchange(zones, { who: "ana@site.example", from: "10.0.0.9" });
    mqtt.exchange(zones);
    expect(site.conditions).toEqual([]);
    expect(faults()).toEqual([]);
    await list({ ...EVERYONE, gate: "poarta" }, true);
    expect(site.conditions).toEqual([]);
  });

  test("that the disk did not accept is read again", async () => {
    await list(EVERYONE);
    site.breakJournal();
    await expect(list({ ...EVERYONE, gate: "poarta" })).rejects.toThrow();
    site.repairJournal();
    await list({ ...EVERYONE, gate: "poarta" });
    site.clock.advance(60_000);
    expect(faults()).toEqual(["gate supervision"]);
    site.breakJournal();
    await expect(list(EVERYONE)).rejects.toThrow();
    site.repairJournal();
    await list(EVERYONE);
    expect(faults()).toEqual([]);
  });
});
