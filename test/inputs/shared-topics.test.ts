import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, describe, expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import type { BuiltInBroker } from "../../src/inputs/built-in-broker.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* Several sensors on one topic, each zone with conditions that select its messages. */

type Options = Partial<ZoneOptions> & Pick<ZoneOptions, "input">;

let site: MonitoredZones;
let mqtt: MqttZones;
let broker: BuiltInBroker;
let device: MqttClient;

async function watch(...zones: readonly Options[]): Promise<void> {
  site = new MonitoredZones(zones.map((zone) => zoneOf(zone)));
  mqtt = new MqttZones(site.common);
  broker = builtInBrokerOf(site, { zones: mqtt });
  await broker.start();
  device = await connectAsync(`mqtt://127.0.0.1:${brokerPort(site)}`);
}
afterEach(async () => {
  await device.endAsync(true);
  await broker.stop();
  site.close();
});

const publish = (topic: string, payload: unknown): Promise<unknown> =>
  device.publishAsync(topic, typeof payload === "string" ? payload : JSON.stringify(payload), { qos: 1 });
/** Events of the zones, in order. */
const happened = (): string[] =>
  site.logLines.flatMap(({ event, zone }) =>
    ["zone-first-sight", "zone-trip", "zone-restore"].includes(String(event))
      ? [`${String(event).slice(5)} ${String(zone)}`]
      : [],
  );
const faults = (): string[] => site.journal.faults.list().map(({ owner, fault }) => `${owner} ${fault}`);

describe("a Shelly i4 whose four inputs share one topic", () => {
  const TOPIC = "shellyplusi4-a8032ab1fe78/events/rpc";
  const frame = (params: object, method = "NotifyStatus"): object => ({
    src: "shellyplusi4-a8032ab1fe78",
    dst: "shellyplusi4-a8032ab1fe78/events",
    method,
    params: { ts: 1669292364.18, ...params },
  });
  const event = (id: number, what: string): object => ({
    component: `input:${id}`,
    id,
    event: what,
    ts: 1669292364.18,
  });
  const statusZone = (id: number): Options => ({
    id: `input-${id}`,
    input: {
      mqtt: TOPIC,
      where: [{ path: `/params/input:${id}/state`, exists: true }],
      path: `/params/input:${id}/state`,
      open: [true],
      normal: [false],
    },
    supervisionTimeoutS: 900,
  });
  const eventZone = (id: number): Options => ({
    id: `input-${id}`,
    input: {
      mqtt: TOPIC,
      where: [{ path: "/params/events/component", in: [`input:${id}`] }],
      path: "/params/events/event",
      open: ["btn_down"],
      normal: ["btn_up"],
    },
    supervisionTimeoutS: 900,
  });

  test("opens and closes the zone of the input that the frame names, and no other", async () => {
    await watch(...[0, 1, 2, 3].map(statusZone));
    for (const id of [0, 1, 2, 3]) await publish(TOPIC, frame({ [`input:${id}`]: { id, state: false } }));
    await publish(TOPIC, frame({ "input:2": { id: 2, state: true } }));
    await publish(TOPIC, frame({ "input:1": { id: 1, state: false } }));
    await publish(TOPIC, frame({ "input:2": { id: 2, state: false } }));
    expect(happened().slice(4)).toEqual(["trip input-2", "restore input-2"]);
  });

  test("shows only the input named in the frame as online", async () => {
    await watch(...[0, 1].map(statusZone));
    for (let minute = 0; minute < 16; minute += 1) {
      await publish(TOPIC, frame({ "input:1": { id: 1, state: false } }));
      site.clock.advance(60_000);
    }
    expect(faults()).toEqual(["input-0 supervision"]);
  });

  test("may report several events in one frame: each is an edge of its own, in order", async () => {
    await watch(...[0, 1, 2, 3].map(eventZone));
    for (const id of [0, 1, 2, 3])
      await publish(TOPIC, frame({ events: [event(id, "btn_up")] }, "NotifyEvent"));
    const events = [event(3, "btn_down"), event(0, "btn_down"), event(3, "btn_up"), event(3, "btn_down")];
    await publish(TOPIC, frame({ events }, "NotifyEvent"));
    expect(happened().slice(4)).toEqual(["trip input-0", "trip input-3", "restore input-3", "trip input-3"]);
    await publish(TOPIC, frame({ "input:3": { id: 3, state: false } }));
    await publish(TOPIC, frame({ events: [] }, "NotifyEvent"));
    expect(happened()).toHaveLength(8);
  });

  test("trips once when a frame is repeated after a lost acknowledgement", async () => {
    await watch(eventZone(0));
    await publish(TOPIC, frame({ events: [event(0, "btn_up")] }, "NotifyEvent"));
    const payload = JSON.stringify(
      frame({ events: [event(0, "btn_down"), event(0, "btn_up")] }, "NotifyEvent"),
    );
    const message = { topic: TOPIC, payload: Buffer.from(payload), isRetained: false };
    const delivery = { session: "i4", packetId: 7, isRepeated: false };
    await mqtt.deliver({ ...message, delivery });
    await mqtt.deliver({ ...message, delivery: { ...delivery, isRepeated: true } });
    expect(happened()).toEqual(["first-sight input-0", "trip input-0", "restore input-0"]);
  });

  test("is not acknowledged when a frame cannot be recorded, and delivers it completely again", async () => {
    await watch(eventZone(0), eventZone(1));
    for (const id of [0, 1]) await publish(TOPIC, frame({ events: [event(id, "btn_up")] }, "NotifyEvent"));
    const events = [event(0, "btn_down"), event(1, "btn_down")];
    const payload = Buffer.from(JSON.stringify(frame({ events }, "NotifyEvent")));
    const message = { topic: TOPIC, payload, isRetained: false };
    site.breakJournal();
    await expect(mqtt.deliver(message)).rejects.toThrow(/readonly/);
    site.repairJournal();
    expect(site.trips).toEqual([]);
    await mqtt.deliver(message);
    expect(site.trips.map(({ zoneId }) => zoneId)).toEqual(["input-0", "input-1"]);
  });
});

