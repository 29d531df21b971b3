import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Zone } from "../../src/domain/zone.ts";
import { AdcReadings } from "../../src/inputs/adc/adc-readings.ts";
import { MonitoredLoop, type LoopZone } from "../../src/inputs/adc/monitored-loop.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { eventually } from "../support/eventually.ts";
import { FakeConverters } from "../support/fake-converters.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/** One end-of-line resistor and one across the contact, of 2.2 kΩ each. */
const [NORMAL, ALARM] = [2200, 4400];
const ACTOR = { who: "tester", from: "test" };

const loopAt = (id: string, channel: number, adc = "1-0048"): Zone =>
  zoneOf({
    id,
    input: { adc, channel, eol: { normal: NORMAL, alarm: ALARM, pullUp: 2200 } },
    unavailableGraceS: 0,
  });

let site: MonitoredZones;
let converters: FakeConverters;
let readings: AdcReadings;
beforeEach(() => {
  converters = new FakeConverters();
});
afterEach(() => {
  readings.stop();
  converters.remove();
});

function start(...zones: readonly Zone[]): void {
  site = MonitoredZones.forTest(zones);
  readings = new AdcReadings({ ...site.common, root: converters.root });
  readings.start();
}

function exchange(...zones: readonly Zone[]): void {
  site.zoneService.exchange(zones, ACTOR);
  readings.exchange(zones);
}

/** Time passes until this holds; a reading takes real time. */
const passUntil = (what: string, holds: () => boolean): Promise<unknown> =>
  eventually(what, () => {
    site.clock.advance(100);
    return holds();
  });
const shows = (id: string, state: string): Promise<unknown> =>
  passUntil(`${id} to show ${state}`, () => readings.loopOf(id)?.state === state);
const faults = (): string[] => site.journal.faults.list().map(({ zoneId, fault }) => `${zoneId} ${fault}`);

describe("a converter that does not answer", () => {
  let release: () => Promise<void>;
  beforeEach(async () => {
    converters.plug("1-0048", "ads1115", 0, [NORMAL, NORMAL]);
    start(loopAt("hall", 0));
    await shows("hall", "normal");
    release = converters.hang("1-0048", 0);
    await passUntil("the condition", () => site.conditions.includes("adc-unavailable/1-0048"));
  });
  afterEach(() => release());

  test("is a fault of zones that are put on it meanwhile", async () => {
    exchange();
    expect(site.conditions).toEqual([]);
    exchange(loopAt("yard", 1));
    expect(site.conditions).toEqual(["adc-unavailable/1-0048"]);
    expect(site.health.list()[0]?.text).toMatch(/Not read: yard\.$/);
    site.clock.advance(1_000);
    expect(faults()).toEqual(["yard supervision"]);
  });

  test("stays a fault of a zone that is moved to another of its inputs", () => {
    site.clock.advance(1_000);
    expect(faults()).toEqual(["hall supervision"]);
    exchange(loopAt("hall", 1));
    site.clock.advance(1_000);
    expect(faults()).toEqual(["hall supervision"]);
  });

  test("is not read again by the next run, which reports it too", async () => {
    for (let runs = 0; runs < 6; runs += 1) {
      readings.stop();
      readings = new AdcReadings({ ...site.common, root: converters.root });
      readings.start();
    }
    // A thread of the pool is free.
    converters.plug("1-0049", "ads1015", 1, [NORMAL]);
    exchange(loopAt("hall", 0), loopAt("shed", 0, "1-0049"));
    await shows("shed", "normal");
    await passUntil("the condition", () => site.conditions.includes("adc-unavailable/1-0048"));
    await release();
    await shows("hall", "normal");
    expect(site.conditions).toEqual([]);
  });
});

test("an input whose converter has given its number to another one is never read there", async () => {
  converters.plug("1-0048", "ads1115", 0, [NORMAL]);
  converters.plug("1-0049", "ads1115", 1, [NORMAL]);
  start(loopAt("hall", 0));
  await shows("hall", "normal");
  converters.unplug("1-0048");
  converters.unplug("1-0049");
  // A failed reading or two: not enough to search for it.
  let looks = 0;
  await passUntil("a reading", () => (looks += 1) > 1);
  converters.plug("1-0049", "ads1115", 0, [ALARM]);
  converters.plug("1-0048", "ads1115", 1, [NORMAL]);
  await passUntil("it to be found", () => readings.loopOf("hall")?.ohms === NORMAL);
  site.clock.advance(2_000);
  expect(site.trips.filter(({ type }) => type === "trip")).toEqual([]);
});

describe("a loop that changes with each reading", () => {
  /** Readings in turn, ten a second. */
  function alternate(ms: number, ...ohms: readonly number[]): void {
    start();
    const zone = loopAt("hall", 0) as LoopZone;
    site.zoneService.exchange([zone], ACTOR);
    const loop = new MonitoredLoop(zone, site.common);
    const take = (value: number): void => {
      loop.take(value === Infinity ? 3_300 : (3_300 * value) / (value + 2_200));
      site.clock.advance(100);
    };
    for (let passed = 0; passed < 1_000; passed += 100) take(NORMAL);
    for (let passed = 0; passed < ms; passed += 100) take(ohms[(passed / 100) % ohms.length] ?? NORMAL);
  }
  const causes = (): string[] => site.trips.map(({ cause }) => cause);

  test("between normal and cut is a condition and a fault, as a value that no state explains", () => {
    alternate(3_000, NORMAL, Infinity);
    expect(site.conditions).toEqual(["loop-out-of-range/hall"]);
    const text = site.health.list()[0]?.text ?? "";
    expect(text).toBe(
      "the loop of zone hall changes with each reading, so it has no state. Check its terminals, its cable and the supply.",
    );
    expect(translateToRomanian(text)).toMatch(/^rezistența buclei zonei hall diferă la fiecare citire/);
    site.clock.advance(1_000);
    expect(faults()).toEqual(["hall supervision"]);
  });

  test("between normal and alarm is also the chatter of its contact", () => {
    alternate(5_000, NORMAL, ALARM);
    expect(causes()).toContain("chatter");
    expect(site.conditions).toEqual(["loop-out-of-range/hall"]);
  });

  test("for less than two seconds is no state, and no condition", () => {
    alternate(1_000, NORMAL, Infinity);
    expect([site.conditions, causes()]).toEqual([[], []]);
  });
});

test("an opening of a loop has the time of the first reading that shows it", () => {
  start();
  const zone = loopAt("hall", 0) as LoopZone;
  site.zoneService.exchange([zone], ACTOR);
  const loop = new MonitoredLoop(zone, site.common);
  const read = (ohms: number): void => {
    site.clock.advance(100);
    loop.take((3_300 * ohms) / (ohms + 2_200));
  };
  for (let count = 0; count < 10; count += 1) read(NORMAL);
  read(ALARM);
  const openedMs = site.clock.monotonicMs();
  for (let count = 0; count < 10; count += 1) read(ALARM);
  expect(site.trips.map(({ moment }) => moment.monotonicMs)).toEqual([openedMs]);
});
