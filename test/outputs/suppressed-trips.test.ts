// Which trips switch an output for a time: zones and their journal as the daemon has them, read as the outputs read them.
import { beforeEach, describe, expect, test } from "vitest";
import { AlarmPulses } from "../../src/outputs/alarm-pulses.ts";
import { DispatchedTrips } from "../../src/store/dispatched-trips.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { gateIdOf, zoneOf } from "../support/monitored-zones.ts";

const ANA = { who: "ana@example.ro", from: "itself" };
const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
const input = { simulated: true } as const;
const objective = { type: "obiective/cladiri", id: 1 } as const;
const PULSE_MS = 600_000;

let site: DispatchingSite;
let pulses: AlarmPulses;
beforeEach(async () => {
  const zones = [
    zoneOf({ id: "smoke", kind: "fire", input, objective }),
    zoneOf({ id: "door", input, objective, gate: KEY, entryDelayS: 30, swinger: { maxTrips: 1 } }),
    zoneOf({ id: "hall", kind: "motion", input, objective, gate: KEY, swinger: false }),
    // The clock of the test begins at 23:30.
    zoneOf({ id: "shed", input, objective, gate: { schedule: "mon-sun 20:00-23:31" } }),
  ];
  site = await DispatchingSite.make(zones);
  pulses = newPulses();
  arm("open");
  for (const { id } of zones) reads(id, "normal");
  pulses.read();
});

/** As after a start of the daemon. */
function newPulses(): AlarmPulses {
  const { clock, database, host, journal, zones, zoneService } = site.zones;
  return new AlarmPulses({
    clock,
    bootId: host.bootId,
    trips: new DispatchedTrips(database),
    offDisk: journal.offDisk,
    entryDelays: zoneService.entryDelays,
    zoneOverrides: zoneService.zoneOverrides,
    zoneOf: (zoneId) => zones.find(({ id }) => id === zoneId),
  });
}

const arm = (state: "open" | "closed"): void => site.zones.monitor.setGate(gateIdOf(KEY), state);
const reads = (zoneId: string, contact: "open" | "normal"): void =>
  void site.zones.monitor.read(zoneId, contact, { live: true });

/** Whether an output with this pulse is on. */
function isOn(): boolean {
  pulses.read();
  return (pulses.endMs(PULSE_MS, null) ?? -Infinity) > site.zones.clock.monotonicMs();
}

describe("an output with a pulse is off", () => {
  test("when a bypassed zone trips", async () => {
    site.zones.zoneService.zoneOverrides.bypass("hall", { reason: "painter", minutes: 10 }, ANA);
    reads("hall", "open");
    await site.settled();
    expect(isOn()).toBe(false);
    expect(site.zones.trips).toMatchObject([{ state: "bypassed" }]);
  });

  test("when a zone trips in a walk test", async () => {
    site.zones.zoneService.zoneOverrides.walkTests.begin(10, ANA);
    reads("smoke", "open");
    await site.settled();
    expect(isOn()).toBe(false);
    expect(site.zones.trips).toMatchObject([{ state: "test" }]);
  });

  test("when a disarmed zone trips", async () => {
    arm("closed");
    reads("hall", "open");
    await site.settled();
    expect(isOn()).toBe(false);
    expect(site.zones.trips).toMatchObject([{ state: "gated" }]);
  });

  test("when a zone that is shut down as a swinger trips", async () => {
    reads("door", "open");
    await site.pass(40_000);
    expect(isOn()).toBe(true);
    reads("door", "normal");
    await site.pass(3_600_000);
    expect(isOn()).toBe(false);
    reads("door", "open");
    await site.pass(40_000);
    expect(isOn()).toBe(false);
    const trips = site.zones.trips.filter(({ type }) => type === "trip");
    expect(trips.map(({ state }) => state)).toEqual(["posted", "swinger"]);
  });

  test("when a trip is cancelled in its entry delay", async () => {
    reads("door", "open");
    await site.pass(20_000);
    expect(isOn()).toBe(false);
    arm("closed");
    await site.pass(60_000);
    expect(isOn()).toBe(false);
    expect(site.zones.trips).toMatchObject([{ state: "cancelled" }]);
  });

  test("when a zone has a fault", async () => {
    site.zones.monitor.take("hall", { kind: "tamper", open: true }, { live: true });
    await site.settled();
    expect(isOn()).toBe(false);
    expect(site.zones.trips).toMatchObject([{ type: "fault" }]);
  });
});

/** As people who walk past: each time one suppressed trip and its restore. */
async function walkPast(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    reads("hall", "open");
    reads("hall", "normal");
    await site.pass(3_000);
  }
}