describe("a frame with more events than any device sends", () => {
  test("changes nothing and is logged", async () => {
    await watch({ input: { mqtt: "many", path: "/e/s", open: [1], normal: [0] } });
    await publish("many", { e: [{ s: 0 }] });
    await publish("many", { e: Array.from({ length: 257 }, () => ({ s: 1 })) });
    expect(happened()).toEqual(["first-sight front-door"]);
    expect(site.logged("mqtt-payload-rejected")).toMatchObject([{ reason: "too-many-entries" }]);
  });
});

describe("the reviews of several cameras on one topic", () => {
  const camera = (name: string, objects: string[] = ["person"]): Options => ({
    id: name,
    kind: "motion",
    input: {
      mqtt: "frigate/reviews",
      where: [
        { path: "/after/camera", in: [name] },
        { path: "/after/severity", in: ["alert"] },
        { path: "/after/data/objects", in: objects },
      ],
      path: "/type",
      open: ["new", "update"],
      normal: ["end"],
    },
  });
  const review = (type: string, name: string, more: object = {}): object => {
    const after = { id: "1718987129.308396-fqk5ka", camera: name, severity: "alert", ...more };
    return { type, before: { ...after }, after: { data: { objects: ["dog", "person"] }, ...after } };
  };

  test("open the zone of their camera, severity and object, and the end of another review closes nothing", async () => {
    await watch(camera("yard"), camera("gate"));
    for (const name of ["yard", "gate"]) await publish("frigate/reviews", review("end", name));
    await publish("frigate/reviews", review("new", "yard", { severity: "detection" }));
    await publish("frigate/reviews", review("new", "yard", { data: { objects: ["cat"] } }));
    expect(happened()).toHaveLength(2);
    await publish("frigate/reviews", review("update", "yard"));
    await publish("frigate/reviews", review("end", "gate"));
    expect(site.contactOf("yard")).toBe("open");
    await publish("frigate/reviews", review("end", "yard"));
    expect(happened().slice(2)).toEqual(["trip yard", "restore yard"]);
  });
});

