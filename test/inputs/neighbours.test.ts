import { describe, expect, test } from "vitest";
import type { MqttInput, Zone as ZoneOptions } from "../../src/generated/types.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/*
 * Devices and bridges with several sensors on one topic, with messages as documented. For each: the zone, a
 * message that opens it, a message of another sensor that would open it if it were its own, and one that would
 * close it.
 */

interface Shared {
  readonly input: MqttInput;
  readonly opens: string;
  readonly others: readonly string[];
  readonly more?: Partial<ZoneOptions>;
}

const json = (value: unknown): string => JSON.stringify(value);
const pulse = { autoRestoreS: 30 };

const rtl433 = (id: number, state: string): string =>
  json({ time: "2026-11-20 21:30:00", model: "Honeywell-Security", id, channel: 8, state, battery_ok: 1 });
const rfBridge = (data: string): string =>
  json({ Time: "2026-11-20T21:30:00", RfReceived: { Sync: 14_010, Data: data, RfKey: "None" } });
const meross = (...doors: readonly (readonly [string, number])[]): string =>
  json({
    header: { namespace: "Appliance.Hub.Sensor.DoorWindow", method: "PUSH" },
    payload: { doorWindow: doors.map(([id, status]) => ({ id, status, lmTime: 1_669_292_364 })) },
  });
const zbBridge = (device: string, contact: number): string =>
  json({ ZbReceived: { [device]: { Device: device, Contact: contact, Endpoint: 1, LinkQuality: 87 } } });
const ttn = (device: string, open: number): string =>
  json({
    end_device_ids: { device_id: device, dev_eui: "A84041FFFF1834C9" },
    uplink_message: { f_port: 10, decoded_payload: { DOOR_OPEN_STATUS: open, BAT_V: 3.03 } },
  });
const chirpStack = (devEui: string, contact: string): string =>
  json({ deduplicationId: "3ac7e3c4", deviceInfo: { deviceName: devEui, devEui }, object: { contact } });
const zwave = (nodeId: number, value: number): string =>
  json({ data: [{ id: nodeId }, { commandClass: 113, property: "Access Control", newValue: value }] });
const alarmo = (event: string, ...names: readonly string[]): string =>
  json({ event, sensors: names.map((name) => ({ entity_id: `binary_sensor.${name}`, name })), delay: 0 });
const frigateEvent = (type: string, camera: string, label: string, zones: readonly string[]): string => {
  const review = { id: "1607123955.475377-mxklsc", camera, label, current_zones: zones, end_time: null };
  return json({ type, before: review, after: review });
};
const blu = (addr: string, window: number): string =>
  json({
    src: "shellyblugwg3-b0b21c10",
    method: "NotifyEvent",
    params: {
      ts: 1,
      events: [
        { component: "script:1", id: 1, event: "oh" },
        { component: "script:1", id: 1, event: "shelly-blu", data: { address: addr, window } },
      ],
    },
  });
const hikvision = (channel: string, type: string, state: string): string =>
  json({ EventNotificationAlert: { channelID: channel, eventType: type, eventState: state } });
const knx = (group: string, value: boolean | string): string => json({ destination: group, value });
const omg = (id: string, open: boolean | string): string => json({ id, name: "SBS1", rssi: -71, open });

