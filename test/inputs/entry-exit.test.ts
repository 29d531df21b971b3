import { describe, expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { gateIdOf, zoneOf } from "../support/monitored-zones.ts";

const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
const GATE = gateIdOf(KEY);
const HALL = { type: "obiective/cladiri", id: 1 } as const;
const simulated = { simulated: true } as const;

let site: DispatchingSite;

async function make(...zones: readonly (Partial<ZoneOptions> & Pick<ZoneOptions, "id">)[]): Promise<void> {
  site = await DispatchingSite.make(
    zones.map((zone) => zoneOf({ input: simulated, objective: HALL, gate: KEY, ...zone })),
  );
  site.zones.monitor.setGate(GATE, "open");
  for (const { id } of zones) site.zones.monitor.read(id, "normal", { live: true });
}

const opens = (zoneId: string): void => void site.zones.monitor.read(zoneId, "open", { live: true });
const arm = (state: "open" | "closed"): void => site.zones.monitor.setGate(GATE, state);

describe("an entry door with 30 s of entry delay", () => {
  const DOOR = { id: "door", name: "Door", entryDelayS: 30 };

  test("is recorded at once, no alarm until the end of the delay, and dispatched then with the time of its opening", async () => {
    await make(DOOR);
    opens("door");
    await site.pass(29_999);
    expect(site.zones.trips).toMatchObject([{ state: "waiting" }]);
    expect(site.zones.journal.trips.unrecordedZones(10)).toEqual([]);
    // Nor is it shown as an alarm that is not delivered.
    expect(site.zones.journal.unrecorded.worst(10)).toEqual([]);
    expect(site.records).toEqual([]);
    await site.pass(1);
    expect(site.records).toMatchObject([
      { name: "Alarm, intrusion: Door", dateStart: "2026-11-20T23:30:00" },
    ]);
  });

  test("is cancelled when disarmed meanwhile, and its closing is in no record", async () => {
    await make(DOOR);
    opens("door");
    await site.pass(20_000);
    arm("closed");
    site.zones.monitor.read("door", "normal", { live: true });
    await site.pass(3_600_000);
    expect(site.records).toEqual([]);
    expect(site.zones.trips).toMatchObject([
      { state: "cancelled", reason: "the gate closed within the entry delay (mqtt)" },
    ]);
    expect(site.zones.restores.at(-1)).toMatchObject({
      state: "recorded",
      reason: "its opening was cancelled",
    });
  });

  test("does not delay a glass break meanwhile, and joins its incident", async () => {
    await make(DOOR, { id: "glass", name: "Window", kind: "glass" });
    opens("door");
    await site.pass(10_000);
    opens("glass");
    await site.settled();
    expect(site.records).toMatchObject([{ name: "Alarm, glass break: Window", police: false }]);
    await site.pass(20_000);
    expect(site.records).toMatchObject([{ notes: "23:30 Door", police: true }]);
  });

  test.each([
    ["the rest of the delay continues", 10_000, 19_000, "waiting"],
    ["the trip is dispatched at the end of the delay", 10_000, 20_000, "posted"],
    ["the trip is dispatched at once after a long one", 3_600_000, 0, "posted"],
  ])("after a power cut: %s", async (_what, cutMs, thenMs, state) => {
    await make(DOOR);
    opens("door");
    await site.powerCut(cutMs);
    await site.pass(thenMs);
    expect(site.dispositions).toEqual([state]);
  });

  test("after a power cut and a backward clock step waits no longer than the maximum delay", async () => {
    await make(DOOR);
    opens("door");
    site.zones.clock.stepWall(-86_400_000);
    await site.powerCut(1_000);
    await site.pass(45_000);
    expect(site.dispositions).toEqual(["posted"]);
  });

  test("is cancelled when disarmed after a power cut within the rest of the delay", async () => {
    await make(DOOR);
    opens("door");
    await site.powerCut(10_000);
    arm("closed");
    await site.pass(60_000);
    expect(site.dispositions).toEqual(["cancelled"]);
  });

  test("is used every day and not shut down as a swinger", async () => {
    await make(DOOR);
    for (let day = 0; day < 30; day += 1) {
      opens("door");
      await site.pass(10_000);
      arm("closed");
      site.zones.monitor.read("door", "normal", { live: true });
      await site.pass(600_000);
      arm("open");
    }
    expect(new Set(site.dispositions)).toEqual(new Set(["cancelled"]));
    opens("door");
    await site.pass(30_000);
    expect(site.records).toHaveLength(1);
  });

  test("is not shut down for an alarm of a day before: those of the quiet hours since do not count", async () => {
    await make({ ...DOOR, swinger: { maxTrips: 2 } });
    for (const pauseMs of [9 * 3_600_000, 31 * 60_000, 31 * 60_000]) {
      opens("door");
      await site.pass(30_000);
      site.zones.monitor.read("door", "normal", { live: true });
      await site.pass(pauseMs);
    }
    expect(site.dispositions).toEqual(["posted", "posted", "posted"]);
    expect(site.records).toHaveLength(3);
    opens("door");
    await site.pass(30_000);
    expect(site.dispositions[3]).toBe("swinger");
  });

  test("is cancelled when disarmed by a schedule meanwhile", async () => {
    // The test clock starts on Friday 2026-11-20 at 23:30 local time.
    await make({ ...DOOR, gate: { schedule: "fri 20:00-23:31" } });
    site.zones.clock.advance(45_000);
    opens("door");
    await site.pass(60_000);
    expect(site.dispositions).toEqual(["cancelled"]);
  });
});

describe("an exit delay of 45 s", () => {
  const EXIT = { ...KEY, exitDelayS: 45 };

  test("suppresses openings; contacts that are open at its end are listed", async () => {
    await make({ id: "door", name: "Door", gate: EXIT }, { id: "hall", name: "Hall", gate: EXIT });
    arm("closed");
    await site.pass(60_000);
    arm("open");
    await site.pass(10_000);
    opens("door");
    opens("hall");
    site.zones.monitor.read("hall", "normal", { live: true });
    await site.pass(30_000);
    expect(site.zones.trips.map(({ state, reason }) => [state, reason])).toEqual([
      ["gated", "exit delay (mqtt)"],
      ["gated", "exit delay (mqtt)"],
    ]);
    await site.pass(10_000);
    expect(site.records.map(({ name }) => name)).toEqual(["Armed with 1 zone open"]);
    opens("hall");
    await site.settled();
    expect(site.records.at(-1)?.name).toBe("Alarm, intrusion: Hall");
  });

  test.each([
    ["within it the rest of the delay continues", 20_000, "gated"],
    ["beyond it the delay has ended", 60_000, "posted"],
  ])("after a power cut: %s", async (_what, cutMs, state) => {
    await make({ id: "door", gate: EXIT });
    arm("closed");
    await site.pass(60_000);
    arm("open");
    await site.powerCut(cutMs);
    arm("open");
    opens("door");
    await site.settled();
    expect(site.dispositions[0]).toBe(state);
  });

  test("continues after a restart of the daemon while the clock is not set, and ends with a power cut", async () => {
    await make({ id: "door", gate: { ...KEY, exitDelayS: 60 }, swinger: false });
    const gate = gateIdOf({ ...KEY, exitDelayS: 60 });
    site.zones.isClockTrusted = false;
    for (const state of ["closed", "open"] as const) site.zones.monitor.setGate(gate, state);
    site.zones.clock.advance(20_000);
    const trips = async (): Promise<void> => {
      site.zones.monitor.setGate(gate, "open");
      await site.trip("door");
      site.zones.monitor.read("door", "normal", { live: true });
    };
    await site.restart();
    site.zones.clock.advance(39_000);
    await trips();
    await site.powerCut(100);
    await trips();
    expect(site.dispositions).toEqual(["gated", "posted"]);
  });

  test("does not start for a zone that is already armed at the first reading", async () => {
    await make({ id: "door", gate: EXIT });
    opens("door");
    await site.settled();
    expect(site.dispositions).toEqual(["posted"]);
  });

  test("starts with an interval of a schedule", async () => {
    await make({ id: "door", gate: { schedule: "fri 23:31-23:59", exitDelayS: 45 } });
    await site.pass(100_000);
    opens("door");
    await site.settled();
    expect(site.dispositions).toEqual(["gated"]);
    site.zones.monitor.read("door", "normal", { live: true });
    await site.pass(10_000);
    opens("door");
    await site.settled();
    expect(site.dispositions).toEqual(["gated", "posted"]);
  });
});

describe("confirmation", () => {
  const police = (): boolean[] => site.records.map((record) => record.police);
  async function trip(...ids: string[]): Promise<void> {
    for (const id of ids) opens(id);
    await site.settled();
  }

  test("does not come from two signals of one device: by default, of one topic", async () => {
    const i4 = (id: string, path: string) => ({
      id,
      name: id,
      input: { mqtt: "shelly/i4", path, open: [true] },
    });
    await make(i4("one", "/1"), i4("two", "/2"), { id: "hall", kind: "motion" });
    await trip("one", "two");
    expect(police()).toEqual([false]);
    await trip("hall");
    expect(police()).toEqual([true]);
  });

  test("does not come from two zones of one device, and comes from zones of two devices", async () => {
    await make({ id: "a", device: "reed-1" }, { id: "b", device: "reed-1" }, { id: "c", device: "reed-2" });
    await trip("a", "b");
    expect(police()).toEqual([false]);
    await trip("c");
    expect(police()).toEqual([true]);
  });

  test("comes only from the configured zones, within the configured time, in either order", async () => {
    const wants = { confirmWith: { zones: ["hall"], withinS: 60 } };
    await make({ id: "door", ...wants }, { id: "hall", kind: "motion" }, { id: "glass", kind: "glass" });
    await trip("door", "glass");
    expect(police()).toEqual([false]);
    await site.pass(61_000);
    await trip("hall");
    // The glass break and the hall confirm each other; the door requires the hall within a minute.
    expect(police()).toEqual([true]);
  });

  test.each([
    [59_000, true],
    [61_000, false],
  ])("by another zone within 60 s, %i ms apart: %s", async (apartMs, isConfirmed) => {
    await make({ id: "hall", kind: "motion" }, { id: "door", confirmWith: { zones: ["hall"], withinS: 60 } });
    await trip("hall");
    await site.pass(apartMs);
    await trip("door");
    expect(police()).toEqual([isConfirmed]);
  });
});