describe("a message with lists", () => {
  const read = async (input: ZoneOptions["input"], payload: unknown): Promise<string[]> => {
    await watch({ input });
    site.monitor.read("front-door", "normal", { live: true });
    const before = happened().length;
    await publish("lists", payload);
    return happened().slice(before);
  };
  const event = { mqtt: "lists", path: "/e/s", open: [1], normal: [0] };

  test("that is a list is read entry by entry", async () => {
    const input = { ...event, path: "/s", where: [{ path: "/id", in: [7] }] };
    const payload = [
      { id: 7, s: 1 },
      { id: 8, s: 0 },
      { id: 7, s: 0 },
    ];
    expect(await read(input, payload)).toEqual(["trip front-door", "restore front-door"]);
  });

  test("has its conditions on the message, the list and the entry", async () => {
    const input = {
      ...event,
      path: "/a/e/s",
      where: [
        { path: "/site", in: ["hall"] },
        { path: "/a/name", in: ["left"] },
        { path: "/a/e/id", in: [2] },
      ],
    };
    const list = (name: string) => ({
      name,
      e: [
        { id: 1, s: 1 },
        { id: 2, s: name === "left" ? 1 : 0 },
      ],
    });
    expect(await read(input, { site: "hall", a: [list("left"), list("right")] })).toEqual([
      "trip front-door",
    ]);
  });

  test("may have the sensor and the value in different lists", async () => {
    const input = {
      ...event,
      path: "/event",
      open: ["TRIGGER"],
      where: [{ path: "/sensors/name", in: ["Yard"] }],
    };
    const sensors = [{ name: "Hall" }, { name: "Yard" }];
    expect(await read(input, { event: "TRIGGER", sensors })).toEqual(["trip front-door"]);
  });

  test("whose path has a number is read only at that index", async () => {
    expect(await read({ ...event, path: "/e/1/s" }, { e: [{ s: 1 }, { s: 0 }] })).toEqual([]);
  });

  test("may have a single entry without a list", async () => {
    expect(await read(event, { e: { s: 1 } })).toEqual(["trip front-door"]);
  });
});