describe("an output with a pulse is on", () => {
  test("for the whole time, although hundreds of suppressed trips follow, and after a restart", async () => {
    arm("closed");
    await walkPast(1);
    reads("smoke", "open");
    await site.pass(1_000);
    expect(isOn()).toBe(true);
    await walkPast(150);
    const { clock } = site.zones;
    expect(site.zones.trips.length).toBeGreaterThan(100);
    expect(isOn()).toBe(true);
    const restarted = newPulses();
    restarted.read();
    const [endMs, restartedEndMs] = [pulses, restarted].map((one) => one.endMs(PULSE_MS, null) ?? 0);
    expect(Math.abs((endMs ?? 0) - (restartedEndMs ?? 0))).toBeLessThanOrEqual(1_000);
    await site.pass((endMs ?? 0) - clock.monotonicMs());
    expect(isOn()).toBe(false);
  });

  test("from the end of an entry delay in which hundreds of rows were recorded", async () => {
    reads("door", "open");
    pulses.read();
    for (let count = 0; count < 150; count += 1) {
      reads("smoke", count % 2 === 0 ? "open" : "normal");
      await site.pass(100);
    }
    site.zones.zoneService.zoneOverrides.bypass("smoke", { reason: "dust", minutes: 2 }, ANA);
    await site.pass(30_000);
    pulses.read();
    expect(pulses.endMs(PULSE_MS, ["intrusion"])).toBe(site.zones.clock.monotonicMs() + PULSE_MS);
  });
});

describe("an output whose alarm has an entry delay", () => {
  test("has its whole pulse when the delay ended while the machine was off", async () => {
    reads("door", "open");
    await site.powerCut(3_600_000);
    pulses = newPulses();
    await site.pass(10_000);
    pulses.read();
    const begunMs = site.zones.clock.monotonicMs() - 10_000;
    expect(pulses.endMs(PULSE_MS, ["intrusion"])).toBe(begunMs + PULSE_MS);
  });

  test("has what remains since the end of the delay after a restart", async () => {
    reads("door", "open");
    await site.pass(30_000);
    const begunMs = site.zones.clock.monotonicMs();
    await site.pass(90_000);
    await site.restart();
    pulses = newPulses();
    pulses.read();
    expect(pulses.endMs(PULSE_MS, ["intrusion"])).toBe(begunMs + PULSE_MS);
  });
});

describe("a person ends a pulse", () => {
  const leftMs = (): number => {
    pulses.read();
    return (pulses.endMs(PULSE_MS, null) ?? -Infinity) - site.zones.clock.monotonicMs();
  };

  test("by disarming the zone, but not within ten seconds, so that a dialler is triggered", async () => {
    reads("hall", "open");
    await site.settled();
    expect(leftMs()).toBe(PULSE_MS);
    arm("closed");
    expect(leftMs()).toBe(10_000);
    expect(pulses.endMs(3_000, null)).toBe(site.zones.clock.monotonicMs() + 3_000);
    arm("open");
    await site.pass(10_000);
    expect(isOn()).toBe(false);
    reads("hall", "normal");
    reads("hall", "open");
    await site.settled();
    expect(leftMs()).toBe(PULSE_MS);
    await site.pass(60_000);
    expect(isOn()).toBe(true);
    arm("closed");
    expect(isOn()).toBe(false);
  });

  test("for good, also when the zone is armed again before a restart", async () => {
    reads("hall", "open");
    await site.pass(90_000);
    expect(isOn()).toBe(true);
    for (const state of ["closed", "open"] as const) {
      await site.pass(1_000);
      arm(state);
      pulses.read();
    }
    expect(isOn()).toBe(false);
    await site.restart();
    pulses = newPulses();
    expect(isOn()).toBe(false);
  });

  test("by a bypass of a fire detector, which no gate disarms", async () => {
    reads("smoke", "open");
    pulses.read();
    await site.pass(30_000);
    arm("closed");
    expect(isOn()).toBe(true);
    site.zones.zoneService.zoneOverrides.bypass("smoke", { reason: "burnt toast", minutes: 5 }, ANA);
    expect(isOn()).toBe(false);
  });

  test("and a schedule does not", async () => {
    reads("shed", "open");
    await site.pass(30_000);
    expect(isOn()).toBe(true);
    await site.pass(60_000);
    const { zones, zoneService } = site.zones;
    const shed = zones.find(({ id }) => id === "shed");
    expect(shed && zoneService.zoneOverrides.dispositionOf(shed).state).toBe("gated");
    expect(isOn()).toBe(true);
  });
});
