import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { GpioReadings } from "../../src/inputs/gpio/gpio-readings.ts";
import { type GpioPort, SimulatedLines } from "../../src/inputs/gpio/gpio-port.ts";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const BY: { who: string; from: string } = { who: "ana@site.example", from: "10.0.0.9" };
const DOOR = zoneOf({ id: "door", input: { gpio: 17 }, swinger: false });
const YARD = zoneOf({ id: "yard", input: { gpio: 18 }, swinger: false });
const gate = (id: string, topic: string, more: Partial<Parameters<typeof zoneOf>[0]> = {}): Zone =>
  zoneOf({ id, input: { mqtt: topic, path: "/contact", open: [false], normal: [true] }, ...more });

/** Reloads of zones with simulated lines and topics, in this process with a manual clock. */
class Site {
  readonly watched: MonitoredZones;
  readonly lines = new SimulatedLines();
  /** Calls for lines: `open 17`, `close 17`. */
  readonly handled: string[] = [];
  readonly #gpio: GpioReadings;
  readonly #mqtt: MqttZones;

  constructor(zones: readonly Zone[], journal = ":memory:") {
    const offDiskFile = join(temporaryFolder(), "off-disk.jsonl");
    this.watched = new MonitoredZones(zones, { journalPath: journal, offDiskFile });
    const port: GpioPort = {
      open: (line, bias, onActivity) => {
        this.handled.push(`open ${line}`);
        const opened = this.lines.open(line, bias, onActivity);
        const close = (): void => {
          this.handled.push(`close ${line}`);
          opened.close();
        };
        return { ...opened, close };
      },
      close: () => {},
    };
    this.#gpio = new GpioReadings({ ...this.watched.common, openPort: () => port });
    this.#mqtt = new MqttZones(this.watched.common);
  }

  async start(): Promise<this> {
    await this.#gpio.start();
    await this.pass(2000);
    return this;
  }

  /** The synchronous part of a reload. */
  exchange(zones: readonly Zone[]): Promise<void> {
    this.watched.zoneService.exchange(zones, BY);
    this.#mqtt.exchange(zones);
    return this.#gpio.exchange(zones);
  }

  publish(topic: string, contact: boolean, isRetained = false): Promise<void> {
    return this.#mqtt.deliver({ topic, payload: Buffer.from(JSON.stringify({ contact })), isRetained });
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      this.watched.clock.advance(50);
      await new Promise(setImmediate);
    }
  }

  /** The trips as `zone cause`. */
  get trips(): string[] {
    return this.watched.trips
      .filter(({ type }) => type === "trip")
      .map(({ zoneId, cause }) => `${zoneId} ${cause}`);
  }

  end(): void {
    this.#gpio.stop();
    this.watched.close();
  }
}

let site: Site;
afterEach(() => site.end());

