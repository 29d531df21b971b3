import { beforeEach, describe, expect, test } from "vitest";
import { MqttZones } from "../../src/inputs/mqtt-zones.ts";
import { StaleRetained, type RetainedAge } from "../../src/inputs/stale-retained.ts";
import { MonitoredZones, zoneOf } from "../support/monitored-zones.ts";

/* A retained message that newer ones do not replace must not be read as the present state. */

const HALL = zoneOf({
  id: "hall",
  input: { mqtt: "hall", open: ["open"], normal: ["closed"] },
  gate: { mqtt: "keypads/+", open: ["armed"], normal: ["disarmed"] },
});

test("an old message that disarms leaves its keypad armed, whatever another keypad reports", async () => {
  const site = MonitoredZones.forTest([HALL]);
  const zones = new MqttZones(site.common);
  const send = (topic: string, text: string, age = { isRetained: false, isStale: false }): Promise<void> =>
    zones.deliver({ topic, payload: Buffer.from(text), ...age });
  const isDisarmed = (): boolean => site.zoneService.zoneOverrides.gates.isClosed(HALL);
  await send("keypads/front", "armed");
  await send("keypads/front", "disarmed", { isRetained: true, isStale: true });
  await send("keypads/back", "disarmed");
  expect(isDisarmed()).toBe(false);
  await send("keypads/front", "disarmed");
  expect(isDisarmed()).toBe(true);
});

describe("a broker with retained messages", () => {
  let site: MonitoredZones;
  let retained: StaleRetained;
  /** Filters that it was asked for again. */
  let asked: string[];

  beforeEach(() => {
    site = MonitoredZones.forTest([HALL]);
    asked = [];
    retained = new StaleRetained({
      ...site.common,
      filters: () => ["door", "keypads/+"],
      readAgain: (filter) => asked.push(filter),
    });
    retained.connected();
  });

  const sends = (topic: string, text: string): RetainedAge => retained.ageOf(topic, Buffer.from(text), true);
  const live = (topic: string, text: string): RetainedAge => retained.ageOf(topic, Buffer.from(text), false);
  function becomeStale(topic: string, old: string, text: string): void {
    sends(topic, old);
    live(topic, text);
    site.clock.advance(5_000);
    expect(sends(topic, old)).toBe("repeated");
    expect(site.conditions).toEqual(["mqtt-retained-stale"]);
  }

  test("is asked five seconds after the last message that differs, once it lasts", () => {
    sends("door", "closed");
    live("door", "open");
    site.clock.advance(3_000);
    live("door", "closed");
    live("door", "open");
    site.clock.advance(4_900);
    expect(asked).toEqual([]);
    site.clock.advance(5_100);
    expect(asked).toEqual(["door"]);
  });

  test("is asked five seconds after a message of the new connection, not of the one before", () => {
    sends("door", "closed");
    live("door", "open");
    site.clock.advance(3_000);
    retained.closed();
    retained.connected();
    sends("door", "closed");
    live("door", "open");
    site.clock.advance(4_900);
    expect(asked).toEqual([]);
    retained.closed();
    site.clock.advance(100_000);
    expect(asked).toEqual([]);
  });

  test("does not bring back an old value with its answer for other topics of the filter", () => {
    for (const keypad of ["front", "back", "yard"]) sends(`keypads/${keypad}`, "disarmed");
    live("keypads/front", "armed");
    site.clock.advance(5_000);
    expect(asked).toEqual(["keypads/+"]);
    live("keypads/back", "armed");
    expect(sends("keypads/back", "disarmed")).toBe("repeated");
    expect(sends("keypads/yard", "disarmed")).toBe("current");
    expect(site.conditions).toEqual([]);
  });

  test("is asked for an old message every ten minutes after one that differs, until it has another one", () => {
    becomeStale("keypads/front", "disarmed", "armed");
    live("keypads/front", "armed");
    site.clock.advance(599_000);
    expect(asked).toHaveLength(1);
    site.clock.advance(1_000);
    expect(asked).toHaveLength(2);
    expect(sends("keypads/front", "disarmed")).toBe("repeated");
    site.clock.advance(600_000);
    expect(asked).toHaveLength(2);
    live("keypads/front", "disarmed");
    live("keypads/front", "armed");
    site.clock.advance(5_000);
    expect(asked).toHaveLength(3);
    expect(sends("keypads/front", "armed")).toBe("current");
    expect(site.conditions).toEqual([]);
    retained.connected();
    expect(sends("keypads/front", "disarmed")).toBe("current");
  });

  test("is not asked for an old message whose sender has reported the same again meanwhile", () => {
    becomeStale("keypads/front", "disarmed", "armed");
    live("keypads/front", "armed");
    live("keypads/front", "disarmed");
    site.clock.advance(600_000);
    expect(asked).toHaveLength(1);
    expect(site.conditions).toEqual(["mqtt-retained-stale"]);
    retained.connected();
    expect(sends("keypads/front", "disarmed")).toBe("stale");
  });

  test("that no longer sends an old message no longer has it, once the connection is stable", () => {
    becomeStale("door", "closed", "open");
    retained.connected();
    expect(site.conditions).toEqual(["mqtt-retained-stale"]);
    retained.stable();
    expect(site.conditions).toEqual([]);
    expect(sends("door", "closed")).toBe("current");
  });
});
