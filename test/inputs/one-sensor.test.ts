import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

const WINDOW = zoneOf({
  id: "window",
  input: { mqtt: "+/window", path: "/open", open: [true], normal: [false], oneSensor: true },
  tamper: { path: "/tamper", open: [true] },
  battery: { path: "/batt", below: 15 },
});

describe("a sensor that several gateways receive", () => {
  let site: MonitoredZones;
  let mqtt: MqttZones;

  beforeEach(() => {
    site = new MonitoredZones([WINDOW]);
    mqtt = new MqttZones(site.common);
  });
  afterEach(() => site.close());

  const send = (gateway: string, message: unknown, isRetained = false): Promise<void> =>
    mqtt.deliver({
      topic: `${gateway}/window`,
      payload: Buffer.from(message === "" ? "" : JSON.stringify(message)),
      isRetained,
    });
  const retained = (gateway: string, message: unknown): Promise<void> => send(gateway, message, true);
  function restart(): void {
    site.restart();
    mqtt = new MqttZones(site.common);
  }
  const faults = (): string[] => site.journal.faults.list().map(({ fault }) => fault);
  /** The numbers of trips and restores, without those of the faults. */
  const effects = (): number[] =>
    ["zone-trip", "zone-restore"].map(
      (wanted) => site.logLines.filter(({ event }) => event === wanted).length,
    );

  test("closes with the newest message, although another gateway has missed it", async () => {
    await send("a", { open: false });
    await send("a", { open: true });
    await send("b", { open: true });
    await send("a", { open: false });
    expect(effects()).toEqual([1, 1]);
    await send("a", { open: true });
    expect(effects()).toEqual([2, 1]);
    expect(mqtt.activeTopics("window", "contact")).toEqual(["a/window"]);
  });

  test("has no tamper and no low battery once any gateway reports that they have ended", async () => {
    await send("a", { open: false, tamper: true, batt: 10 });
    await send("b", { open: false, tamper: true, batt: 10 });
    expect(faults().toSorted()).toEqual(["battery", "tamper"]);
    await send("a", { open: false, tamper: false, batt: 90 });
    expect(faults()).toEqual([]);
  });

  test("is not opened by what a gateway retains that has missed the closing", async () => {
    await send("a", { open: false });
    await send("a", { open: true, tamper: true });
    await send("b", { open: true, tamper: true });
    await send("a", { open: false, tamper: false });
    for (const again of [() => undefined, restart]) {
      again();
      await retained("a", { open: false, tamper: false });
      await retained("b", { open: true, tamper: true });
      expect(effects()).toEqual([1, 1]);
      expect(faults()).toEqual([]);
    }
    await send("a", { open: true });
    expect(effects()).toEqual([2, 1]);
  });

  test("is not closed by what a gateway retains that has missed the opening", async () => {
    await send("a", { open: false });
    await send("b", { open: false });
    await send("b", { open: true });
    restart();
    await retained("a", { open: false });
    await retained("b", { open: true });
    expect(effects()).toEqual([1, 0]);
    expect(site.contactOf("window")).toBe("open");
  });

  test("opens and closes with what a gateway has retained while the daemon was stopped", async () => {
    await send("a", { open: false });
    restart();
    await retained("b", { open: true });
    expect(effects()).toEqual([1, 0]);
    restart();
    await retained("b", { open: false });
    expect(effects()).toEqual([1, 1]);
  });

  test("is closed once the only topic that had it open is removed", async () => {
    await send("a", { open: false });
    await send("a", { open: true, tamper: true });
    await send("b", { open: true, tamper: true });
    await send("b", { open: false, tamper: false });
    await send("a", "");
    expect(effects()).toEqual([1, 1]);
    expect(faults()).toEqual([]);
  });

  test("is closed once the topic that decided last is removed, and names it before", async () => {
    await send("a", { open: false });
    await send("a", { open: true, tamper: true, batt: 10 });
    await send("b", { open: true, tamper: true, batt: 10 });
    expect(mqtt.activeTopics("window", "contact")).toEqual(["a/window", "b/window"]);
    await send("a", { open: false, tamper: false, batt: 90 });
    await send("c", { open: true, tamper: true, batt: 10 });
    restart();
    expect(mqtt.activeTopics("window", "contact")).toEqual(["c/window"]);
    await send("c", "");
    expect(site.contactOf("window")).toBe("normal");
    expect(faults()).toEqual([]);
    expect(mqtt.activeTopics("window", "contact")).toEqual([]);
  });

  test("stays open while another topic that has received the opening is left", async () => {
    await send("a", { open: false });
    await send("a", { open: true });
    await send("b", { open: true });
    await send("b", "");
    expect(site.contactOf("window")).toBe("open");
    await send("a", "");
    expect(site.contactOf("window")).toBe("normal");
  });

  test("opens with another message that a gateway has retained meanwhile, although it had missed the closing", async () => {
    await send("a", { open: false, packet: 0 });
    await send("a", { open: true, packet: 1 });
    await send("b", { open: true, packet: 1 });
    await send("a", { open: false, packet: 2 });
    restart();
    await retained("a", { open: false, packet: 2 });
    await retained("b", { open: true, packet: 1 });
    expect(effects()).toEqual([1, 1]);
    restart();
    await retained("b", { open: true, packet: 3 });
    expect(effects()).toEqual([2, 1]);
  });

  test("closes with another message that a gateway has retained meanwhile, although it had missed the opening", async () => {
    await send("a", { open: false, packet: 1 });
    await send("b", { open: true, packet: 2 });
    restart();
    await retained("a", { open: false, packet: 1 });
    expect(effects()).toEqual([1, 0]);
    await retained("a", { open: false, packet: 3 });
    expect(effects()).toEqual([1, 1]);
  });

  test("reads a retained message again that could not be stored", async () => {
    await send("a", { open: false, packet: 0 });
    await send("b", { open: true, packet: 1 });
    await send("a", { open: false, packet: 2 });
    site.breakJournal();
    await expect(retained("b", { open: true, packet: 3 })).rejects.toThrow();
    site.repairJournal();
    await retained("b", { open: true, packet: 3 });
    expect(effects()[0]).toBe(2);
  });
});