describe("a line that remains configured", () => {
  test("is not released, and an opening in progress during the reload is one trip", async () => {
    site = await new Site([DOOR, YARD]).start();
    site.lines.set(17, 1);
    await site.pass(100);
    await site.exchange([{ ...DOOR, name: "Main door" }]);
    await site.pass(1000);
    expect(site.trips).toEqual(["door edge"]);
    expect(site.watched.trips[0]?.body.name).toContain("Main door");
    expect(site.handled).toEqual(["open 17", "open 18", "close 18"]);
  });

  test("that opens right before or right after the reload is one trip each time", async () => {
    site = await new Site([DOOR, YARD]).start();
    site.lines.set(17, 1);
    const exchanged = site.exchange([DOOR, { ...YARD, name: "Other yard" }]);
    site.lines.set(18, 1);
    await exchanged;
    await site.pass(1000);
    expect(site.trips).toEqual(["door edge", "yard edge"]);
  });

  test("that two zones swap is a trip of one of them", async () => {
    site = await new Site([DOOR, YARD]).start();
    site.lines.set(17, 1);
    await site.pass(100);
    await site.exchange([
      { ...DOOR, input: YARD.input },
      { ...YARD, input: DOOR.input },
    ]);
    await site.pass(1000);
    expect(site.trips).toEqual(["yard edge"]);
    site.lines.set(18, 1);
    await site.pass(1000);
    expect(site.trips).toEqual(["yard edge", "door edge"]);
    expect(site.handled).toEqual(["open 17", "open 18"]);
  });

  test("of two zones that swap while one is open is neither a trip nor a restore of the other", async () => {
    site = await new Site([DOOR, YARD]).start();
    site.lines.set(17, 1);
    await site.pass(1000);
    await site.exchange([
      { ...DOOR, input: YARD.input },
      { ...YARD, input: DOOR.input },
    ]);
    await site.pass(1000);
    expect(site.trips).toEqual(["door edge"]);
    expect([site.watched.contactOf("door"), site.watched.contactOf("yard")]).toEqual(["normal", "open"]);
  });

  test("under the id of another zone continues: an opening in progress is a trip of the new one", async () => {
    site = await new Site([DOOR]).start();
    site.lines.set(17, 1);
    await site.pass(100);
    await site.exchange([{ ...DOOR, id: "main-door" }]);
    await site.pass(1000);
    expect(site.trips).toEqual(["main-door edge"]);
  });

  test("keeps its activity counters: chatter across a hundred reloads is one trip and one fault", async () => {
    site = await new Site([DOOR]).start();
    for (let flap = 0; flap < 100; flap += 1) {
      site.lines.set(17, flap % 2 === 0 ? 1 : 0);
      await site.exchange([{ ...DOOR, name: `Door ${flap}` }]);
      await site.pass(50);
    }
    await site.pass(20_000);
    expect(site.trips).toEqual(["door chatter"]);
    expect(site.watched.journal.faults.list()).toMatchObject([{ owner: "door", fault: "faulty" }]);
  });

  test("that was removed and added again is opened again", async () => {
    site = await new Site([DOOR]).start();
    await site.exchange([]);
    await site.exchange([DOOR]);
    await site.pass(1000);
    site.lines.set(17, 1);
    await site.pass(1000);
    expect(site.trips).toEqual(["door edge"]);
    expect(site.handled).toEqual(["open 17", "close 17", "open 17"]);
  });
});

describe("a zone with a changed line", () => {
  test("has a first reading there: an open contact does not trip, unless it is a life safety zone", async () => {
    const smoke = zoneOf({ id: "smoke", kind: "fire", input: { gpio: 19 } });
    site = await new Site([DOOR, smoke]).start();
    site.lines.set(20, 1);
    site.lines.set(21, 1);
    await site.exchange([
      zoneOf({ id: "door", input: { gpio: 20 }, swinger: false }),
      zoneOf({ id: "smoke", kind: "fire", input: { gpio: 21 } }),
    ]);
    await site.pass(1000);
    expect(site.trips).toEqual(["smoke first-sight"]);
    site.lines.set(20, 0);
    await site.pass(1000);
    site.lines.set(20, 1);
    await site.pass(1000);
    expect(site.trips).toEqual(["smoke first-sight", "door edge"]);
    expect(site.handled.slice(2).toSorted()).toEqual(["close 17", "close 19", "open 20", "open 21"]);
  });

  test("that was open from the start trips with its next live message once its zone is of life safety", async () => {
    site = await new Site([gate("smoke", "z/smoke")]).start();
    await site.publish("z/smoke", false);
    await site.exchange([gate("smoke", "z/smoke", { kind: "fire" })]);
    await site.publish("z/smoke", false, true);
    expect(site.watched.trips).toEqual([]);
    await site.publish("z/smoke", false);
    await site.publish("z/smoke", false);
    expect(site.watched.trips.map(({ cause }) => cause)).toEqual(["first-sight"]);
  });

  test("that has tripped as another type trips with its next live message once its zone is of life safety", async () => {
    site = await new Site([gate("smoke", "z/smoke")]).start();
    await site.publish("z/smoke", true);
    await site.publish("z/smoke", false);
    await site.exchange([gate("smoke", "z/smoke", { kind: "fire" })]);
    await site.publish("z/smoke", false);
    await site.publish("z/smoke", false);
    expect(site.trips).toEqual(["smoke edge", "smoke first-sight"]);
    await site.exchange([gate("smoke", "z/smoke", { kind: "fire", name: "Smoke" })]);
    await site.publish("z/smoke", false);
    expect(site.trips).toHaveLength(2);
  });

  test("that tripped on a full disk does not trip again after a reload with space", async () => {
    const smoke = zoneOf({ id: "smoke", kind: "fire", input: { gpio: 19 } });
    site = await new Site([smoke]).start();
    site.watched.breakJournal();
    site.lines.set(19, 1);
    await site.pass(1000);
    site.watched.repairJournal();
    await site.exchange([{ ...smoke, name: "Smoke" }]);
    await site.pass(11_000);
    expect(site.trips).toEqual(["smoke edge"]);
  });

  test("has no state of the old one at the next start, also after a power cut at any point", async () => {
    const journal = join(temporaryFolder(), "journal.db");
    site = await new Site([DOOR], journal).start();
    expect(site.watched.contactOf("door")).toBe("normal");
    site.end();
    // The file was written and the zones were not yet replaced.
    site = new Site([zoneOf({ id: "door", input: { gpio: 20 }, swinger: false })], journal);
    site.lines.set(20, 1);
    await site.start();
    await site.pass(1000);
    expect(site.trips).toEqual([]);
    expect(site.watched.contactOf("door")).toBe("open");
  });

  test("that is unchanged continues at the next start", async () => {
    const journal = join(temporaryFolder(), "journal.db");
    site = await new Site([DOOR, YARD], journal).start();
    await site.exchange([DOOR]);
    site.end();
    site = new Site([DOOR], journal);
    site.lines.set(17, 1);
    await site.start();
    await site.pass(1000);
    expect(site.trips).toEqual(["door after-restart"]);
  });
});

