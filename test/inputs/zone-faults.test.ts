import { beforeEach, describe, expect, test } from "vitest";
import type { ZoneSignal } from "../../src/domain/zone.ts";
import { onRollback } from "../../src/store/transaction.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const HALL = { type: "obiective/cladiri", id: 1 } as const;
const simulated = { simulated: true } as const;
const DOOR_OPTIONS = { id: "door", name: "Front door", objective: HALL, input: simulated };
const DOOR = zoneOf(DOOR_OPTIONS);
const GATE = zoneOf({ id: "gate", name: "Gate", objective: HALL, input: simulated });
const MINUTE_MS = 60_000;

let site: DispatchingSite;
beforeEach(async () => (site = await DispatchingSite.make([DOOR, GATE])));

async function signalZone(zoneId: string, signal: ZoneSignal): Promise<void> {
  site.zones.monitor.take(zoneId, signal, { live: true });
  await site.settled();
}

describe("a fault", () => {
  test("that cannot be checked in a damaged journal reports each error, logs it once, and is stored after all", async () => {
    const errors: unknown[] = [];
    onRollback(site.zones.database, (error) => errors.push(error));
    await signalZone("gate", { kind: "availability", up: false });
    site.zones.database.exec("ALTER TABLE faults RENAME TO faults_away");
    await site.pass(5 * MINUTE_MS);
    expect(errors.length).toBeGreaterThan(1);
    expect(site.zones.logged("zone-fault-write-failed")).toHaveLength(1);
    site.zones.database.exec("ALTER TABLE faults_away RENAME TO faults");
    await site.pass(MINUTE_MS);
    expect(site.records).toMatchObject([{ type: "repair" }]);
  });

  test.each<[what: string, signal: ZoneSignal, work: object]>([
    [
      "tamper",
      { kind: "tamper", open: true },
      { type: "inspection", priority: "high", name: "Tamper: Gate" },
    ],
    [
      "low battery",
      { kind: "battery", low: true },
      { type: "maintenance", priority: "low", name: "Low battery: Gate" },
    ],
  ])("such as %s is one repair, however often it is reported", async (_what, signal, work) => {
    for (let time = 0; time < 3; time += 1) await signalZone("gate", signal);
    await site.restart();
    await signalZone("gate", signal);
    expect(site.records).toMatchObject([{ ...work, objectiveId: 1, police: false }]);
  });

  test("is one record until it is done: its end and recurrence are noted there", async () => {
    await signalZone("gate", { kind: "battery", low: true });
    await signalZone("gate", { kind: "battery", low: false });
    await site.pass(86_400_000);
    await signalZone("gate", { kind: "battery", low: true });
    expect(site.records).toHaveLength(1);
    expect(site.records[0]?.notes?.split("\n")).toEqual([
      "Low battery, zone Gate (gate): restored at 2026-11-20 23:30:00.",
      "Low battery, zone Gate (gate): again at 2026-11-21 23:30:00.",
    ]);
    site.change(1, { status: "done" });
    await signalZone("gate", { kind: "battery", low: false });
    await signalZone("gate", { kind: "battery", low: true });
    expect(site.records.map(({ status }) => status)).toEqual(["done", "planned"]);
  });

  test("is not an alarm: trips at the objective do not join its repair", async () => {
    await signalZone("door", { kind: "tamper", open: true });
    await site.trip("door");
    expect(site.records.map(({ type }) => type)).toEqual(["inspection", "other"]);
  });

  test("of each zone and type is a record of its own", async () => {
    await signalZone("door", { kind: "tamper", open: true });
    await signalZone("door", { kind: "battery", low: true });
    await signalZone("gate", { kind: "tamper", open: true });
    expect(site.records).toHaveLength(3);
  });

  test("that ends before its dispatch is noted in its repair", async () => {
    let refusals = 1;
    site.intercept = ({ method }, response) => {
      if (method !== "POST" || refusals === 0) return false;
      refusals -= 1;
      response.writeHead(500).end();
      return true;
    };
    site.zones.monitor.take("gate", { kind: "tamper", open: true }, { live: true });
    await signalZone("gate", { kind: "tamper", open: false });
    expect(site.dispositions).toEqual(["posted", "merged"]);
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  test("that the journal cannot record is delivered again, and recorded then", async () => {
    site.zones.breakJournal();
    expect(() => site.zones.monitor.take("gate", { kind: "tamper", open: true }, { live: true })).toThrow(
      /readonly/,
    );
    site.zones.repairJournal();
    await signalZone("gate", { kind: "tamper", open: true });
    expect(site.records).toHaveLength(1);
  });
});

describe("a tamper in a walk test", () => {
  const ANA = { who: "ana", from: "test" };
  const tamper = (open: boolean): Promise<void> => signalZone("gate", { kind: "tamper", open });
  const walkTests = () => site.zones.zoneService.zoneOverrides.walkTests;
  const names = (): string[] => site.records.map(({ name }) => name);

  test.each<readonly [string, () => unknown]>([
    ["its time is over", () => {}],
    ["a user has ended it", () => walkTests().end(ANA)],
    ["the daemon restarts during it", () => site.restart()],
    ["the machine was off at its end", () => site.powerCut(11 * MINUTE_MS)],
  ])("becomes one inspection if it is still there after it: %s", async (_name, happens) => {
    walkTests().begin(10, ANA);
    await tamper(true);
    await site.pass(MINUTE_MS);
    expect(names()).toEqual([]);
    await happens();
    await site.pass(10 * MINUTE_MS);
    await site.restart();
    await tamper(true);
    await site.pass(MINUTE_MS);
    expect(names()).toEqual(["Tamper: Gate"]);
    await tamper(false);
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  test("becomes nothing if it ends during it", async () => {
    walkTests().begin(10, ANA);
    await tamper(true);
    await tamper(false);
    await site.pass(15 * MINUTE_MS);
    expect(names()).toEqual([]);
  });

  test("that was there before it is ended in its inspection", async () => {
    await tamper(true);
    walkTests().begin(10, ANA);
    await tamper(false);
    expect(site.records).toMatchObject([{ name: "Tamper: Gate" }]);
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  test("becomes an inspection after all if the journal could not be written at first", async () => {
    walkTests().begin(10, ANA);
    await tamper(true);
    walkTests().end(ANA);
    site.zones.breakJournal();
    await site.pass(MINUTE_MS);
    site.zones.repairJournal();
    await site.pass(MINUTE_MS);
    expect(names()).toEqual(["Tamper: Gate"]);
  });
});

describe("supervision", () => {
  const down: ZoneSignal = { kind: "availability", up: false };
  const up: ZoneSignal = { kind: "availability", up: true };

  test("ignores a short outage and reports a long one as a repair", async () => {
    await signalZone("gate", down);
    await site.pass(59_000);
    await signalZone("gate", up);
    await site.pass(5 * MINUTE_MS);
    expect(site.records).toEqual([]);
    await signalZone("gate", down);
    await site.pass(70_000);
    await signalZone("gate", up);
    expect(site.records).toMatchObject([
      { type: "repair", priority: "medium", name: "Sensor supervision failure: Gate" },
    ]);
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  const SUPERVISED = zoneOf({ ...DOOR_OPTIONS, supervisionTimeoutS: 900 });

  test("reports a sensor without messages, and its return with the first message", async () => {
    site = await DispatchingSite.make([SUPERVISED]);
    await site.pass(890_000);
    await signalZone("door", { kind: "sign-of-life" });
    await site.pass(890_000);
    expect(site.records).toEqual([]);
    await site.pass(20_000);
    expect(site.records).toMatchObject([{ name: "Sensor supervision failure: Front door" }]);
    site.zones.monitor.read("door", "normal", { live: true });
    await site.settled();
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  test("of a silent sensor continues after restarts and power cuts, without the time in which the daemon did not run", async () => {
    const HOUR_MS = 60 * MINUTE_MS;
    site = await DispatchingSite.make([zoneOf({ ...DOOR_OPTIONS, supervisionTimeoutS: 10 * 3600 })]);
    await site.pass(4 * HOUR_MS);
    await site.restart();
    await site.pass(2 * HOUR_MS + MINUTE_MS);
    await site.powerCut(100 * HOUR_MS);
    await site.pass(4 * HOUR_MS - 20_000);
    expect(site.records).toEqual([]);
    await site.pass(2 * MINUTE_MS);
    expect(site.records).toMatchObject([{ name: "Sensor supervision failure: Front door" }]);
  });

  test("of a sensor that was silent for long begins again with its message, also after a power cut", async () => {
    const HOUR_MS = 60 * MINUTE_MS;
    site = await DispatchingSite.make([zoneOf({ ...DOOR_OPTIONS, supervisionTimeoutS: 10 * 3600 })]);
    await site.pass(9 * HOUR_MS);
    await signalZone("door", { kind: "sign-of-life" });
    await site.powerCut(MINUTE_MS);
    await site.pass(9 * HOUR_MS);
    expect(site.records).toEqual([]);
  });

  describe("of a sensor that replaced another one while the daemon did not run", () => {
    const HOUR_MS = 60 * MINUTE_MS;
    const wireless = (topic: string) =>
      zoneOf({
        ...DOOR_OPTIONS,
        supervisionTimeoutS: 10 * 3600,
        input: { mqtt: topic, open: [1], normal: [0] },
      });

    test("is reported although each night has a restart", async () => {
      site = await DispatchingSite.make([wireless("z/door")]);
      site.zones.monitor.read("door", "normal", { live: true });
      await site.restart([wireless("z/dor")]);
      await site.pass(6 * HOUR_MS);
      await site.restart();
      await site.pass(4 * HOUR_MS + MINUTE_MS);
      expect(site.records).toMatchObject([{ name: "Sensor supervision failure: Front door" }]);
    });

    test("does not begin with the silence of the other one", async () => {
      site = await DispatchingSite.make([wireless("z/door")]);
      await site.pass(9 * HOUR_MS);
      await site.restart([wireless("z/other")]);
      await site.pass(2 * HOUR_MS);
      expect(site.records).toEqual([]);
    });
  });

  test("does not count a retained message as a sign of life", async () => {
    site = await DispatchingSite.make([SUPERVISED]);
    await site.pass(890_000);
    site.zones.monitor.read("door", "normal", { live: false });
    await site.pass(20_000);
    expect(site.records).toHaveLength(1);
  });

  test("does not count a retained availability as a sign of life, nor that of a bridge that was never lost", async () => {
    const bridge = { mqtt: "z/bridge/state", path: "/state" };
    site = await DispatchingSite.make([zoneOf({ ...DOOR_OPTIONS, bridge, supervisionTimeoutS: 900 })]);
    const subscribedAgain = (): void => {
      for (const signal of [up, { ...up, bridge: bridge.mqtt } as const])
        site.zones.monitor.take("door", signal, { live: false });
    };
    await site.pass(600_000);
    subscribedAgain();
    await site.pass(310_000);
    subscribedAgain();
    await site.settled();
    expect(site.records).toMatchObject([{ name: "Sensor supervision failure: Front door", notes: null }]);
    await signalZone("door", up);
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  test("ends with a retained availability if only a loss was reported", async () => {
    await signalZone("gate", down);
    await site.pass(70_000);
    await site.restart();
    site.zones.monitor.take("gate", up, { live: false });
    await site.settled();
    expect(site.records).toHaveLength(1);
    expect(site.records[0]?.notes).toMatch(/restored at/);
  });

  test("ends with a retained availability while its bridge, which has its own fault, is still offline", async () => {
    const bridge = { mqtt: "z/bridge/state", path: "/state" };
    site = await DispatchingSite.make([zoneOf({ ...DOOR_OPTIONS, bridge })]);
    await signalZone("door", down);
    await site.pass(70_000);
    await signalZone("door", { ...down, bridge: bridge.mqtt });
    await site.pass(70_000);
    const open = () => site.zones.journal.faults.list().map(({ owner }) => owner);
    expect(open().toSorted()).toEqual(["door", bridge.mqtt]);
    site.zones.monitor.take("door", up, { live: false });
    expect(open()).toEqual([bridge.mqtt]);
    site.zones.monitor.take("door", { ...up, bridge: bridge.mqtt }, { live: false });
    expect(open()).toEqual([]);
  });

  describe("of a sensor that replaced another one while the daemon did not run", () => {
    const at = (topic: string) =>
      zoneOf({
        ...DOOR_OPTIONS,
        input: { mqtt: topic, open: [1], normal: [0] },
        availability: { mqtt: `${topic}/up` },
      });

    test("is reported although the zones are reloaded within its grace period", async () => {
      site = await DispatchingSite.make([at("z/door")]);
      site.zones.monitor.read("door", "normal", { live: true });
      const zones = [at("z/other")];
      await site.restart(zones);
      await signalZone("door", down);
      site.zones.zoneService.exchange([...zones, GATE], { who: "ana@site.example", from: "10.0.0.9" });
      await site.pass(70_000);
      expect(site.records).toMatchObject([{ name: "Sensor supervision failure: Front door" }]);
    });

    test("has no loss of the other one, nor does the start fail, on a disk without space", async () => {
      site = await DispatchingSite.make([at("z/door")]);
      site.zones.monitor.read("door", "normal", { live: true });
      await signalZone("door", down);
      const { database } = site.zones;
      const full = "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END";
      database.exec(`CREATE TRIGGER full BEFORE DELETE ON losses ${full}`);
      const zones = [at("z/other")];
      await site.restart(zones);
      expect(site.zones.logged("loss-write-failed")).toHaveLength(1);
      database.exec("DROP TRIGGER full");
      site.zones.zoneService.exchange(zones, { who: "ana@site.example", from: "10.0.0.9" });
      await site.pass(70_000);
      expect(site.records).toEqual([]);
    });
  });

  test("ends with the first reading of a wire that replaced the sensor while the daemon did not run", async () => {
    const wireless = {
      input: { mqtt: "z/door", open: [1], normal: [0] },
      availability: { mqtt: "z/door/up" },
    };
    site = await DispatchingSite.make([zoneOf({ ...DOOR_OPTIONS, ...wireless })]);
    site.zones.monitor.read("door", "normal", { live: true });
    await signalZone("door", down);
    await site.pass(70_000);
    expect(site.records).toHaveLength(1);
    await site.restart([zoneOf({ ...DOOR_OPTIONS, input: { gpio: 17 } })]);
    site.zones.monitor.read("door", "normal", { live: true });
    await site.pass(70_000);
    expect(site.records).toHaveLength(1);
    expect(site.records[0]?.notes).toMatch(/restored at [^\n]*$/);
    expect(site.zones.journal.losses.list()).toEqual([]);
  });

  describe("of a bridge", () => {
    const bridge = { mqtt: "zigbee2mqtt/bridge/state", path: "/state" };
    const signalZone = (isUp: boolean): ZoneSignal => ({
      kind: "availability",
      up: isUp,
      bridge: bridge.mqtt,
    });
    const behind = (count: number, more: object = {}) =>
      Array.from({ length: count }, (_, index) =>
        zoneOf({ ...DOOR_OPTIONS, id: `door-${index}`, name: `Ușa ${index}`, bridge, ...more }),
      );
    const all = async (isUp: boolean): Promise<void> => {
      for (const { id } of site.zones.zones) site.zones.monitor.take(id, signalZone(isUp), { live: true });
      await site.settled();
    };
    const watch = async (zones: ReturnType<typeof behind>): Promise<void> => {
      site = await DispatchingSite.make(zones);
    };

    test("is one record that names the bridge and its zones, and the return is noted there", async () => {
      await watch(behind(3));
      await all(false);
      await site.pass(30 * MINUTE_MS);
      await all(true);
      await site.pass(MINUTE_MS);
      expect(site.records).toHaveLength(1);
      const [{ name, description, notes, type, priority } = { name: "" }] = site.records;
      expect({ name, type, priority }).toEqual({
        name: "Bridge unavailable: zigbee2mqtt/bridge/state (zones: 3)",
        type: "repair",
        priority: "medium",
      });
      expect(description).toMatch(
        /Bridge zigbee2mqtt\/bridge\/state is unavailable, .* Ușa 0 \(door-0\), Ușa 1 \(door-1\), Ușa 2 \(door-2\)\.$/,
      );
      expect(notes).toBe(
        "Bridge zigbee2mqtt/bridge/state (zones: 3): available again at 2026-11-21 00:00:00.",
      );
    });

    test("with too many zones for a record states how many more there are", async () => {
      await watch(behind(512, { unavailableGraceS: 0 }));
      await all(false);
      expect(site.records).toHaveLength(1);
      expect([...(site.records[0]?.description ?? "")].length).toBeLessThanOrEqual(4000);
      expect(site.records[0]?.description).toMatch(/Ușa 0 \(door-0\), .*, and a further \d+\.$/);
    });

    test("is reported after the shortest supervision time of its zones", async () => {
      const [first] = behind(1, { unavailableGraceS: 600 });
      await watch([...(first ? [first] : []), zoneOf({ ...DOOR_OPTIONS, bridge, unavailableGraceS: 30 })]);
      await all(false);
      await site.pass(29_999);
      expect(site.records).toEqual([]);
      await site.pass(1);
      expect(site.records).toHaveLength(1);
    });
  });

  describe("with a supervision time of 60 s", () => {
    const records = (): number => site.records.length;

    test("does not report a loss of 59 s, and reports one of 60 s at 60 s", async () => {
      await signalZone("gate", down);
      await site.pass(59_999);
      await signalZone("gate", up);
      await site.pass(10 * MINUTE_MS);
      expect(records()).toBe(0);
      await site.pass(3_333);
      await signalZone("gate", down);
      await site.pass(59_999);
      expect(records()).toBe(0);
      await site.pass(1);
      expect(records()).toBe(1);
    });

    test("counts from the first report, however often it is repeated", async () => {
      for (let word = 0; word < 6; word += 1) {
        await signalZone("gate", down);
        await site.pass(10_000);
      }
      expect(records()).toBe(1);
    });

    test("continues with the rest of it after a restart of the daemon", async () => {
      await signalZone("gate", down);
      await site.pass(30_000);
      await site.restart();
      await signalZone("gate", down);
      await site.pass(29_999);
      expect(records()).toBe(0);
      await site.pass(1);
      expect(records()).toBe(1);
    });

    test("continues with the rest of it after a power cut, or reports at once when it has elapsed", async () => {
      await signalZone("gate", down);
      await site.pass(30_000);
      await site.powerCut(10_000);
      await site.pass(19_999);
      expect(records()).toBe(0);
      await site.pass(1);
      expect(records()).toBe(1);
      await signalZone("door", down);
      await site.powerCut(10 * MINUTE_MS);
      await site.pass(4_999);
      expect(records()).toBe(1);
      await site.pass(1);
      expect(records()).toBe(2);
    });

    test("does not report a sensor that returned during the power cut, as the broker reports at once", async () => {
      await signalZone("gate", down);
      await site.powerCut(10 * MINUTE_MS);
      await site.pass(1_000);
      site.zones.monitor.take("gate", up, { live: false });
      await site.pass(10 * MINUTE_MS);
      expect(records()).toBe(0);
      await site.restart();
      await site.pass(10 * MINUTE_MS);
      expect(records()).toBe(0);
    });

    test("drops a loss without a configured zone", async () => {
      await signalZone("gate", { ...down, bridge: "old/bridge" });
      expect(site.zones.journal.losses.list()).toHaveLength(1);
      await site.restart();
      expect(site.zones.journal.losses.list()).toEqual([]);
    });

    test("reports a loss that the journal could not record at first", async () => {
      site.zones.breakJournal();
      expect(() => site.zones.monitor.take("gate", down, { live: true })).toThrow(/readonly/);
      site.zones.repairJournal();
      await signalZone("gate", down);
      await site.pass(30_000);
      site.zones.breakJournal();
      await site.pass(30_000);
      site.zones.repairJournal();
      await site.pass(10_000);
      expect(records()).toBe(1);
    });
  });
});

describe("a swinger", () => {
  const open = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      await site.trip("gate");
      site.zones.clock.advance(1_801_000);
    }
  };

  test("is shut down after two incidents, with a repair; after eight quiet hours it returns to service", async () => {
    await open(4);
    expect(site.records.map(({ type }) => type)).toEqual(["other", "other", "repair"]);
    expect(site.dispositions).toEqual(["posted", "posted", "swinger", "posted", "swinger"]);
    await site.pass(28_800_000);
    expect(site.records[2]?.notes).toMatch(/restored at/);
    await site.trip("gate");
    expect(site.dispositions.at(-1)).toBe("posted");
  });

  test("is not shut down by its trips in another zone's incident", async () => {
    await site.trip("door");
    for (let time = 0; time < 25; time += 1) {
      await site.trip("gate");
      site.zones.clock.advance(60_000);
    }
    expect(new Set(site.dispositions)).toEqual(new Set(["posted", "merged"]));
    expect(site.records).toHaveLength(1);
    site.zones.clock.advance(3_601_000);
    for (let time = 0; time < 21; time += 1) {
      await site.trip("gate");
      site.zones.clock.advance(60_000);
    }
    expect(site.dispositions.slice(-2)).toEqual(["swinger", "posted"]);
    expect(site.records.map(({ type }) => type)).toEqual(["other", "other", "repair"]);
  });

  test("stays shut down across a restart, and returns to service by command", async () => {
    await open(2);
    await site.restart();
    await site.trip("gate");
    expect(site.dispositions.at(-2)).toBe("swinger");
    site.zones.zoneService.zoneOverrides.restore("gate", { who: "ana", from: "test" });
    await site.trip("gate");
    expect(site.zones.trips.findLast(({ type }) => type === "trip")?.state).toBe("posted");
  });

  test("with 10,000 openings, one a second, is one intervention and one repair", async () => {
    for (let flap = 0; flap < 10_000; flap += 1) {
      site.zones.monitor.read("gate", flap % 2 === 0 ? "normal" : "open", { live: true });
      site.zones.clock.advance(1000);
      if (flap === 100) await site.settled();
    }
    await site.settled();
    expect(site.records.map(({ type }) => type)).toEqual(["other", "repair"]);
    expect(site.zones.journal.swingers.find("gate")).toMatchObject({ trips: 5000 });
    // After the shutdown at most two trips a minute are recorded.
    expect(site.zones.trips.length).toBeLessThan(20 + 2 * 167 + 2);
  });

  test("two that chatter at once never suppress the trip of a third zone", async () => {
    const yard = zoneOf({ id: "yard", objective: { type: "obiective/cladiri", id: 2 }, input: simulated });
    site = await DispatchingSite.make([DOOR, GATE, yard]);
    site.zones.monitor.read("yard", "normal", { live: true });
    for (let flap = 0; flap < 2000; flap += 1) {
      for (const zone of ["door", "gate"])
        site.zones.monitor.read(zone, flap % 2 === 0 ? "normal" : "open", { live: true });
      site.zones.clock.advance(60);
      if (flap === 1000) site.zones.monitor.read("yard", "open", { live: true });
    }
    await site.settled();
    expect(site.records.map(({ objectiveId, type }) => `${objectiveId} ${type}`).toSorted()).toEqual([
      "1 other",
      "1 repair",
      "1 repair",
      "2 other",
    ]);
  });
});

test("test trips of a sensor do not shut its zone down, nor does the one of an entry door", async () => {
  const door = { objective: HALL, input: { mqtt: "door", open: [1], normal: [0] } };
  site = await DispatchingSite.make([
    zoneOf({ id: "door", ...door }),
    zoneOf({ id: "entry", ...door, input: { ...door.input, mqtt: "entry" }, entryDelayS: 30 }),
  ]);
  for (const zone of ["door", "entry", "door", "entry", "door", "entry"]) {
    site.zones.monitor.simulateTrip(zone);
    await site.pass(1_801_000);
  }
  await site.trip("door");
  await site.pass(1_801_000);
  await site.trip("entry");
  await site.pass(31_000);
  expect(site.dispositions).toEqual(Array.from({ length: 8 }, () => "posted"));
  expect(site.records.map(({ type }) => type)).not.toContain("repair");
});

test("a fire is never shut down, and each of its incidents is dispatched", async () => {
  site = await DispatchingSite.make([
    zoneOf({ id: "smoke", kind: "fire", objective: HALL, input: simulated }),
  ]);
  for (let time = 0; time < 5; time += 1) {
    await site.trip("smoke");
    site.zones.clock.advance(1_801_000);
  }
  expect(site.records).toHaveLength(5);
  expect(site.records.every(({ firetruck }) => firetruck)).toBe(true);
});

test("faults whose source was removed while the daemon did not run end at the next start, with a note; the others stay", async () => {
  const sensor = (id: string, more: Partial<Parameters<typeof zoneOf>[0]> = {}) =>
    zoneOf({ id, name: id, objective: HALL, input: { mqtt: `z/${id}`, open: [1], normal: [0] }, ...more });
  const battery = { path: "/low", low: [true] };
  const bridge = { mqtt: "z/bridge" };
  const [kept, bare] = [sensor("kept", { battery }), sensor("bare", { battery })];
  const behind = [sensor("first", { bridge }), sensor("second", { bridge })] as const;
  const removed = sensor("removed", { battery });
  site = await DispatchingSite.make([kept, bare, removed, ...behind]);
  const { faults } = site.zones.zoneService;
  for (const zone of [kept, bare, removed]) faults.set(zone, "battery", true);
  faults.set(bare, "supervision", true);
  faults.set(behind[0], "supervision", true, "z/bridge");
  await site.settled();
  const left = () =>
    site.zones.journal.faults.list().map(({ owner, fault, zoneId }) => `${owner} ${fault} of ${zoneId}`);
  const notes = () => site.records.map(({ notes: text }) => text);
  expect(notes()).toEqual([null, null, null, null, null]);

  await site.restart([kept, sensor("bare"), behind[1]]);
  await site.settled();
  expect(left()).toEqual([
    "bare supervision of bare",
    "kept battery of kept",
    "z/bridge supervision of second",
  ]);
  expect(notes()).toEqual([
    null,
    "Low battery, zone bare (bare): restored at 2026-11-20 23:30:00.",
    "Low battery, zone removed (removed): restored at 2026-11-20 23:30:00.",
    null,
    null,
  ]);

  await site.restart([kept, sensor("bare"), sensor("second")]);
  await site.settled();
  expect(left()).toEqual(["bare supervision of bare", "kept battery of kept"]);
  expect(notes().at(-1)).toBe("Bridge z/bridge (zones: 1): available again at 2026-11-20 23:30:00.");
});
