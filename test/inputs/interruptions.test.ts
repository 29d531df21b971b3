import { describe, expect, test } from "vitest";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

const HALL = { type: "obiective/cladiri", id: 1 } as const;
const GATE = zoneOf({ id: "gate", name: "Gate", objective: HALL, input: { simulated: true } });
const YARD = zoneOf({
  id: "yard",
  objective: { type: "obiective/cladiri", id: 2 },
  input: { simulated: true },
});
const WIRED = zoneOf({ id: "door", name: "Door", objective: HALL, input: { gpio: 17 } });
const SMOKE = zoneOf({ id: "smoke", name: "Smoke", kind: "fire", objective: HALL, input: { gpio: 18 } });
const HOUR_MS = 3_600_000;

let site: DispatchingSite;

function read(zoneId: string, contact: "normal" | "open"): void {
  site.zones.monitor.read(zoneId, contact, { live: true });
}

describe("an untrusted clock", () => {
  test("leaves the start of the intervention empty; once trusted, the start is set to the second", async () => {
    site = await DispatchingSite.make([GATE]);
    const { clock } = site.zones;
    const rightWallMs = clock.wallMs();
    clock.stepWall(-rightWallMs);
    site.zones.isClockTrusted = false;
    await site.trip("gate");
    expect(site.records).toMatchObject([{ dateStart: null }]);
    expect(site.records[0]?.description).toBe("Zone Gate (gate, intrusion) tripped at a time not known yet.");

    clock.advance(90_000);
    clock.stepWall(rightWallMs);
    site.zones.isClockTrusted = true;
    site.requestDispatch();
    await site.until(() => site.zones.trips[0]?.isDated);
    expect(site.records).toMatchObject([
      {
        dateStart: "2026-11-20T23:30:00",
        description: "Zone Gate (gate, intrusion) tripped at 2026-11-20 23:30:00.",
      },
    ]);
    expect(site.zones.trips[0]?.moment.wallMs).toBe(rightWallMs);
  });

  test.each([
    ["an hour back", -HOUR_MS, "2026-11-20T22:30:00"],
    ["two days on", 48 * HOUR_MS, "2026-11-22T23:30:00"],
  ])(
    "that is set %s after it was trusted corrects the start of recent trips",
    async (_what, stepMs, dateStart) => {
      site = await DispatchingSite.make([GATE]);
      await site.trip("gate");
      expect(site.records).toMatchObject([{ dateStart: "2026-11-20T23:30:00" }]);
      site.zones.clock.advance(60_000);
      site.zones.clock.stepWall(stepMs);
      site.requestDispatch();
      await site.until(() => site.records[0]?.dateStart === dateStart);
      expect(site.records[0]?.description).toBe(
        `Zone Gate (gate, intrusion) tripped at ${dateStart.replace("T", " ")}.`,
      );
      await site.until(() => site.zones.trips[0]?.isDated);
      // Corrected to the minute, it has its previous value.
      site.zones.clock.stepWall(-stepMs);
      site.requestDispatch();
      await site.until(() => site.records[0]?.dateStart === "2026-11-20T23:30:00");
    },
  );

  test("that is set does not change old trips, nor fields that a user has changed", async () => {
    site = await DispatchingSite.make([GATE, YARD]);
    await site.trip("gate");
    site.zones.clock.advance(HOUR_MS);
    await site.trip("yard");
    site.change(2, { dateStart: "2026-11-20T20:00:00" });
    site.zones.clock.stepWall(-2 * HOUR_MS);
    site.requestDispatch();
    await site.until(() => site.zones.trips[1]?.moment.wallMs === site.zones.clock.wallMs());
    expect(site.records.map(({ dateStart }) => dateStart)).toEqual([
      "2026-11-20T23:30:00",
      "2026-11-20T20:00:00",
    ]);
  });

  test("does not change a start that a user has set meanwhile", async () => {
    site = await DispatchingSite.make([GATE]);
    site.zones.isClockTrusted = false;
    await site.trip("gate");
    site.change(1, { dateStart: "2026-11-20T20:00:00", description: "The gate, said the neighbour." });
    site.zones.isClockTrusted = true;
    site.requestDispatch();
    await site.until(() => site.zones.trips[0]?.isDated);
    expect(site.records).toMatchObject([
      { dateStart: "2026-11-20T20:00:00", description: "The gate, said the neighbour." },
    ]);
  });

  test("does not lead to guessed times for trips of an earlier boot", async () => {
    site = await DispatchingSite.make([GATE]);
    site.zones.isClockTrusted = false;
    await site.trip("gate");
    await site.reboot();
    site.zones.isClockTrusted = true;
    await site.trip("gate");
    expect(site.records.map(({ dateStart }) => dateStart)).toEqual([null]);
  });
});

