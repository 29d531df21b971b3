import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { discoveredSensors } from "../../src/domain/discovery/home-assistant-message.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { AnnouncedDeviceFile } from "../../src/ops/announced-device.ts";
import { HomeAssistantRemoval } from "../../src/inputs/home-assistant-removal.ts";
import { HomeAssistant, type InstallationState } from "../../src/inputs/home-assistant.ts";
import {
  BuiltInPublisher,
  ExternalPublisher,
  type RetainedPublisher,
} from "../../src/inputs/retained-publisher.ts";
import { brokerPort, builtInBrokerOf } from "../support/built-in-broker.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { eventually } from "../support/eventually.ts";
import { describeWithMosquitto, startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const DOOR = zoneOf({ id: "front-door", name: "Ușa", input: { simulated: true } });
const SMOKE = zoneOf({ id: "smoke", name: "Fum", kind: "fire", input: { simulated: true } });

/** A sensor that reports its battery and its tamper. */
const GATE = zoneOf({
  id: "gate",
  name: "Poartă",
  input: {
    mqtt: "zigbee2mqtt/gate",
    path: "/contact",
    open: [false],
    normal: [true],
  },
  battery: { path: "/battery", below: 15 },
  tamper: { path: "/tamper", open: [true] },
});

let site: MonitoredZones;
let state: InstallationState;
let shown: HomeAssistant;
let isBroken = false;
let siteName: string;
let siteRef: string;
let zones: readonly Zone[];
let folder: string;
beforeEach(() => {
  siteRef = "hala.nord";
  zones = [DOOR, SMOKE];
  folder = temporaryFolder();
  siteName = "Hala Nord";
  site = MonitoredZones.forTest([DOOR, SMOKE]);
  state = {
    zones: [
      { id: "front-door", contact: "normal", faults: [] },
      { id: "smoke", contact: "unknown", faults: [] },
    ],
    headline: { level: "well", text: "all is well" },
    link: { state: "up" },
    outbox: { waiting: 0 },
    isClockTrusted: true,
  };
});

async function show(publisher: RetainedPublisher): Promise<void> {
  shown = new HomeAssistant({
    zones,
    site: () => ({ name: siteName, ref: siteRef }),
    prefix: "homeassistant",
    version: "1.2.3",
    panelUrl: () => "https://192.168.1.20:8080/",
    publisher,
    announced: new AnnouncedDeviceFile(folder),
    clock: site.clock,
    log: site.log,
    readState: () => {
      if (isBroken) throw new Error("disk I/O error");
      return state;
    },
  });
  await shown.start();
}

/** Retained messages of a broker, as a new subscriber receives them. */
class Watcher {
  readonly kept = new Map<string, string>();
  readonly #client: MqttClient;

  private constructor(client: MqttClient) {
    this.#client = client;
    client.on("message", (topic, payload) => this.kept.set(topic, payload.toString()));
  }

  static async at(url: string): Promise<Watcher> {
    const watcher = new Watcher(await connectAsync(url));
    await watcher.#client.subscribeAsync(["santinela/#", "homeassistant/#"], { qos: 1 });
    return watcher;
  }

  get states(): Record<string, string> {
    return Object.fromEntries([...this.kept].filter(([topic]) => topic.startsWith("santinela/")));
  }

  async end(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

const QUIET = {
  "santinela/hala.nord/availability": "online",
  "santinela/hala.nord/zones/front-door": "normal",
  "santinela/hala.nord/zones/smoke": "None",
  "santinela/hala.nord/headline": "well",
  "santinela/hala.nord/headline/text": '{"text":"all is well"}',
  "santinela/hala.nord/link": "up",
  "santinela/hala.nord/queue": "0",
  "santinela/hala.nord/clock": "trusted",
};

describeWithMosquitto("Home Assistant at an external broker", () => {
  let broker: Mosquitto;
  let watcher: Watcher;
  const publisher = () =>
    new ExternalPublisher({ broker: { url: broker.url }, clientId: "santinela-shown", log: site.log });

  beforeEach(async () => {
    // A broker without persistence.
    broker = await startMosquitto([], []);
    await show(publisher());
    watcher = await Watcher.at(broker.url);
  });
  afterEach(async () => {
    await shown.stop();
    await watcher.end();
    await broker.stop();
  });

  test("shows the installation as one device, with its zones, link, queue and clock", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    expect(watcher.states).toEqual(QUIET);
    const [topic, text] = [...watcher.kept].find(([kept]) => kept.startsWith("homeassistant/")) ?? ["", "{}"];
    expect(topic).toBe("homeassistant/device/santinela_hala_nord/config");
    const announcement = JSON.parse(text) as { components: Record<string, unknown> };
    expect(announcement).toMatchObject({
      device: {
        name: "Santinela Hala Nord",
        sw_version: "1.2.3",
        configuration_url: "https://192.168.1.20:8080/",
      },
      availability: [{ topic: "santinela/hala.nord/availability" }],
    });
    expect(Object.keys(announcement.components)).toEqual([
      "zone_front-door",
      "zone_smoke",
      "headline",
      "alarm",
      "link",
      "queue",
      "clock",
    ]);
    // Another installation could discover the zones as its own sensors.
    const sensors = discoveredSensors(topic.replace("homeassistant/", ""), announcement);
    expect(sensors.find(({ deviceClass }) => deviceClass === "smoke")).toMatchObject({
      name: "Santinela Hala Nord Fum",
      topic: "santinela/hala.nord/zones/smoke",
      open: ["open"],
      normal: ["normal"],
    });
  });

  test("shows battery and tamper of a zone whose sensor reports them, until it no longer does", async () => {
    state = { ...state, zones: [{ id: "gate", contact: "normal", faults: [{ fault: "battery" }] }] };
    shown.exchange([GATE]);
    const topic = "homeassistant/device/santinela_hala_nord/config";
    const components = () =>
      (JSON.parse(watcher.kept.get(topic) ?? "{}") as { components: Record<string, object> }).components;
    await eventually("the battery", () => watcher.states["santinela/hala.nord/zones/gate/battery"] === "ON");
    await eventually("the tamper", () => watcher.states["santinela/hala.nord/zones/gate/tamper"] === "OFF");
    expect(components()).toMatchObject({
      battery_gate: { name: "Poartă battery", device_class: "battery", entity_category: "diagnostic" },
      tamper_gate: { device_class: "tamper", state_topic: "santinela/hala.nord/zones/gate/tamper" },
      link: { entity_category: "diagnostic" },
      clock: { entity_category: "diagnostic" },
    });
    expect(components()["alarm"]).not.toHaveProperty("entity_category");

    shown.exchange([zoneOf({ id: "gate", name: "Poartă", input: { simulated: true } })]);
    await eventually("its removal", () => watcher.kept.get("santinela/hala.nord/zones/gate/battery") === "");
    expect(components()["battery_gate"]).toEqual({ platform: "binary_sensor" });
    expect(components()["zone_gate"]).toMatchObject({ name: "Poartă" });
  });

  test("is renamed with the site, and keeps its topics", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    siteName = "Hala Sud";
    site.clock.advance(1_000);
    await eventually("the new name", () =>
      watcher.kept.get("homeassistant/device/santinela_hala_nord/config")?.includes("Santinela Hala Sud"),
    );
    expect(watcher.states).toEqual(QUIET);
  });

  test("removes a zone that is no longer configured, and adds a new one", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    const yard = zoneOf({ id: "yard", name: "Curte", input: { simulated: true } });
    state = {
      ...state,
      zones: [
        { id: "front-door", contact: "normal", faults: [] },
        { id: "yard", contact: "open", faults: [] },
      ],
    };
    shown.exchange([DOOR, yard]);
    await eventually("the new zone", () => watcher.kept.get("santinela/hala.nord/zones/yard") === "open");
    const later = await Watcher.at(broker.url);
    await eventually("what is kept", () => later.kept.size === 9);
    expect(Object.keys(later.states).filter((topic) => topic.includes("/zones/"))).toEqual([
      "santinela/hala.nord/zones/front-door",
      "santinela/hala.nord/zones/yard",
    ]);
    const text = later.kept.get("homeassistant/device/santinela_hala_nord/config") ?? "{}";
    const { components } = JSON.parse(text) as { components: Record<string, object> };
    // A component with only its platform is a removal.
    expect(components["zone_smoke"]).toEqual({ platform: "binary_sensor" });
    expect(components["zone_yard"]).toMatchObject({ name: "Curte" });
    await later.end();
  });

  test("shows an open door, and the queue while the link is down", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    state = {
      ...state,
      zones: [{ id: "front-door", contact: "open", faults: [] }],
      link: { state: "down" },
      outbox: { waiting: 3 },
    };
    site.clock.advance(1_000);
    const expected = {
      ...QUIET,
      "santinela/hala.nord/zones/front-door": "open",
      "santinela/hala.nord/link": "down",
      "santinela/hala.nord/queue": "3",
    };
    await eventually("the change", () => watcher.states["santinela/hala.nord/queue"] === "3");
    expect(watcher.states).toEqual(expected);
  });

  test("recovers after the database was unreadable, and delays nothing", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    isBroken = true;
    site.clock.advance(3_000);
    isBroken = false;
    state = { ...state, outbox: { waiting: 5 } };
    site.clock.advance(1_000);
    await eventually("the change", () => watcher.states["santinela/hala.nord/queue"] === "5");
    expect(site.logged("home-assistant-publish-failed")).toHaveLength(1);
  });

  test("shows the installation as unavailable while its state cannot be read", async () => {
    const availability = () => watcher.states["santinela/hala.nord/availability"];
    await eventually("all of it", () => watcher.kept.size === 9);
    isBroken = true;
    site.clock.advance(3_000);
    expect(availability()).toBe("online");
    for (let second = 0; second < 3; second += 1) site.clock.advance(1_000);
    await eventually("the failure", () => availability() === "offline");
    isBroken = false;
    site.clock.advance(1_000);
    await eventually("the state", () => availability() === "online");
    expect(watcher.states).toEqual(QUIET);
  });

  test("shows the daemon as unavailable after its stop", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    await shown.stop();
    await eventually("its last will", () => watcher.states["santinela/hala.nord/availability"] === "offline");
  });

  test("removes a zone that a restart has removed, and still does at the next one", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    for (let start = 0; start < 2; start += 1) {
      await shown.stop();
      await eventually("its end", () => watcher.states["santinela/hala.nord/availability"] === "offline");
      zones = [DOOR];
      await show(publisher());
      await eventually("its start", () => watcher.states["santinela/hala.nord/availability"] === "online");
      expect(watcher.states["santinela/hala.nord/zones/smoke"]).toBe("");
      const { components } = JSON.parse(
        watcher.kept.get("homeassistant/device/santinela_hala_nord/config") ?? "",
      ) as { components: Record<string, object> };
      expect(components["zone_smoke"]).toEqual({ platform: "binary_sensor" });
      expect(components["zone_front-door"]).toHaveProperty("name");
    }
  });

  test("moves to another reference of the site, at a reload and at a restart", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    const isMoved = (from: string, to: string): boolean =>
      watcher.states[`santinela/${to}/availability`] === "online" &&
      watcher.kept.get(`homeassistant/device/santinela_${from.replace(".", "_")}/config`) === "" &&
      Object.entries(watcher.states).every(([topic, text]) => !topic.includes(from) || text === "");
    siteRef = "depot";
    site.clock.advance(1_000);
    await eventually("the move", () => isMoved("hala.nord", "depot"));
    await shown.stop();
    siteRef = "yard";
    await show(publisher());
    await eventually("the move at a restart", () => isMoved("depot", "yard"));
  });

  test("removes the device of a former reference that was changed while the broker was away, also after a restart", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    await watcher.end();
    await broker.kill();
    siteRef = "depot";
    site.clock.advance(1_000);
    shown.exchange([DOOR]);
    await shown.stop();
    await broker.startAgain();
    // What a broker with persistence has kept.
    const kept = await connectAsync(broker.url);
    for (const [topic, text] of watcher.kept) await kept.publishAsync(topic, text, { qos: 1, retain: true });
    await kept.endAsync();
    await show(publisher());
    watcher = await Watcher.at(broker.url);
    await eventually("the new reference", () => watcher.states["santinela/depot/availability"] === "online");
    const later = await Watcher.at(broker.url);
    await eventually("what is kept", () => later.states["santinela/depot/availability"] === "online");
    expect([...later.kept.keys()].filter((topic) => topic.includes("hala"))).toEqual([]);
    await later.end();
  });

  test("stores what it has announced once the disk has space again", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    const file = join(folder, "home-assistant.json");
    rmSync(file);
    // A directory in its place, as a full disk, cannot be replaced.
    mkdirSync(join(file, "full"), { recursive: true });
    shown.exchange([DOOR]);
    for (let second = 0; second < 120; second += 1) site.clock.advance(1_000);
    expect(site.logged("home-assistant-save-failed")).toHaveLength(1);
    rmSync(file, { recursive: true });
    site.clock.advance(60_000);
    const stored = new AnnouncedDeviceFile(folder).load();
    expect(stored?.entities.map(([key]) => key)).toEqual(["zone_smoke", "zone_front-door"]);
  });

  test("removes the device once it is no longer to be shown", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    await shown.stop();
    const announced = new AnnouncedDeviceFile(folder);
    const device = announced.load();
    if (!device) throw new Error("no device was stored");
    const { clock, log } = site;
    const removal = new HomeAssistantRemoval({ device, announced, publisher: publisher(), clock, log });
    await removal.start();
    await eventually("the removal", () => [...watcher.kept.values()].every((text) => text === ""));
    clock.advance(60_000);
    expect(announced.load()).toBeUndefined();
    await removal.stop();
  });

  test("receives everything again after the broker has lost its data", async () => {
    await eventually("all of it", () => watcher.kept.size === 9);
    await watcher.end();
    await broker.kill();
    await broker.startAgain();
    watcher = await Watcher.at(broker.url);
    await eventually("all of it again", () => watcher.kept.size === 9);
    expect(watcher.states).toEqual(QUIET);
  });
});

describe("Home Assistant at the built-in broker", () => {
  test("shows the same", async () => {
    const broker = builtInBrokerOf(site);
    await broker.start();
    await show(new BuiltInPublisher(broker, site.log));
    const watcher = await Watcher.at(`mqtt://127.0.0.1:${brokerPort(site)}`);
    await eventually("all of it", () => watcher.kept.size === 9);
    expect(watcher.states).toEqual(QUIET);
    await shown.stop();
    await eventually("its end", () => watcher.states["santinela/hala.nord/availability"] === "offline");
    await watcher.end();
    await broker.stop();
  });
});
