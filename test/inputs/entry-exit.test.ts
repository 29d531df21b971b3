import { afterEach, describe, expect, test } from "vitest";
import type { Zone as ZoneOptions } from "../../src/generated/types.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { gateIdOf, zoneOf } from "../support/watched-zones.ts";

const KEY = { mqtt: "site/armed", open: [true], normal: [false] };
const GATE = gateIdOf(KEY);
const HALL = { type: "obiective/cladiri", id: 1 } as const;
const simulated = { simulated: true } as const;

let site: DispatchingSite;
afterEach(() => site.close());

async function make(...zones: readonly (Partial<ZoneOptions> & Pick<ZoneOptions, "id">)[]): Promise<void> {
  site = await DispatchingSite.make(
    zones.map((zone) => zoneOf({ input: simulated, objective: HALL, gate: KEY, ...zone })),
  );
  site.zones.monitor.setGate(GATE, "open");
  for (const { id } of zones) site.zones.monitor.read(id, "normal", { live: true });
}

async function passes(ms: number): Promise<void> {
  site.zones.clock.advance(ms);
  await site.settled();
}

const opens = (zoneId: string): void => void site.zones.monitor.read(zoneId, "open", { live: true });
const arm = (state: "open" | "closed"): void => site.zones.monitor.setGate(GATE, state);

describe("an entry door with 30 s of entry delay", () => {
  const DOOR = { id: "door", name: "Door", entryDelayS: 30 };

  test("is in the journal at once, and dispatched when the delay ends, with the time of its opening", async () => {
    await make(DOOR);
    opens("door");
    await passes(29_999);
    expect(site.zones.trips).toMatchObject([{ state: "waiting" }]);
    expect(site.records).toEqual([]);
    await passes(1);
    expect(site.records).toMatchObject([
      { name: "Alarm, intrusion: Door", dateStart: "2026-11-20T23:30:00" },
    ]);
  });

  test("whose gate closes meanwhile is cancelled, and its closing is in no record", async () => {
    await make(DOOR);
    opens("door");
    await passes(20_000);
    arm("closed");
    site.zones.monitor.read("door", "normal", { live: true });
    await passes(3_600_000);
    expect(site.records).toEqual([]);
    expect(site.zones.trips).toMatchObject([
      { state: "cancelled", reason: "the gate closed within the entry delay (mqtt)" },
    ]);
    expect(site.zones.restores.at(-1)).toMatchObject({
      state: "recorded",
      reason: "its opening was cancelled",
    });
  });

  test("does not hold up a window that breaks meanwhile, and joins its incident", async () => {
    await make(DOOR, { id: "glass", name: "Window", kind: "glass" });
    opens("door");
    await passes(10_000);
    opens("glass");
    await site.settled();
    expect(site.records).toMatchObject([{ name: "Alarm, glass break: Window", police: false }]);
    await passes(20_000);
    expect(site.records).toMatchObject([{ notes: "23:30 Door", police: true }]);
  });

  test.each([
    ["the rest of the delay runs on", 10_000, 19_000, "waiting"],
    ["the trip goes out when the delay is over", 10_000, 20_000, "posted"],
    ["the trip goes out at once after a long one", 3_600_000, 0, "posted"],
  ])("over a power cut: %s", async (_what, cutMs, thenMs, state) => {
    await make(DOOR);
    opens("door");
    await site.powerCut(cutMs);
    await passes(thenMs);
    expect(site.dispositions).toEqual([state]);
  });

  test("over a power cut and a clock that went back waits no longer than a delay can be", async () => {
    await make(DOOR);
    opens("door");
    site.zones.clock.stepWall(-86_400_000);
    await site.powerCut(1_000);
    await passes(45_000);
    expect(site.dispositions).toEqual(["posted"]);
  });

  test("whose gate closes after a power cut, within the rest of the delay, is cancelled", async () => {
    await make(DOOR);
    opens("door");
    await site.powerCut(10_000);
    arm("closed");
    await passes(60_000);
    expect(site.dispositions).toEqual(["cancelled"]);
  });

  test("is used every day and not shut down as a swinger", async () => {
    await make(DOOR);
    for (let day = 0; day < 30; day += 1) {
      opens("door");
      await passes(10_000);
      arm("closed");
      site.zones.monitor.read("door", "normal", { live: true });
      await passes(600_000);
      arm("open");
    }
    expect(new Set(site.dispositions)).toEqual(new Set(["cancelled"]));
    opens("door");
    await passes(30_000);
    expect(site.records).toHaveLength(1);
  });

  test("whose gate closes by its schedule meanwhile is cancelled", async () => {
    // The clock of the tests begins on Friday 2026-11-20 at 23:30 local time.
    await make({ ...DOOR, gate: { schedule: "fri 20:00-23:31" } });
    site.zones.clock.advance(45_000);
    opens("door");
    await passes(60_000);
    expect(site.dispositions).toEqual(["cancelled"]);
  });
});