describe("after an interruption", () => {
  test("a door that was opened meanwhile has the earliest possible time", async () => {
    site = await DispatchingSite.make([GATE]);
    read("gate", "normal");
    site.zones.clock.advance(10_000);
    site.zones.stop();
    site.zones.clock.advance(HOUR_MS);
    await site.restart();
    read("gate", "open");
    await site.settled();
    expect(site.records).toMatchObject([
      {
        dateStart: "2026-11-21T00:30:10",
        description:
          "Zone Gate (gate, intrusion) tripped during an interruption, detected at 2026-11-21 00:30:10, not before 2026-11-20 23:30:10.",
      },
    ]);
    expect(site.zones.events).toEqual([
      {
        who: "santinela",
        from: "itself",
        event: "blind-interval",
        subject: "every zone",
        detail: {
          from: "2026-11-20T21:30:10.000Z",
          to: "2026-11-20T22:30:10.000Z",
          reason: "the daemon did not run",
        },
      },
    ]);
  });

  test("by a power cut the monitoring gap starts with the last keep-alive, at most a minute early", async () => {
    site = await DispatchingSite.make([GATE]);
    site.zones.clock.advance(HOUR_MS + 30_000);
    await site.powerCut(2 * HOUR_MS);
    expect(site.zones.events).toMatchObject([
      { detail: { from: "2026-11-20T22:30:00.000Z", to: "2026-11-21T00:30:30.000Z" } },
    ]);
  });
});

test("a power cut of a machine without a battery clock is reported once the clock is trusted", async () => {
  site = await DispatchingSite.make([GATE]);
  const { clock } = site.zones;
  clock.advance(HOUR_MS);
  site.zones.isClockTrusted = false;
  await site.powerCut(2 * HOUR_MS);
  const rightWallMs = clock.wallMs();
  clock.stepWall(-rightWallMs);
  clock.advance(600_000);
  expect(site.zones.events).toEqual([]);
  clock.stepWall(rightWallMs);
  site.zones.isClockTrusted = true;
  clock.advance(10_000);
  expect(site.zones.events).toMatchObject([
    { detail: { from: "2026-11-20T22:30:00.000Z", to: "2026-11-21T00:30:00.000Z" } },
  ]);
});