const DEVICES: Readonly<Record<string, Shared>> = {
  "radio sensors behind rtl_433": {
    input: {
      mqtt: "rtl_433/pi/events",
      where: [
        { path: "/model", in: ["Honeywell-Security"] },
        { path: "/id", in: ["671231"] },
      ],
      path: "/state",
      open: ["open"],
      normal: ["closed"],
    },
    opens: rtl433(671_231, "open"),
    others: [rtl433(671_232, "open"), rtl433(671_232, "closed")],
  },
  "remotes behind a Sonoff RF bridge": {
    input: { mqtt: "tele/rfbridge/RESULT", path: "/RfReceived/Data", open: ["E5C1A4"], normal: ["never"] },
    opens: rfBridge("E5C1A4"),
    others: [rfBridge("12E5"), rfBridge("E5C1A8")],
    more: pulse,
  },
  "doors behind a Meross hub": {
    input: {
      mqtt: "/appliance/hub/publish",
      where: [{ path: "/payload/doorWindow/id", in: ["1A00694ACBC7"] }],
      path: "/payload/doorWindow/status",
      open: [1],
      normal: [0],
    },
    opens: meross(["1A00694ACBC8", 0], ["1A00694ACBC7", 1]),
    others: [meross(["1A00694ACBC8", 1]), meross(["1A00694ACBC8", 0])],
  },
  "contacts behind a Tasmota Zigbee bridge": {
    input: {
      mqtt: "tele/zbbridge/SENSOR",
      where: [{ path: "/ZbReceived/0x1D3B", exists: true }],
      path: "/ZbReceived/0x1D3B/Contact",
      open: [1],
      normal: [0],
    },
    opens: zbBridge("0x1D3B", 1),
    others: [zbBridge("0x1D3C", 1), zbBridge("0x1D3C", 0)],
  },
  "LoRaWAN sensors at The Things Stack": {
    input: {
      mqtt: "v3/hall@ttn/devices/+/up",
      where: [{ path: "/end_device_ids/device_id", in: ["gate"] }],
      path: "/uplink_message/decoded_payload/DOOR_OPEN_STATUS",
      open: [1],
      normal: [0],
    },
    opens: ttn("gate", 1),
    others: [ttn("barn", 1), ttn("barn", 0)],
  },
  "LoRaWAN sensors at ChirpStack": {
    input: {
      mqtt: "application/1/up",
      where: [{ path: "/deviceInfo/devEui", in: ["0101010101010101"] }],
      path: "/object/contact",
      open: ["Open"],
      normal: ["Closed"],
    },
    opens: chirpStack("0101010101010101", "OPEN"),
    others: [chirpStack("0101010101010102", "open"), chirpStack("0101010101010102", "closed")],
  },
  "Z-Wave nodes on an event topic": {
    input: {
      mqtt: "zwave/_EVENTS/node_value_updated",
      where: [{ path: "/data/0/id", in: [12] }],
      path: "/data/1/newValue",
      open: [22],
      normal: [23],
    },
    opens: zwave(12, 22),
    others: [zwave(13, 22), zwave(13, 23)],
  },
  "sensors that an alarm panel names in its events": {
    input: {
      mqtt: "alarmo/event",
      where: [{ path: "/sensors/name", in: ["Yard"] }],
      path: "/event",
      open: ["TRIGGER"],
      normal: ["DISARM"],
    },
    opens: alarmo("TRIGGER", "Hall", "Yard"),
    others: [alarmo("TRIGGER", "Hall"), alarmo("DISARM")],
  },
  "objects in a camera's zones": {
    input: {
      mqtt: "frigate/events",
      where: [
        { path: "/after/camera", in: ["yard"] },
        { path: "/after/label", not: ["cat", "dog"] },
        { path: "/after/current_zones", in: ["steps"] },
      ],
      path: "/type",
      open: ["new", "update"],
      normal: ["end"],
    },
    opens: frigateEvent("update", "yard", "person", ["drive", "steps"]),
    others: [
      frigateEvent("new", "yard", "cat", ["steps"]),
      frigateEvent("end", "street", "person", ["steps"]),
    ],
  },
  "Bluetooth sensors behind a Shelly": {
    input: {
      mqtt: "shellyblugwg3-b0b21c10/events/rpc",
      where: [
        { path: "/params/events/event", in: ["shelly-blu"] },
        { path: "/params/events/data/address", in: ["bc:02:6e:c3:c8:b9"] },
      ],
      path: "/params/events/data/window",
      open: [1],
      normal: [0],
    },
    opens: blu("bc:02:6e:c3:c8:b9", 1),
    others: [blu("bc:02:6e:c3:00:01", 1), blu("bc:02:6e:c3:00:01", 0)],
  },
  "channels of a recorder": {
    input: {
      mqtt: "hikvision/events",
      where: [
        { path: "/EventNotificationAlert/channelID", in: [3] },
        { path: "/EventNotificationAlert/eventType", in: ["linedetection"] },
      ],
      path: "/EventNotificationAlert/eventState",
      open: ["active"],
      normal: ["inactive"],
    },
    opens: hikvision("3", "linedetection", "active"),
    others: [hikvision("2", "linedetection", "active"), hikvision("3", "VMD", "inactive")],
  },
  "groups behind a KNX gateway": {
    input: {
      mqtt: "knx/bus",
      where: [{ path: "/destination", in: ["1/2/3"] }],
      path: "/value",
      open: [true],
      normal: [false],
    },
    opens: knx("1/2/3", "ON"),
    others: [knx("1/2/4", true), knx("1/2/4", "off")],
  },
  "Bluetooth sensors behind OpenMQTTGateway": {
    input: {
      mqtt: "home/OMG/BTtoMQTT",
      where: [{ path: "/id", in: ["AA:BB:CC:DD:EE:FF"] }],
      path: "/open",
      open: [true],
      normal: [false],
    },
    opens: omg("aa:bb:cc:dd:ee:ff", "true"),
    others: [omg("AA:BB:CC:DD:EE:00", true), omg("AA:BB:CC:DD:EE:00", false)],
  },
};