describe("a zone on a shared topic", () => {
  const sensor = (id: string, more: Partial<ZoneOptions> = {}): Options => ({
    id,
    input: {
      mqtt: "rtl_433/house/events",
      where: [{ path: "/id", in: [id] }],
      path: "/state",
      open: ["open"],
      normal: ["closed"],
    },
    tamper: { path: "/tamper", open: [1] },
    battery: { path: "/battery_ok", low: [0] },
    ...more,
  });

  test("reads neither tamper nor battery from the message of another device", async () => {
    await watch(sensor("771"), sensor("772"));
    await publish("rtl_433/house/events", { id: 772, state: "closed", tamper: 1, battery_ok: 0 });
    expect(faults()).toEqual(["772 battery", "772 tamper"]);
  });

  test("may have its battery in other messages of the topic, with conditions of their own", async () => {
    const battery = {
      mqtt: "rtl_433/house/events",
      where: [
        { path: "/id", in: [771] },
        { path: "/state", exists: false },
      ],
      path: "/battery_ok",
      low: [0],
    };
    await watch(sensor("771", { battery }));
    await publish("rtl_433/house/events", { id: 771, battery_ok: 0, state: "open" });
    expect(faults()).toEqual([]);
    await publish("rtl_433/house/events", { id: 771, battery_ok: 0 });
    expect(faults()).toEqual(["771 battery"]);
  });

  test("compares long transmitter codes digit by digit", async () => {
    await watch(sensor("76561198000000001"), sensor("76561198000000002"));
    for (const id of ["76561198000000001", "76561198000000002"])
      await publish("rtl_433/house/events", { id, state: "closed" });
    await publish("rtl_433/house/events", { id: "76561198000000002", state: "open" });
    expect(happened().slice(2)).toEqual(["trip 76561198000000002"]);
  });

  test("is not changed by messages for no zone, which are counted by topic and logged once a minute", async () => {
    await watch(sensor("771"));
    for (let message = 0; message < 5; message += 1)
      await publish("rtl_433/house/events", { id: 900 + message, state: "open" });
    expect(happened()).toEqual([]);
    expect(site.logged("mqtt-message-for-no-zone")).toHaveLength(1);
    expect(mqtt.counts.list()).toEqual([{ topic: "rtl_433/house/events", reason: "no-zone", count: 5 }]);
    site.clock.advance(60_000);
    await publish("rtl_433/house/events", { id: 1, state: "open" });
    expect(site.logged("mqtt-message-for-no-zone")[1]).toMatchObject({ count: 6 });
  });

  test("with a broad filter keeps a limited number of counts, whatever topics a client invents", async () => {
    const input = { mqtt: "made/up/#", where: [{ path: "/id", in: [1] }], path: "/s", open: [1] };
    await watch({ input });
    const message = { payload: Buffer.from("{}"), isRetained: false };
    for (let topic = 0; topic < 1000; topic += 1)
      await mqtt.deliver({ ...message, topic: `made/up/${topic}` });
    const counts = mqtt.counts.list();
    expect(counts).toHaveLength(257);
    expect(counts[0]).toEqual({ topic: "other topics", reason: "no-zone", count: 744 });
  });

  test("behind one of two bridges on one topic follows its own bridge", async () => {
    const bridge = (name: string) => ({
      mqtt: "bridges",
      where: [{ path: "/name", in: [name] }],
      path: "/state",
    });
    await watch(
      { id: "a", input: { gpio: 4 }, bridge: bridge("cellar"), unavailableGraceS: 0 },
      { id: "b", input: { gpio: 5 }, bridge: bridge("attic"), unavailableGraceS: 0 },
    );
    await publish("bridges", { name: "cellar", state: "offline" });
    await publish("bridges", { name: "attic", state: "offline" });
    await publish("bridges", { name: "attic", state: "online" });
    expect(faults()).toEqual(["bridges (/name = cellar) supervision"]);
  });

  test("follows the arming condition of its own area", async () => {
    const gate = (area: string) => ({
      mqtt: "panel",
      where: [{ path: "/area", in: [area] }],
      path: "/armed",
      open: [1],
      normal: [0],
    });
    await watch({ id: "a", input: { mqtt: "a", open: ["ON"] }, gate: gate("A") });
    await publish("panel", { area: "A", armed: 0 });
    await publish("panel", { area: "B", armed: 1 });
    await publish("a", "OFF");
    await publish("a", "ON");
    expect(site.trips.map(({ state }) => state)).toEqual(["gated"]);
  });
});

describe("a bridge with plain text payloads", () => {
  const zone = (path: string | undefined): Options => ({
    input: { gpio: 4 },
    unavailableGraceS: 0,
    bridge: { mqtt: "zigbee2mqtt/bridge/state", ...(path === undefined ? {} : { path }) },
    availability: { mqtt: "zigbee2mqtt/door/availability", ...(path === undefined ? {} : { path }) },
  });

  test.each([
    ["/state", "offline", "online"],
    [undefined, '{"state":"offline"}', '{"state":"online"}'],
    ["/state", '"offline"', '{"state":"online"}'],
  ])("is parsed with the path %s: %s", async (path, offline, online) => {
    await watch(zone(path));
    await publish("zigbee2mqtt/bridge/state", offline);
    await publish("zigbee2mqtt/door/availability", offline);
    expect(faults()).toEqual(["front-door supervision", "zigbee2mqtt/bridge/state supervision"]);
    await publish("zigbee2mqtt/bridge/state", online);
    await publish("zigbee2mqtt/door/availability", online);
    expect(faults()).toEqual([]);
    expect(site.logged("mqtt-payload-rejected")).toEqual([]);
  });
});