describe("a broker that cannot be reached", () => {
  const REASON = "the broker at 127.0.0.1:1883 does not answer";

  test("is one monitoring gap, and a clock step changes only its times", async () => {
    site = await DispatchingSite.make([GATE]);
    const { monitoringGaps } = site.zones.zoneService;
    for (let time = 0; time < 3; time += 1) {
      monitoringGaps.raise("mqtt-unreachable", time === 0 ? REASON : "another reason");
      site.zones.clock.advance(60_000);
    }
    site.zones.clock.stepWall(HOUR_MS);
    monitoringGaps.clear("mqtt-unreachable");
    monitoringGaps.clear("mqtt-unreachable");
    expect(site.zones.events).toEqual([
      {
        who: "santinela",
        from: "itself",
        event: "blind-interval",
        subject: "mqtt-unreachable",
        detail: { from: "2026-11-20T22:30:00.000Z", to: "2026-11-20T22:33:00.000Z", reason: REASON },
      },
    ]);
    expect(site.zones.conditions).toEqual([]);
  });

  test("before the clock is set is reported once it is, with the times by it", async () => {
    site = await DispatchingSite.make([GATE]);
    const { monitoringGaps } = site.zones.zoneService;
    site.zones.isClockTrusted = false;
    site.zones.clock.stepWall(-24 * HOUR_MS);
    monitoringGaps.raise("mqtt-unreachable", REASON);
    site.zones.clock.advance(60_000);
    monitoringGaps.clear("mqtt-unreachable");
    site.zones.clock.advance(60_000);
    expect(site.zones.events).toEqual([]);
    site.zones.clock.stepWall(24 * HOUR_MS);
    site.zones.isClockTrusted = true;
    site.zones.clock.advance(10_000);
    expect(site.zones.events).toMatchObject([
      { detail: { from: "2026-11-20T21:30:00.000Z", to: "2026-11-20T21:31:00.000Z", reason: REASON } },
    ]);
  });

  test("before the clock is set is within the time that the next start reports if the power is cut then", async () => {
    site = await DispatchingSite.make([GATE]);
    site.zones.clock.advance(HOUR_MS);
    site.zones.isClockTrusted = false;
    await site.powerCut(60_000);
    const { monitoringGaps } = site.zones.zoneService;
    monitoringGaps.raise("mqtt-unreachable", REASON);
    site.zones.clock.advance(60_000);
    monitoringGaps.clear("mqtt-unreachable");
    site.zones.clock.advance(60_000);
    await site.powerCut(60_000);
    site.zones.events.splice(0);
    site.zones.isClockTrusted = true;
    site.zones.clock.advance(10_000);
    expect(site.zones.events.map(({ subject, detail }) => [subject, detail["from"], detail["to"]])).toEqual([
      ["every zone", "2026-11-20T22:30:00.000Z", "2026-11-20T22:34:00.000Z"],
    ]);
  });

  test("is reported with the time as it is if the clock is not set for an hour, or after a hundred others", async () => {
    site = await DispatchingSite.make([GATE]);
    const { monitoringGaps } = site.zones.zoneService;
    site.zones.isClockTrusted = false;
    const gap = (): void => {
      monitoringGaps.raise("mqtt-unreachable", REASON);
      site.zones.clock.advance(1_000);
      monitoringGaps.clear("mqtt-unreachable");
    };
    gap();
    site.zones.clock.advance(HOUR_MS - 10_000);
    expect(site.zones.events).toEqual([]);
    site.zones.clock.advance(20_000);
    expect(site.zones.events).toMatchObject([
      { detail: { from: "2026-11-20T21:30:00.000Z", to: "2026-11-20T21:30:01.000Z", isDated: false } },
    ]);
    for (let count = 0; count < 101; count += 1) gap();
    expect(site.zones.events).toHaveLength(2);
    site.zones.isClockTrusted = true;
    site.zones.clock.advance(10_000);
    expect(site.zones.events).toHaveLength(102);
    expect(site.zones.events.at(-1)?.detail).not.toHaveProperty("isDated");
  });

  test("while the daemon stops is reported up to the stop, and the absence of the daemon from there", async () => {
    site = await DispatchingSite.make([GATE]);
    site.zones.zoneService.monitoringGaps.raise("mqtt-unreachable", REASON);
    site.zones.clock.advance(60_000);
    site.zones.stop();
    site.zones.clock.advance(60_000);
    await site.restart();
    expect(site.zones.events.map(({ subject, detail }) => [subject, detail["from"], detail["to"]])).toEqual([
      ["mqtt-unreachable", "2026-11-20T21:30:00.000Z", "2026-11-20T21:31:00.000Z"],
      ["every zone", "2026-11-20T21:31:00.000Z", "2026-11-20T21:32:00.000Z"],
    ]);
  });
});

describe("after the power-up of the machine", () => {
  test("a contact that bounces for less than a minute does not trip; one that stays open trips", async () => {
    site = await DispatchingSite.make([WIRED]);
    read("door", "normal");
    site.zones.clock.advance(1000);
    await site.reboot();
    read("door", "open");
    site.zones.clock.advance(59_000);
    expect(site.zones.trips).toEqual([]);
    read("door", "normal");
    site.zones.clock.advance(2000);
    expect(site.zones.trips).toEqual([]);
    await site.reboot();
    read("door", "open");
    site.zones.clock.advance(60_000);
    expect(site.zones.trips).toMatchObject([{ cause: "after-restart" }]);
  });

  test("a fire is accepted after five seconds", async () => {
    site = await DispatchingSite.make([SMOKE]);
    read("smoke", "normal");
    site.zones.clock.advance(1000);
    await site.reboot();
    read("smoke", "open");
    site.zones.clock.advance(4999);
    expect(site.zones.trips).toEqual([]);
    site.zones.clock.advance(1);
    expect(site.zones.trips).toHaveLength(1);
  });

  test("a restart of the daemon alone has no power-up delay", async () => {
    site = await DispatchingSite.make([WIRED]);
    read("door", "normal");
    site.zones.clock.advance(1000);
    await site.restart();
    read("door", "open");
    site.zones.clock.advance(250);
    expect(site.zones.trips).toHaveLength(1);
  });
});