describe("a zone that is given `oneSensor`", () => {
  const input = { mqtt: "+/leak", path: "/open", open: [true], normal: [false] };
  const before = zoneOf({ id: "leak", kind: "flood", input, tamper: { path: "/tamper", open: [true] } });
  const after = zoneOf({
    id: "leak",
    kind: "flood",
    input: { ...input, oneSensor: true },
    tamper: { path: "/tamper", open: [true] },
  });

  /** A site in the state after some messages, whose zone then changes. */
  function siteWith(zone: Zone, change: "reload" | "restart") {
    const site = MonitoredZones.forTest([zone]);
    let mqtt = new MqttZones(site.common);
    return {
      site,
      send: (gateway: string, message: unknown, isRetained = false): Promise<void> =>
        mqtt.deliver({
          topic: `${gateway}/leak`,
          payload: Buffer.from(JSON.stringify(message)),
          isRetained,
        }),
      become: (changed: Zone): void => {
        if (change === "restart") {
          site.restart([changed]);
          mqtt = new MqttZones(site.common);
        } else {
          site.zoneService.exchange([changed], { who: "ana", from: "web panel" });
          mqtt.exchange([changed]);
        }
      },
      trips: (): number => site.trips.filter(({ type }) => type === "trip").length,
    };
  }

  test.each(["reload", "restart"] as const)("by %s keeps its state and its faults", async (change) => {
    const { site, send, become, trips } = siteWith(before, change);
    await send("a", { open: false });
    become(after);
    await send("a", { open: true, tamper: true });
    expect(trips()).toBe(1);
    become(before);
    become(after);
    await send("b", { open: true });
    expect(trips()).toBe(1);
    expect(site.journal.faults.list()).toHaveLength(1);
    await send("a", { open: false, tamper: false });
    expect(site.contactOf("leak")).toBe("normal");
    expect(site.journal.faults.list()).toEqual([]);
  });

  test.each(["reload", "restart"] as const)(
    "and loses it by %s is not held open by a topic whose opening has ended",
    async (change) => {
      const { site, send, become, trips } = siteWith(after, change);
      await send("a", { open: false });
      await send("a", { open: true });
      await send("b", { open: true });
      await send("a", { open: false });
      become(before);
      await send("a", { open: true });
      await send("a", { open: false });
      expect(trips()).toBe(2);
      expect(site.contactOf("leak")).toBe("normal");
    },
  );
});