describe("another device on the topic of", () => {
  test.each(Object.entries(DEVICES))("%s neither opens nor closes the zone", async (_what, device) => {
    const { input, opens, others, more } = device;
    const site = MonitoredZones.forTest([zoneOf({ input, ...more, supervisionTimeoutS: 900 })]);
    const mqtt = new MqttZones(site.common);
    const topic = input.mqtt.replace("+", "one");
    const publish = (text: string): Promise<void> =>
      mqtt.deliver({ topic, payload: Buffer.from(text), isRetained: false });
    site.monitor.read("front-door", "normal", { live: true });
    for (const text of others) await publish(text);
    expect(site.trips).toEqual([]);
    await publish(opens);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["front-door"]);
    for (const text of others) await publish(text);
    expect(site.contactOf("front-door")).toBe("open");
    // It is not a sign of life either.
    for (let minute = 0; minute < 16; minute += 1) {
      site.clock.advance(60_000);
      if (!more) for (const text of others) await publish(text);
    }
    expect(site.journal.faults.list().map(({ fault }) => fault)).toEqual(["supervision"]);
    expect(site.logged("mqtt-payload-rejected")).toEqual([]);
  });
});

test("the codes of several remotes on one topic are distinguished without conditions", async () => {
  const at = (id: string, code: string) =>
    zoneOf({
      id,
      input: { mqtt: "tele/rf/RESULT", path: "/RfReceived/Data", open: [code] },
      supervisionTimeoutS: 900,
    });
  const site = MonitoredZones.forTest([at("left", "E5C1A4"), at("right", "E5C1A8")]);
  const mqtt = new MqttZones(site.common);
  for (const id of ["left", "right"]) site.monitor.read(id, "normal", { live: true });
  const publish = (code: string): Promise<void> =>
    mqtt.deliver({ topic: "tele/rf/RESULT", payload: Buffer.from(rfBridge(code)), isRetained: false });
  await publish("E5C1A4");
  await publish("E5C1A8");
  expect([site.contactOf("left"), site.contactOf("right")]).toEqual(["open", "open"]);
  for (let minute = 0; minute < 16; minute += 1) {
    site.clock.advance(60_000);
    await publish("E5C1A8");
  }
  expect(site.journal.faults.list()).toMatchObject([{ owner: "left", fault: "supervision" }]);
});