describe("a message", () => {
  test("that waits for its commit during the reload is processed by the new zones", async () => {
    site = await new Site([gate("a", "z/a"), gate("b", "z/b")]).start();
    await site.publish("z/a", true);
    await site.publish("z/b", true);
    const arriving = [site.publish("z/a", false), site.publish("z/b", false)];
    await site.exchange([gate("a", "z/a"), gate("c", "z/b")]);
    await Promise.all(arriving);
    expect(site.trips).toEqual(["a edge", "c edge"]);
  });

  test("of one of several sensors of a zone does not close it while another one is open, before and after the reload", async () => {
    const windows = gate("windows", "z/windows/+");
    site = await new Site([windows]).start();
    await site.publish("z/windows/1", true);
    await site.publish("z/windows/2", true);
    await site.publish("z/windows/1", false);
    await site.exchange([{ ...windows, name: "All windows" }, DOOR]);
    await site.publish("z/windows/2", true);
    expect(site.watched.contactOf("windows")).toBe("open");
    await site.publish("z/windows/1", true);
    expect(site.watched.contactOf("windows")).toBe("normal");
    expect(site.trips).toEqual(["windows edge"]);
  });

  test("of an arming condition stays valid for the zones of another configuration, until it is read in another way", async () => {
    const KEY = { mqtt: "panel/armed", path: "/contact", open: [true], normal: [false, "off"] };
    const behind = (key: typeof KEY): Zone[] => [
      gate("a", "z/a", { gate: key }),
      gate("b", "z/b", { gate: key }),
    ];
    site = await new Site(behind(KEY).slice(0, 1)).start();
    const say = (): Promise<void> => site.publish("z/a", true).then(() => site.publish("z/a", false));
    const states = (): string[] => site.watched.trips.map(({ state }) => state);
    await site.publish("panel/armed", false);
    await site.exchange(behind(KEY));
    await say();
    await site.exchange(behind({ ...KEY, normal: [false] }));
    await say();
    expect(states()).toEqual(["gated", "waiting"]);
  });
});