describe("an exit delay of 45 s", () => {
  const EXIT = { ...KEY, exitDelayS: 45 };

  test("makes openings part of leaving; what is still open as it ends is listed", async () => {
    await make({ id: "door", name: "Door", gate: EXIT }, { id: "hall", name: "Hall", gate: EXIT });
    arm("closed");
    await passes(60_000);
    arm("open");
    await passes(10_000);
    opens("door");
    opens("hall");
    site.zones.monitor.read("hall", "normal", { live: true });
    await passes(30_000);
    expect(site.zones.trips.map(({ state, reason }) => [state, reason])).toEqual([
      ["gated", "exit delay (mqtt)"],
      ["gated", "exit delay (mqtt)"],
    ]);
    await passes(10_000);
    expect(site.records.map(({ name }) => name)).toEqual(["Armed with 1 zone open"]);
    opens("hall");
    await site.settled();
    expect(site.records.at(-1)?.name).toBe("Alarm, intrusion: Hall");
  });

  test.each([
    ["within it the rest of the delay runs", 20_000, "gated"],
    ["beyond it the delay is over", 60_000, "posted"],
  ])("over a power cut: %s", async (_what, cutMs, state) => {
    await make({ id: "door", gate: EXIT });
    arm("closed");
    await passes(60_000);
    arm("open");
    await site.powerCut(cutMs);
    arm("open");
    opens("door");
    await site.settled();
    expect(site.dispositions[0]).toBe(state);
  });

  test("is none for a gate that was already open when the daemon first read it", async () => {
    await make({ id: "door", gate: EXIT });
    opens("door");
    await site.settled();
    expect(site.dispositions).toEqual(["posted"]);
  });

  test("counts from the beginning of a span of a schedule", async () => {
    await make({ id: "door", gate: { schedule: "fri 23:31-23:59", exitDelayS: 45 } });
    await passes(100_000);
    opens("door");
    await site.settled();
    expect(site.dispositions).toEqual(["gated"]);
    site.zones.monitor.read("door", "normal", { live: true });
    await passes(10_000);
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

  test("never comes from two signals of one device: by default, of one topic", async () => {
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

  test("never comes from two zones that name one device, and comes from two that name two", async () => {
    await make({ id: "a", device: "reed-1" }, { id: "b", device: "reed-1" }, { id: "c", device: "reed-2" });
    await trip("a", "b");
    expect(police()).toEqual([false]);
    await trip("c");
    expect(police()).toEqual([true]);
  });

  test("comes only from the zones that a zone asks for, within its time, in either order", async () => {
    const wants = { confirmWith: { zones: ["hall"], withinS: 60 } };
    await make({ id: "door", ...wants }, { id: "hall", kind: "motion" }, { id: "glass", kind: "glass" });
    await trip("door", "glass");
    expect(police()).toEqual([false]);
    await passes(61_000);
    await trip("hall");
    // The glass and the hall confirm each other; the door asks for the hall within a minute.
    expect(police()).toEqual([true]);
  });

  test.each([
    [59_000, true],
    [61_000, false],
  ])("of a zone that asks for another within 60 s, %i ms apart: %s", async (apartMs, isConfirmed) => {
    await make({ id: "hall", kind: "motion" }, { id: "door", confirmWith: { zones: ["hall"], withinS: 60 } });
    await trip("hall");
    await passes(apartMs);
    await trip("door");
    expect(police()).toEqual([isConfirmed]);
  });
});