test("a zone that remains configured keeps the faults whose end its sources report, and ends the others", async () => {
  const statusSources = {
    battery: { path: "/battery_low", low: [true] },
    tamper: { path: "/tamper", open: [true] },
  };
  const before = gate("b", "z/b", statusSources);
  site = await new Site([before]).start();
  for (const fault of ["battery", "tamper", "faulty"] as const)
    site.watched.zoneService.faults.set(before, fault, true);
  await site.exchange([gate("b", "z/b", { tamper: statusSources.tamper, supervisionTimeoutS: 3600 })]);
  expect(site.watched.journal.faults.list().map(({ fault }) => fault)).toEqual(["faulty", "tamper"]);
  expect(site.watched.trips.at(-1)).toMatchObject({ type: "fault-over", cause: "battery" });
  await site.exchange([gate("b", "z/other", { tamper: statusSources.tamper })]);
  expect(site.watched.journal.faults.list()).toEqual([]);
});

describe("a zone that is removed", () => {
  const BATTERY = { battery: { path: "/battery_low", low: [true] } };
  const WITH_BATTERY = gate("b", "z/b", BATTERY);

  test("leaves no bypass and no open fault; the event log names the user", async () => {
    site = await new Site([DOOR, WITH_BATTERY]).start();
    const { zoneService } = site.watched;
    zoneService.zoneOverrides.bypass("b", { reason: "painter" }, BY);
    zoneService.zoneOverrides.bypass("door", { reason: "painter" }, BY);
    zoneService.faults.set(WITH_BATTERY, "battery", true);
    zoneService.faults.set(DOOR, "faulty", true);
    await site.exchange([{ ...DOOR, name: "Main door" }]);
    expect(site.watched.trips.map(({ zoneId, type, cause }) => `${zoneId} ${type} ${cause}`)).toEqual([
      "b fault battery",
      "door fault faulty",
      "b fault-over battery",
    ]);
    expect(site.watched.journal.faults.list()).toMatchObject([{ owner: "door", fault: "faulty" }]);
    expect(site.watched.journal.zoneOverrides.bypasses()).toMatchObject([{ zoneId: "door" }]);
    expect(site.watched.events.at(-1)).toEqual({
      ...BY,
      event: "zone-restored",
      subject: "zone b",
      detail: { reason: "the zone is no longer in the configuration" },
    });
  });

  test("leaves its trips in the journal, to be dispatched", async () => {
    site = await new Site([DOOR]).start();
    site.lines.set(17, 1);
    await site.pass(1000);
    await site.exchange([YARD]);
    expect(site.watched.journal.trips.nextWaiting(0)).toMatchObject({ zoneId: "door", state: "waiting" });
  });

  test("leaves the fault of its bridge to another zone of the bridge", async () => {
    const bridge = { mqtt: "z/bridge", path: "/state" };
    const [a, b] = [gate("a", "z/a", { bridge }), gate("b", "z/b", { bridge })];
    site = await new Site([a, b]).start();
    site.watched.zoneService.faults.set(a, "supervision", true, "z/bridge");
    await site.exchange([b]);
    expect(site.watched.journal.faults.list()).toMatchObject([{ owner: "z/bridge", zoneId: "b" }]);
    await site.exchange([DOOR]);
    expect(site.watched.journal.faults.list()).toEqual([]);
    expect(site.watched.trips.at(-1)).toMatchObject({ type: "fault-over", zoneId: "b" });
  });

  test("and added again has a first reading", async () => {
    site = await new Site([gate("a", "z/a")]).start();
    await site.publish("z/a", true);
    await site.exchange([]);
    await site.publish("z/a", false);
    await site.exchange([gate("a", "z/a")]);
    await site.publish("z/a", false);
    expect([site.watched.contactOf("a"), site.trips]).toEqual(["open", []]);
  });
});

test("zones that the journal cannot store are rejected, and the old ones continue", async () => {
  site = await new Site([DOOR, YARD]).start();
  site.watched.breakJournal();
  expect(() => site.watched.zoneService.exchange([DOOR], BY)).toThrow(/readonly/);
  site.watched.repairJournal();
  site.lines.set(18, 1);
  await site.pass(1000);
  expect(site.trips).toEqual(["yard edge"]);
});
